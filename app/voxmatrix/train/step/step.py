"""One step of the adversarial training: both networks learn from the same pass through the discriminators.

The usual order runs the discriminators four times a step: on recordings and on generated waves, once for the
generator's loss and once for their own. Their weights rest in between, so twice is enough: the generated wave is
cut out of the generator's graph (`leaf`), the generator's loss sends its gradient to the leaf only, the
discriminators' loss to their weights only, and then the leaf's gradient goes on into the generator. The gradients
are the same (tests/train/step/test_step.py compares them with the four passes).
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import HOP, SEGMENT_FRAMES
from voxmatrix.train.config import BETAS, EPSILON, KL_WEIGHT, MEL_WEIGHT
from voxmatrix.train.data.batches import Batch, BatchCounts
from voxmatrix.train.step.rng import rng_of
from voxmatrix.voice.discriminator import MultiPeriodDiscriminator
from voxmatrix.voice.layers.masks import cut
from voxmatrix.voice.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence
from voxmatrix.voice.synthesizer import Synthesizer, TrainingOutput

#: Parts of the losses, in the order of the columns of metrics.csv.
LOSSES = ("mel", "kl", "duration", "adversarial", "features", "discriminator")


class Autocast(Protocol):
    """Gives the context of the chosen precision."""

    def __call__(self) -> AbstractContextManager[Any]:
        """A fresh context."""


#: The parts in which a batch is computed, each when the one before is done.
Split = Callable[[Batch], Iterable[Batch]]


def whole_batch(batch: Batch) -> Iterable[Batch]:
    """All of it at once."""
    return (batch,)


class Shares(NamedTuple):
    """How much of all that a step learns from is in one part of it."""

    clips: float
    symbols: float
    frames: float


@dataclass(frozen=True, kw_only=True)
class Networks:
    """What is trained, on one device."""

    generator: Synthesizer
    discriminator: MultiPeriodDiscriminator
    spectrum: Spectrum


@dataclass(frozen=True, kw_only=True)
class Optimisers:
    """One for each network, and the scaler of half precision, which both share."""

    generator: torch.optim.AdamW
    discriminator: torch.optim.AdamW
    scaler: torch.amp.GradScaler

    def set_rate(self, rate: float) -> None:
        """The learning rate of both."""
        for optimiser in (self.generator, self.discriminator):
            for group in optimiser.param_groups:
                group["lr"] = rate


def make_optimisers(networks: Networks, rate: float, device: torch.device, half: bool) -> Optimisers:
    """Fresh optimisers; the scaler does nothing unless the precision is `half` (fp16)."""
    return Optimisers(
        generator=_adamw(networks.generator, rate),
        discriminator=_adamw(networks.discriminator, rate),
        scaler=torch.amp.GradScaler(device.type, enabled=half),
    )


def take_step(
    networks: Networks,
    optimisers: Optimisers,
    batches: Sequence[Batch],
    *,
    seeds: Sequence[int],
    autocast: Autocast,
    clip_norm: float,
) -> Mapping[str, Tensor]:
    """Learn from `batches` as if they were one, and return the losses without waiting for the device."""
    losses = gradients(networks, optimisers.scaler, batches, seeds=seeds, autocast=autocast)
    update(networks, optimisers, clip_norm)
    return losses


def gradients(
    networks: Networks,
    scaler: torch.amp.GradScaler,
    batches: Sequence[Batch],
    *,
    seeds: Sequence[int],
    autocast: Autocast,
    split: Split = whole_batch,
    segment_frames: int = SEGMENT_FRAMES,
) -> dict[str, Tensor]:
    """Fill the gradients of both networks; nothing else changes. Losses are means over all batches together.

    Where a batch is a part of one (several devices share it), they are this part's share of those means. `split` says
    in which parts a batch is computed, one after the other; losses and gradients do not depend on it.
    """
    totals: dict[str, Tensor] = {}
    whole = BatchCounts(*map(sum, zip(*(batch.of for batch in batches), strict=True)))
    for batch, seed in zip(batches, seeds, strict=True):
        for part in split(batch):
            torch.manual_seed(seed)
            shares = Shares(*(own / all_of_it for own, all_of_it in zip(part.size, whole, strict=True)))
            with rng_of(part):
                losses = _part_gradients(
                    networks, scaler, part, shares, autocast=autocast, segment_frames=segment_frames
                )
            for name, loss in losses.items():
                totals[name] = totals[name] + loss if name in totals else loss
    return totals


def update(networks: Networks, optimisers: Optimisers, clip_norm: float) -> None:
    """Change the weights of both networks by their gradients, and drop the gradients."""
    pairs: list[tuple[nn.Module, torch.optim.AdamW]] = [
        (networks.discriminator, optimisers.discriminator),
        (networks.generator, optimisers.generator),
    ]
    for network, optimiser in pairs:
        if clip_norm:
            optimisers.scaler.unscale_(optimiser)
            nn.utils.clip_grad_norm_(network.parameters(), clip_norm)
        optimisers.scaler.step(optimiser)
        optimiser.zero_grad()
    optimisers.scaler.update()


def step_seed(seed: int, step: int, batch: int) -> int:
    """The seed of everything random in one batch of one step: no state of a generator has to be saved."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{step}/{batch}".encode()).digest()[:7])


def mel_distance(networks: Networks, batch: Batch, spec: Tensor, out: TrainingOutput) -> Tensor:
    """Mean distance between the log-mels of the generated segments and of the recordings' same segments."""
    real = cut(networks.spectrum.mel(spec), out.segment_start, out.wave.size(2) // HOP)
    generated = networks.spectrum.mel(networks.spectrum.linear(out.wave.squeeze(1)))  # (b, 1, n) -> (b, 80, f)
    return nn.functional.l1_loss(generated, real)


def _part_gradients(
    networks: Networks,
    scaler: torch.amp.GradScaler,
    batch: Batch,
    shares: Shares,
    *,
    autocast: Autocast,
    segment_frames: int,
) -> dict[str, Tensor]:
    spec = networks.spectrum.linear(batch.wave)
    with autocast():
        out = networks.generator(
            batch.text, batch.text_lengths, spec, batch.frames, batch.speaker, segment_frames=segment_frames
        )
    real = cut(batch.wave.unsqueeze(1), out.segment_start * HOP, segment_frames * HOP)
    wave = out.wave.float()
    leaf = wave.detach().requires_grad_()

    adversarial = _discriminate(networks.discriminator, scaler, real, leaf, share=shares.clips, autocast=autocast)
    own = {
        "mel": mel_distance(networks, batch, spec, out) * shares.clips,
        "kl": kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask) * shares.frames,
        "duration": out.duration_loss.float() * shares.symbols,
    }
    loss = MEL_WEIGHT * own["mel"] + KL_WEIGHT * own["kl"] + own["duration"]
    torch.autograd.backward([wave, scaler.scale(loss)], [leaf.grad, None])
    return {name: part.detach() for name, part in {**own, **adversarial}.items()}


def _discriminate(
    discriminator: MultiPeriodDiscriminator,
    scaler: torch.amp.GradScaler,
    real: Tensor,
    leaf: Tensor,
    *,
    share: float,
    autocast: Autocast,
) -> dict[str, Tensor]:
    """Gradients of the discriminators' weights, and in `leaf` what the generator learns from them.

    One discriminator after the other, forward and backward: only one keeps what it computed at a time.
    """
    losses: dict[str, Tensor] = {}
    for assess in discriminator.discriminators:
        for name, loss in _judged(assess, scaler, real, leaf, share=share, autocast=autocast).items():
            losses[name] = losses[name] + loss if name in losses else loss
    return losses


def _judged(
    assess: nn.Module, scaler: torch.amp.GradScaler, real: Tensor, leaf: Tensor, *, share: float, autocast: Autocast
) -> dict[str, Tensor]:
    with parametrize.cached():  # a normalised weight is computed once for both calls
        with autocast():
            real_score, real_features = assess(real)
            score, features = assess(leaf)
        losses = {
            "adversarial": generator_adversarial([score]) * share,
            "features": feature_matching([real_features], [features]) * share,
            "discriminator": discriminator_adversarial([real_score], [score]) * share,
        }
        fooling = scaler.scale(losses["adversarial"] + losses["features"])
        torch.autograd.backward(fooling, inputs=[leaf], retain_graph=True)
        torch.autograd.backward(scaler.scale(losses["discriminator"]), inputs=list(assess.parameters()))
    return {name: loss.detach() for name, loss in losses.items()}


def _adamw(network: nn.Module, rate: float) -> torch.optim.AdamW:
    """Fused where this torch has it for the device (CPU and CUDA do), else one kernel a parameter."""
    parameters = list(network.parameters())
    try:
        return torch.optim.AdamW(parameters, rate, betas=BETAS, eps=EPSILON, fused=True)
    except RuntimeError:
        return torch.optim.AdamW(parameters, rate, betas=BETAS, eps=EPSILON)
