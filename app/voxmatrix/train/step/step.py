"""One step of adversarial training: both networks are trained with the same pass through the discriminators.

Usually the discriminators run four times per step: on recordings and on generated waves, each for the generator's loss
and for their own. Their weights do not change in between, so two runs are enough. The generated wave is detached from
the generator's graph (`leaf`); the generator's loss is propagated to the leaf only, the discriminators' loss to their
weights only, and then the gradient of the leaf into the generator. The gradients are the same
(tests/train/step/test_step.py compares them with the four passes).
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
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.layers.masks import cut
from voxmatrix.vits.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence
from voxmatrix.vits.synthesizer import Synthesizer, TrainingOutput


class Autocast(Protocol):
    """Creates autocast contexts of the chosen precision."""

    def __call__(self) -> AbstractContextManager[Any]:
        """A new autocast context."""


#: Divides a batch into parts that are computed one after the other.
Split = Callable[[Batch], Iterable[Batch]]


def whole_batch(batch: Batch) -> Iterable[Batch]:
    """The whole batch as a single part."""
    return (batch,)


class Shares(NamedTuple):
    """The fractions of all data of a step that are in one part."""

    clips: float | Tensor
    symbols: float | Tensor
    frames: float | Tensor


@dataclass(frozen=True, kw_only=True)
class Networks:
    """The networks of a training, on one device."""

    generator: Synthesizer
    discriminator: MultiPeriodDiscriminator
    spectrum: Spectrum


@dataclass(frozen=True, kw_only=True)
class Optimisers:
    """One optimiser per network, and the loss scaler for half precision, which they share."""

    generator: torch.optim.AdamW
    discriminator: torch.optim.AdamW
    scaler: torch.amp.GradScaler

    def set_rate(self, rate: float) -> None:
        """Set the learning rate of both optimisers."""
        for optimiser in (self.generator, self.discriminator):
            for group in optimiser.param_groups:
                group["lr"] = rate


def make_optimisers(networks: Networks, rate: float, device: torch.device, half: bool) -> Optimisers:
    """New optimisers; the scaler has no effect unless the precision is `half` (fp16)."""
    return Optimisers(
        generator=_adamw(networks.generator, rate),
        discriminator=_adamw(networks.discriminator, rate),
        scaler=torch.amp.GradScaler(device.type, enabled=half),
    )


@dataclass(frozen=True, kw_only=True)
class PartSettings:
    """How the gradients of all parts of a step are computed."""

    networks: Networks
    scaler: torch.amp.GradScaler
    autocast: Autocast
    adversarial: bool  # whether the discriminators are computed
    segment_frames: int


#: Adds the gradients of a part of a batch to those of the weights, and returns its losses: `part_gradients`. Torch is
#: seeded, and draws random numbers as in the whole batch.
PartGradients = Callable[[PartSettings, Batch, Shares], dict[str, Tensor]]


def take_step(
    networks: Networks,
    optimisers: Optimisers,
    batches: Sequence[Batch],
    *,
    seeds: Sequence[int],
    autocast: Autocast,
    clip_norm: float,
) -> Mapping[str, Tensor]:
    """Take a step with `batches` as if they were one batch; losses are returned without waiting for the device."""
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
    adversarial: bool = True,
    split: Split = whole_batch,
    segment_frames: int = SEGMENT_FRAMES,
    compute: PartGradients | None = None,
) -> dict[str, Tensor]:
    """Compute the gradients of both networks, and change nothing else. Losses are means over all batches.

    If a batch is itself a part (several devices share it), losses are its share of those means. `split` divides a batch
    into parts that are computed one after the other; it does not affect losses and gradients. Without `adversarial`,
    the discriminators are not computed: they get no gradients, and their losses are 0. `compute` replaces
    `part_gradients`.
    """
    compute = compute or part_gradients
    part_settings = PartSettings(
        networks=networks, scaler=scaler, autocast=autocast, adversarial=adversarial, segment_frames=segment_frames
    )
    totals: dict[str, Tensor] = {}
    whole = BatchCounts(*map(sum, zip(*(batch.whole_size for batch in batches), strict=True)))
    for batch, seed in zip(batches, seeds, strict=True):
        for part in split(batch):
            torch.manual_seed(seed)
            shares = Shares(*(size / total for size, total in zip(part.size, whole, strict=True)))
            with rng_of(part):
                losses = compute(part_settings, part, shares)
            for name, loss in losses.items():
                totals[name] = totals[name] + loss if name in totals else loss
    return totals


def update(networks: Networks, optimisers: Optimisers, clip_norm: float) -> None:
    """Update the weights of the networks that have gradients, and clear these."""
    pairs: list[tuple[nn.Module, torch.optim.AdamW]] = [
        (networks.discriminator, optimisers.discriminator),
        (networks.generator, optimisers.generator),
    ]
    for network, optimiser in pairs:
        if all(weight.grad is None for weight in network.parameters()):
            continue
        if clip_norm:
            optimisers.scaler.unscale_(optimiser)
            nn.utils.clip_grad_norm_(network.parameters(), clip_norm)
        optimisers.scaler.step(optimiser)
        optimiser.zero_grad()
    optimisers.scaler.update()


def step_seed(seed: int, step: int, batch: int) -> int:
    """The seed for one batch of one step; checkpoints therefore need no state of a random number generator."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{step}/{batch}".encode()).digest()[:7])


def mel_distance(networks: Networks, spec: Tensor, out: TrainingOutput) -> Tensor:
    """Mean absolute difference of the log-mels of generated segments and of the same segments of the recordings."""
    real = cut(networks.spectrum.mel(spec), out.segment_start, out.wave.size(2) // HOP)
    generated = networks.spectrum.mel(networks.spectrum.linear(out.wave.squeeze(1)))  # (b, 1, n) -> (b, 80, f)
    return nn.functional.l1_loss(generated, real)


def part_gradients(settings: PartSettings, batch: Batch, shares: Shares) -> dict[str, Tensor]:
    """Add the gradients of a part of a batch to those of the weights, and return its losses."""
    networks, scaler, segment_frames = settings.networks, settings.scaler, settings.segment_frames
    spec = networks.spectrum.linear(batch.wave)
    with settings.autocast():
        out = networks.generator(
            batch.text, batch.text_lengths, spec, batch.frames, batch.speaker, segment_frames=segment_frames
        )
    wave = out.wave.float()
    leaf = wave.detach().requires_grad_()
    if settings.adversarial:
        real = cut(batch.wave.unsqueeze(1), out.segment_start * HOP, segment_frames * HOP)
        judged = _discriminate(
            networks.discriminator, scaler, real, leaf, share=shares.clips, autocast=settings.autocast
        )
    else:
        leaf.grad = torch.zeros_like(leaf)
        judged = dict.fromkeys(("adversarial", "features", "discriminator"), leaf.new_zeros(()))
    losses = {
        "mel": mel_distance(networks, spec, out) * shares.clips,
        "kl": kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask) * shares.frames,
        "duration": out.duration_loss.float() * shares.symbols,
    }
    loss = MEL_WEIGHT * losses["mel"] + KL_WEIGHT * losses["kl"] + losses["duration"]
    torch.autograd.backward([wave, scaler.scale(loss)], [leaf.grad, None])
    return {name: part.detach() for name, part in {**losses, **judged}.items()}


def _discriminate(
    discriminator: MultiPeriodDiscriminator,
    scaler: torch.amp.GradScaler,
    real: Tensor,
    leaf: Tensor,
    *,
    share: float | Tensor,
    autocast: Autocast,
) -> dict[str, Tensor]:
    """Compute the gradients of the discriminators' weights, and of the generator's adversarial losses in `leaf`.

    Forward and backward run for one discriminator at a time, so that only one keeps its activations.
    """
    losses: dict[str, Tensor] = {}
    for network in discriminator.discriminators:
        for name, loss in _discriminate_one(network, scaler, real, leaf, share=share, autocast=autocast).items():
            losses[name] = losses[name] + loss if name in losses else loss
    return losses


def _discriminate_one(
    network: nn.Module,
    scaler: torch.amp.GradScaler,
    real: Tensor,
    leaf: Tensor,
    *,
    share: float | Tensor,
    autocast: Autocast,
) -> dict[str, Tensor]:
    with parametrize.cached():  # normalised weights are computed once for both calls
        with autocast():
            real_score, real_features = network(real)
            score, features = network(leaf)
        losses = {
            "adversarial": generator_adversarial([score]) * share,
            "features": feature_matching([real_features], [features]) * share,
            "discriminator": discriminator_adversarial([real_score], [score]) * share,
        }
        generator_loss = scaler.scale(losses["adversarial"] + losses["features"])
        torch.autograd.backward(generator_loss, inputs=[leaf], retain_graph=True)
        torch.autograd.backward(scaler.scale(losses["discriminator"]), inputs=list(network.parameters()))
    return {name: loss.detach() for name, loss in losses.items()}


def _adamw(network: nn.Module, rate: float) -> torch.optim.AdamW:
    """AdamW in one kernel per step, which every torch since 2.4 has on CPU and CUDA, the devices that train."""
    return torch.optim.AdamW(network.parameters(), rate, betas=BETAS, eps=EPSILON, fused=True)
