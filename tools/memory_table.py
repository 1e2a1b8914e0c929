"""Memory of a training, estimated without a GPU: what the real networks keep for the backward pass, clip by clip.

    python -m tools.memory_table          prints the rows of app/tables/memory.toml

Per quality: the parameters (16 bytes each: weight, gradient and AdamW's two moments); bytes that autograd saves for one
clip, taken at two lengths, so that the part that grows with the clip and the constant one come apart (decoder and
discriminators see 32 frames); and what gradient checkpointing would leave of them: the inputs of the networks' blocks,
and the inside of the largest block. `train --tune` measures; this only counts.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from app.audio.precision import without_autocast
from app.audio.spectrum import Spectrum
from app.tables.quality import HOP, SEGMENT_FRAMES, SEGMENT_SAMPLES, Quality, qualities
from app.voice.build import build_discriminator, build_generator
from app.voice.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence
from app.voice.masks import cut
from entrypoint import patches

MIB = 1024 * 1024
#: Weights, their gradients, and two moments of AdamW, each fp32.
BYTES_A_PARAMETER = 16
SHORT_SECONDS, LONG_SECONDS = 4.0, 8.0
#: Phonemes with Piper's blanks between them, a second: fast speech.
SYMBOLS_A_SECOND = 30
_BLOCKS = ("ResBlock", "PairedBlock", "SingleBlock", "WaveNet", "ScaleDiscriminator", "PeriodDiscriminator")


@dataclass
class Saved:
    """Distinct storages that autograd keeps, by the block in whose forward pass they were saved."""

    weights: set[int]
    bytes_of: dict[int, int] = field(default_factory=dict)
    block_of: dict[int, str] = field(default_factory=dict)
    inputs: dict[str, int] = field(default_factory=dict)
    block: str = ""
    alive: list[Tensor] = field(default_factory=list)  # a storage that is freed could be counted twice

    def pack(self, tensor: Tensor) -> Tensor:
        """Note a tensor that autograd saves, and let it be saved."""
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self.weights and key not in self.bytes_of:
            self.bytes_of[key] = storage.nbytes()
            self.block_of[key] = self.block
            self.alive.append(tensor)
        return tensor

    @property
    def total(self) -> int:
        """Bytes of all."""
        return sum(self.bytes_of.values())

    @property
    def checkpointed(self) -> int:
        """Bytes that stay when blocks keep their inputs only, and the largest one is being computed again."""
        inside: dict[str, int] = {}
        for key, size in self.bytes_of.items():
            inside[self.block_of[key]] = inside.get(self.block_of[key], 0) + size
        outside = inside.pop("", 0)
        return outside + sum(self.inputs.values()) + max(inside.values(), default=0)


@contextmanager
def _blocks_named(networks: list[nn.Module], saved: Saved) -> Iterator[None]:
    hooks = []
    for number, network in enumerate(networks):
        for name, module in network.named_modules():
            if type(module).__name__ in _BLOCKS:
                hooks += _follow(f"{number}.{name}", module, saved)
    yield
    for hook in hooks:
        hook.remove()


def _follow(name: str, module: nn.Module, saved: Saved) -> list[Any]:
    calls = [0]

    def enter(_: nn.Module, inputs: tuple[Any, ...]) -> None:
        calls[0] += 1
        saved.block = f"{name}#{calls[0]}"
        saved.inputs[saved.block] = sum(t.numel() * t.element_size() for t in inputs if isinstance(t, Tensor))

    def leave(*_: Any) -> None:
        saved.block = ""

    return [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]


def saved_bytes(quality: Quality, seconds: float, clips: int, half: bool) -> tuple[int, int]:
    """What a step over `clips` clips of `seconds` keeps between forward and backward, and of it with checkpointing."""
    torch.manual_seed(0)
    generator, discriminator = build_generator(quality, 256), build_discriminator(quality)
    spectrum = Spectrum(quality.rate_hz)
    samples = int(seconds * quality.rate_hz) // HOP * HOP
    symbols = int(seconds * SYMBOLS_A_SECOND)
    text, wave = torch.randint(1, 100, (clips, symbols)), torch.randn(clips, samples) * 0.1
    saved = Saved(weights=set())
    autocast = torch.autocast("cpu", torch.bfloat16) if half else nullcontext()
    hooks = torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda tensor: tensor)
    for network in (generator, discriminator):
        saved.weights |= {tensor.untyped_storage().data_ptr() for tensor in (*network.parameters(), *network.buffers())}
    with _blocks_named([generator, discriminator], saved), parametrize.cached(), hooks:
        spec = spectrum.linear(wave)
        with autocast:
            out = generator(text, torch.full((clips,), symbols), spec, torch.full((clips,), spec.size(2)), None)
        with without_autocast(wave):
            real = cut(wave.unsqueeze(1), out.segment_start * HOP, SEGMENT_SAMPLES)
            real_mel = cut(spectrum.mel(spec), out.segment_start, SEGMENT_FRAMES)
            generated = out.wave.float()
            mel = nn.functional.l1_loss(real_mel, spectrum.mel(spectrum.linear(generated.squeeze(1))))
            kl = kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask)
        leaf = generated.detach().requires_grad_()
        with autocast:
            real_scores, real_features = discriminator(real)
            scores, features = discriminator(leaf)
        losses = (
            generator_adversarial(scores), feature_matching(real_features, features),
            discriminator_adversarial(real_scores, scores), mel, kl,
        )  # fmt: skip
        del losses
    return saved.total, saved.checkpointed  # and no tensor, or the memory of every call would be held


def row(quality: Quality) -> str:
    """One row of the table, as TOML."""
    networks = (build_generator(quality, 256), build_discriminator(quality))
    parameters = sum(weight.numel() for network in networks for weight in network.parameters())
    lines = [f"[quality.{quality.name}]", f"parameters = {parameters}"]
    once, checkpointed = [], []
    for name, half in (("32", False), ("16", True)):
        one, two = (_clip(quality, seconds, half) for seconds in (SHORT_SECONDS, LONG_SECONDS))
        second = (two.clip - one.clip) / (LONG_SECONDS - SHORT_SECONDS)
        lines.append(f"segment_mib_{name} = {(one.clip - SHORT_SECONDS * second) / MIB:.1f}")
        lines.append(f"second_mib_{name} = {second / MIB:.1f}")
        once.append(one.once / MIB)
        checkpointed.append(two.checkpointed / two.clip)
    # Of both precisions the greater one: the plan must not promise what does not fit.
    return "\n".join([*lines, f"once_mib = {max(once):.0f}", f"checkpointed = {max(checkpointed):.2f}"])


class _Clip(NamedTuple):
    clip: float  # bytes for one more clip
    once: float  # bytes that do not depend on their number
    checkpointed: float  # of `clip`


def _clip(quality: Quality, seconds: float, half: bool) -> _Clip:
    one, more = (saved_bytes(quality, seconds, clips, half) for clips in (1, 2))
    clip = more[0] - one[0]
    return _Clip(clip, one[0] - clip, more[1] - one[1])


def main() -> None:
    """Print a row for each quality that was named, or for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("quality", nargs="*", default=list(qualities()))
    patches.install()
    for name in parser.parse_args().quality:
        print(row(qualities()[name]), flush=True)


if __name__ == "__main__":
    main()
