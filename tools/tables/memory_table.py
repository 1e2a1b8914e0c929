"""Estimate the memory of a training step without a GPU and without using that memory, with fake tensors.

    python -m tools.tables.memory_table [QUALITY ...]    print the rows of app/voxmatrix/tables/memory.toml

Per quality: the number of parameters (16 bytes each: weight, gradient and the two moments of AdamW); the peak memory
that each additional clip takes, at two lengths, to separate the part that grows with the clip from the constant part
(decoder and discriminators see 32 frames); what autograd saves regardless of the number of clips; and the fraction of a
clip's memory that remains with gradient checkpointing. `train --tune` measures real memory; this only counts.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily

from tools.tables.live_memory import LiveMemory
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import HOP, Quality, qualities
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import Networks, gradients
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.layers.gradient_checkpointing import set_gradient_checkpointing
from voxmatrix.vits.synthesizer import Synthesizer
from voxmatrix_entrypoint import patches

MIB = 1024 * 1024
LENGTHS_SECONDS = (4.0, 8.0)
#: Batch sizes whose difference gives the memory of a clip. In smaller ones, weight gradients alone may be the peak.
CLIPS = (4, 8)
#: Phoneme rate of fast speech, including the blanks that Piper puts between phonemes.
SYMBOLS_A_SECOND = 30


def make_step(quality: Quality, seconds: float, clips: int, *, half: bool, checkpointing: bool) -> Callable[[], None]:
    """A step over `clips` clips of `seconds` each, in fp32 or bf16 (`half`)."""
    torch.manual_seed(0)
    networks = Networks(
        generator=Synthesizer(quality, 256),
        discriminator=MultiPeriodDiscriminator(quality.discriminator_divisor),
        spectrum=_spectrum(quality.rate_hz),
    )
    set_gradient_checkpointing([networks.generator, networks.discriminator], checkpointing)
    batch = _batch(quality, seconds, clips)
    autocast = partial(torch.autocast, "cpu", torch.bfloat16) if half else nullcontext
    scaler = torch.amp.GradScaler("cpu", enabled=False)

    def step() -> None:
        gradients(networks, scaler, [batch], seeds=[0], autocast=autocast)

    return step


def saved_bytes(quality: Quality, seconds: float, clips: int, *, half: bool) -> int:
    """The bytes that autograd saves for the backward pass of such a step."""
    live = LiveMemory()
    hooks = torch.autograd.graph.saved_tensors_hooks(live.note_saved, lambda tensor: tensor)
    with _without_numbers():
        _watched_step(quality, seconds, clips, half=half, checkpointing=False, watched=[live, hooks])
    return live.saved


def peak_bytes(
    quality: Quality, seconds: float, clips: int, *, half: bool, checkpointing: bool, without_numbers: bool = True
) -> int:
    """The peak memory of such a step: saved tensors, gradients and temporaries, without weights and optimisers."""
    live = LiveMemory()
    with _without_numbers() if without_numbers else nullcontext():
        _watched_step(quality, seconds, clips, half=half, checkpointing=checkpointing, watched=[live])
    return live.peak


def row(quality: Quality) -> str:
    """One row of the table, as TOML."""
    networks = (Synthesizer(quality, 256), MultiPeriodDiscriminator(quality.discriminator_divisor))
    parameters = sum(weight.numel() for network in networks for weight in network.parameters())
    lines = [f"[quality.{quality.name}]", f"parameters = {parameters}"]
    once, shares = [], []
    for name, half in (("32", False), ("16", True)):
        plain, checkpointed = (
            [_line(partial(peak_bytes, checkpointing=on), quality, seconds, half=half) for seconds in LENGTHS_SECONDS]
            for on in (False, True)
        )
        second = (plain[1].clip - plain[0].clip) / (LENGTHS_SECONDS[1] - LENGTHS_SECONDS[0])
        # Attention grows with the square of the length: a small decoder would seem to take less than nothing.
        second = min(second, plain[1].clip / LENGTHS_SECONDS[1])
        lines.append(f"segment_mib_{name} = {max(0.1, (plain[1].clip - LENGTHS_SECONDS[1] * second) / MIB):.1f}")
        lines.append(f"second_mib_{name} = {second / MIB:.1f}")
        shares += [less.clip / more.clip for less, more in zip(checkpointed, plain, strict=True)]
        once.append(_line(saved_bytes, quality, LENGTHS_SECONDS[0], half=half).once / MIB)
    # The maximum over precisions and lengths: the plan must not choose a batch that does not fit.
    return "\n".join([*lines, f"once_mib = {max(once):.0f}", f"checkpointed = {max(shares):.2f}"])


class _Line(NamedTuple):
    clip: float  # bytes per clip
    once: float  # bytes independent of the number of clips


def _line(count: Callable[..., int], quality: Quality, seconds: float, *, half: bool) -> _Line:
    few, many = (count(quality, seconds, clips, half=half) for clips in CLIPS)
    clip = (many - few) / (CLIPS[1] - CLIPS[0])
    return _Line(clip, few - CLIPS[0] * clip)


def _watched_step(
    quality: Quality,
    seconds: float,
    clips: int,
    *,
    half: bool,
    checkpointing: bool,
    watched: list[AbstractContextManager[Any]],
) -> None:
    step = make_step(quality, seconds, clips, half=half, checkpointing=checkpointing)
    with ExitStack() as stack:
        for module in ("discriminator", "layers.wavenet"):  # as on a GPU, where there is least memory
            stack.enter_context(patch(f"voxmatrix.vits.{module}.suits_rows", lambda x: False))
        for context in watched:
            stack.enter_context(context)
        step()


@contextmanager
def _without_numbers() -> Iterator[None]:
    """Use fake tensors. The alignment runs outside torch and cannot handle them; any path has the same memory."""

    def path(scores: Tensor, mask: Tensor) -> Tensor:
        return torch.zeros_like(scores)

    with FakeTensorMode(allow_non_fake_inputs=True), patch("voxmatrix.vits.synthesizer.best_path", path):
        yield


def _spectrum(rate_hz: int) -> Spectrum:
    with unset_fake_temporarily():  # computing its filters needs real values
        return Spectrum(rate_hz)


def _batch(quality: Quality, seconds: float, clips: int) -> Batch:
    samples = int(seconds * quality.rate_hz) // HOP * HOP
    symbols = int(seconds * SYMBOLS_A_SECOND)
    return Batch(
        text=torch.randint(1, 100, (clips, symbols)),
        text_lengths=torch.full((clips,), symbols),
        wave=torch.randn(clips, samples) * 0.1,
        frames=torch.full((clips,), samples // HOP),
        speaker=None,
        symbols_each=(symbols,) * clips,
        frames_each=(samples // HOP,) * clips,
    )


def main() -> None:
    """Print the row of each given quality (default: all)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quality", nargs="*", default=list(qualities()))
    patches.install()
    for name in parser.parse_args().quality:
        print(row(qualities()[name]), flush=True)


if __name__ == "__main__":
    main()
