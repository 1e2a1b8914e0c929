"""One step: the same gradients as the plain way, with half the passes through the discriminators."""

import warnings
import weakref
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from tests.train.synthetic import MINI, RATE_HZ
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.tables.quality import HOP, SEGMENT_SAMPLES
from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate
from voxmatrix.train.step.step import (
    KL_WEIGHT,
    MEL_WEIGHT,
    Networks,
    Optimisers,
    Split,
    gradients,
    make_optimisers,
    mel_distance,
    step_seed,
    take_step,
    update,
    whole_batch,
)
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.layers.masks import cut
from voxmatrix.vits.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence
from voxmatrix.vits.synthesizer import Synthesizer

CPU = torch.device("cpu")


@pytest.fixture
def networks() -> Networks:
    torch.manual_seed(3)
    return Networks(
        generator=Synthesizer(MINI, 256, 1),
        discriminator=MultiPeriodDiscriminator(MINI.discriminator_divisor),
        spectrum=Spectrum(RATE_HZ),
    )


@pytest.fixture
def batch(prepared: PreparedSet) -> Batch:
    dataset = ClipDataset(prepared.clips)
    return Collate(())([dataset[number] for number in (0, 4, 9)])


def unscaled() -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", enabled=False)


def collected(network: nn.Module) -> dict[str, Tensor]:
    return {name: weight.grad.clone() for name, weight in network.named_parameters() if weight.grad is not None}


def assert_same(ours: dict[str, Tensor], theirs: dict[str, Tensor], within: float = 1e-5) -> None:
    """Within a fraction of the largest gradient of each weight."""
    assert ours.keys() == theirs.keys()
    for name, gradient in theirs.items():
        scale = float(gradient.abs().max()) + 1e-3
        assert float((ours[name] - gradient).abs().max()) <= within * scale, name


def four_passes(networks: Networks, batch: Batch, seed: int) -> None:
    """The plain way: everything computed anew for each of the two losses."""
    torch.manual_seed(seed)
    spec = networks.spectrum.linear(batch.wave)
    out = networks.generator(batch.text, batch.text_lengths, spec, batch.frames, batch.speaker)
    real = cut(batch.wave.unsqueeze(1), out.segment_start * HOP, SEGMENT_SAMPLES)
    _, real_features = networks.discriminator(real)
    scores, features = networks.discriminator(out.wave)
    loss = (
        generator_adversarial(scores)
        + feature_matching(real_features, features)
        + MEL_WEIGHT * mel_distance(networks, spec, out)
        + KL_WEIGHT * kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask)
        + out.duration_loss
    )
    loss.backward()
    networks.discriminator.zero_grad()
    real_scores, _ = networks.discriminator(real)
    scores, _ = networks.discriminator(out.wave.detach())
    discriminator_adversarial(real_scores, scores).backward()


def test_once_through_the_discriminators_gives_the_gradients_of_four_passes(networks: Networks, batch: Batch) -> None:
    four_passes(networks, batch, seed=5)
    plain = collected(networks.generator), collected(networks.discriminator)
    networks.generator.zero_grad()
    networks.discriminator.zero_grad()

    losses = gradients(networks, unscaled(), [batch], seeds=[5], autocast=nullcontext)

    assert_same(collected(networks.generator), plain[0])
    assert_same(collected(networks.discriminator), plain[1])
    assert set(losses) == set(LOSSES)
    assert not any(loss.requires_grad for loss in losses.values())


def test_without_discriminators_the_generator_learns_from_the_other_losses_alone(
    networks: Networks, batch: Batch
) -> None:
    torch.manual_seed(5)
    spec = networks.spectrum.linear(batch.wave)
    out = networks.generator(batch.text, batch.text_lengths, spec, batch.frames, batch.speaker)
    loss = (
        MEL_WEIGHT * mel_distance(networks, spec, out)
        + KL_WEIGHT * kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask)
        + out.duration_loss
    )
    loss.backward()
    plain = collected(networks.generator)
    networks.generator.zero_grad()

    def never(*_: object) -> None:
        raise AssertionError("a discriminator was run")

    for network in networks.discriminator.discriminators:
        network.register_forward_pre_hook(never)
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0)  # as in fp16: it refuses an optimiser without gradients
    losses = gradients(networks, scaler, [batch], seeds=[5], autocast=nullcontext, adversarial=False)

    assert_same(collected(networks.generator), plain)
    assert collected(networks.discriminator) == {}
    assert set(losses) == set(LOSSES)
    assert [float(losses[name]) for name in ("adversarial", "features", "discriminator")] == [0, 0, 0]

    before = {name: weight.clone() for name, weight in networks.discriminator.named_parameters()}
    first = next(iter(networks.generator.parameters())).clone()
    optimisers = make_optimisers(networks, 1e-3, CPU, half=False)
    update(networks, replace(optimisers, scaler=scaler), clip_norm=1.0)
    assert all(torch.equal(weight, before[name]) for name, weight in networks.discriminator.named_parameters())
    assert not torch.equal(next(iter(networks.generator.parameters())), first)


def test_each_discriminator_is_run_once_on_recordings_and_once_on_generated_waves(
    networks: Networks, batch: Batch
) -> None:
    calls: list[tuple[int, torch.Size]] = []
    judges = list(networks.discriminator.discriminators)
    for assess in judges:
        assess.register_forward_hook(lambda module, inputs, _out: calls.append((judges.index(module), inputs[0].shape)))
    gradients(networks, unscaled(), [batch], seeds=[5], autocast=nullcontext)
    assert calls == [(place, torch.Size((3, 1, SEGMENT_SAMPLES))) for place in range(len(judges)) for _ in range(2)]


def test_no_discriminator_keeps_what_it_computed_while_the_next_one_works(networks: Networks, batch: Batch) -> None:
    kept: list[weakref.ref[Tensor]] = []
    alive: list[int] = []
    judges = list(networks.discriminator.discriminators)
    for assess in judges:
        assess.register_forward_pre_hook(
            lambda _module, _inputs: alive.append(sum(each() is not None for each in kept))
        )
        assess.register_forward_hook(lambda _module, _inputs, out: kept.append(weakref.ref(out[1][-2])))
    gradients(networks, unscaled(), [batch], seeds=[5], autocast=nullcontext)
    assert alive == [0, 1] * len(judges)  # the generated wave comes while the recording's features are needed


@pytest.fixture
def without_chance(networks: Networks, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No dropout, no noise, the first segment: then two half batches can be compared with the whole one."""
    for name in ("rand", "randn"):
        monkeypatch.setattr(torch, name, torch.zeros)
    monkeypatch.setattr(torch, "randn_like", torch.zeros_like)
    networks.generator.eval()
    return


@pytest.mark.usefixtures("without_chance")
def test_accumulating_unequal_batches_equals_one_large_batch(networks: Networks, prepared: PreparedSet) -> None:
    dataset = ClipDataset(prepared.clips)
    wave = dataset[9][1][: 60 * HOP]
    items = [(prepared.clips[number], wave[: (60 - number % 2) * HOP]) for number in range(5)]
    # The longest clip of a batch is reflected at its end and a shorter one padded: one of the longest in each.
    collate = Collate(())
    whole, parts = collate(items), [collate(items[:3]), collate(items[3:])]
    expected_losses = gradients(networks, unscaled(), [whole], seeds=[1], autocast=nullcontext)
    expected = collected(networks.generator), collected(networks.discriminator)
    networks.generator.zero_grad()
    networks.discriminator.zero_grad()

    losses = gradients(networks, unscaled(), parts, seeds=[1, 2], autocast=nullcontext)

    assert_same(collected(networks.generator), expected[0], within=1e-4)
    assert_same(collected(networks.discriminator), expected[1], within=1e-4)
    for name, loss in expected_losses.items():
        torch.testing.assert_close(losses[name], loss, rtol=1e-4, atol=1e-5)


def weights(networks: Networks) -> list[Tensor]:
    return [
        weight.detach().clone()
        for network in (networks.generator, networks.discriminator)
        for weight in network.parameters()
    ]


def optimisers(networks: Networks, half: bool = False) -> Optimisers:
    return make_optimisers(networks, 2e-4, CPU, half)


def test_a_step_changes_both_networks_and_leaves_no_gradients(networks: Networks, batch: Batch) -> None:
    before = weights(networks)
    take_step(networks, optimisers(networks), [batch], seeds=[1], autocast=nullcontext, clip_norm=1000.0)
    changed = [not torch.equal(old, new) for old, new in zip(before, weights(networks), strict=True)]
    assert sum(changed) > 0.8 * len(changed)  # some layers begin at zero, and those behind them get no gradient yet
    assert not collected(networks.generator)
    assert not collected(networks.discriminator)


def test_the_same_seed_gives_the_same_step_and_another_one_another(batch: Batch) -> None:
    ends = []
    for seed in (1, 1, 2):
        torch.manual_seed(0)
        networks = Networks(
            generator=Synthesizer(MINI, 256, 1),
            discriminator=MultiPeriodDiscriminator(MINI.discriminator_divisor),
            spectrum=Spectrum(RATE_HZ),
        )
        take_step(networks, optimisers(networks), [batch], seeds=[seed], autocast=nullcontext, clip_norm=1000.0)
        ends.append(torch.cat([weight.flatten() for weight in weights(networks)]))
    assert torch.equal(ends[0], ends[1])
    assert not torch.equal(ends[0], ends[2])


def test_clipping_bounds_the_norm_of_what_the_optimiser_sees(
    networks: Networks, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []
    both = optimisers(networks)
    for optimiser in (both.generator, both.discriminator):
        gradients_of = [weight for group in optimiser.param_groups for weight in group["params"]]
        monkeypatch.setattr(
            optimiser,
            "step",
            lambda *_, weights=gradients_of: seen.append(
                float(torch.stack([weight.grad.norm() for weight in weights if weight.grad is not None]).norm())
            ),
        )
    take_step(networks, both, [batch], seeds=[1], autocast=nullcontext, clip_norm=0.5)
    assert seen == pytest.approx([0.5, 0.5], rel=1e-3)


def test_half_precision_scales_both_losses_and_skips_a_step_with_infinite_gradients(
    networks: Networks, batch: Batch
) -> None:
    both = optimisers(networks, half=True)
    before = weights(networks)
    first_scale = both.scaler.get_scale()
    gradients(networks, both.scaler, [batch], seeds=[1], autocast=nullcontext)
    plain = {name: gradient / first_scale for name, gradient in collected(networks.generator).items()}
    networks.generator.zero_grad()
    networks.discriminator.zero_grad()
    gradients(networks, unscaled(), [batch], seeds=[1], autocast=nullcontext)
    assert_same(plain, collected(networks.generator))
    networks.generator.zero_grad()
    networks.discriminator.zero_grad()

    both.scaler.update(3e38)
    take_step(networks, both, [batch], seeds=[1], autocast=nullcontext, clip_norm=1000.0)

    assert all(torch.equal(old, new) for old, new in zip(before, weights(networks), strict=True))
    assert both.scaler.get_scale() < 3e38


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_mixed_precision_gives_finite_losses_near_those_of_float32(
    networks: Networks, batch: Batch, dtype: torch.dtype
) -> None:
    full = gradients(networks, unscaled(), [batch], seeds=[1], autocast=nullcontext)
    mixed = gradients(networks, unscaled(), [batch], seeds=[1], autocast=lambda: torch.autocast("cpu", dtype=dtype))
    for name in ("mel", "kl", "discriminator"):
        assert float(mixed[name]) == pytest.approx(float(full[name]), rel=0.1), name


def test_every_batch_of_every_step_has_a_seed_of_its_own() -> None:
    seeds = {step_seed(seed, step, number) for seed in range(3) for step in range(50) for number in range(4)}
    assert len(seeds) == 3 * 50 * 4
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_the_learning_rate_is_set_in_both_networks(networks: Networks) -> None:
    both = optimisers(networks)
    both.set_rate(1e-3)
    assert {group["lr"] for optimiser in (both.generator, both.discriminator) for group in optimiser.param_groups} == {
        1e-3
    }


@pytest.mark.gpu
@pytest.mark.parametrize("half", [False, True])
def test_a_step_on_a_gpu_never_waits_for_it(networks: Networks, batch: Batch, half: bool) -> None:
    gpu = torch.device("cuda:0")
    for network in (networks.generator, networks.discriminator, networks.spectrum):
        network.to(gpu)
    both = make_optimisers(networks, 2e-4, gpu, half)
    there = batch.to(gpu)

    def step() -> None:
        autocast = nullcontext if not half else lambda: torch.autocast("cuda", dtype=torch.float16)
        take_step(networks, both, [there], seeds=[1], autocast=autocast, clip_norm=1000.0)

    step()  # allocates, and chooses algorithms
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says that the mode is a prototype
            torch.cuda.set_sync_debug_mode("error")
        step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("cuts", [(0, 1, 3), (0, 1, 2, 3)])
def test_a_batch_in_parts_gives_the_losses_and_gradients_of_the_whole(
    networks: Networks, batch: Batch, cuts: tuple[int, ...]
) -> None:
    def in_parts(batch: Batch) -> list[Batch]:
        return [batch.part(*ends) for ends in pairwise(cuts)]

    def learned(split: Split) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        networks.generator.zero_grad()
        networks.discriminator.zero_grad()
        # With seed 7, rounding moves a sample across the kink of a leaky ReLU on CPUs without AVX-512.
        losses = gradients(networks, unscaled(), [batch], seeds=[2], autocast=nullcontext, split=split)
        return losses, {**collected(networks.generator), **collected(networks.discriminator)}

    whole_losses, whole = learned(whole_batch)
    losses, parts = learned(in_parts)
    assert_same(parts, whole, 1e-4)
    assert all(float(losses[name]) == pytest.approx(float(whole_losses[name]), rel=1e-5) for name in LOSSES)


def test_parts_on_several_devices_add_up_to_the_whole(networks: Networks, batch: Batch) -> None:
    whole = gradients(networks, unscaled(), [batch], seeds=[7], autocast=nullcontext)
    shares = [
        gradients(networks, unscaled(), [batch.part(*rows)], seeds=[7], autocast=nullcontext)
        for rows in ((0, 2), (2, 3))
    ]
    for name in LOSSES:
        assert float(sum(share[name] for share in shares)) == pytest.approx(float(whole[name]), rel=1e-5)


def test_a_shorter_segment_is_learned_from_as_well(networks: Networks, batch: Batch) -> None:
    losses = gradients(networks, unscaled(), [batch], seeds=[7], autocast=nullcontext, segment_frames=16)
    assert all(torch.isfinite(loss) for loss in losses.values())
