"""A training that was interrupted ends with the same weights, and it ends when it was told to."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.batches import Sampler
from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.distil.decoder.network import FastDecoder, copy_weights
from voxmatrix.distil.decoder.training import DecoderTrainer
from voxmatrix.distil.trainer import GOOD_STEPS, Limits, TrainerState, train
from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.tables.quality import HOP


def utterances(frames: int = 120, count: int = 6, speaker: int = 0) -> list[CorpusSentence]:
    random = np.random.default_rng(0)
    return [
        CorpusSentence(
            latent=random.normal(size=(64, frames)).astype(np.float16),
            samples=random.integers(-9000, 9000, frames * HOP).astype(np.int16),
            speaker=np.zeros(speaker, np.float16),
        )
        for _ in range(count)
    ]


@pytest.fixture
def training(make_onnx: MakeCheckpoint) -> DecoderTrainer:
    return new(make_onnx)


def new(make_onnx: MakeCheckpoint, *, bf16: bool = False) -> DecoderTrainer:
    weights = read_graph(make_onnx("tiny", 1, "text")).weights
    torch.manual_seed(0)
    torch.set_num_threads(1)
    student = FastDecoder(weights)
    copy_weights(student, weights)
    material = utterances()
    device = torch.device("cpu")
    return DecoderTrainer(
        student, train=material[:-1], validation=material[-1:], rate_hz=16000, device=device, bf16=bf16
    )


def test_a_restored_training_ends_the_same(make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    straight, first = new(make_onnx), new(make_onnx)
    train(straight, Limits(steps=4), tmp_path / "straight.ckpt", lambda position, loss: None)
    for _ in range(2):
        first.position.decide(Limits(steps=4))
        first.step()
    torch.save(first.state(), tmp_path / "state.ckpt")

    second = new(make_onnx)
    second.restore(torch.load(tmp_path / "state.ckpt", weights_only=True))
    train(second, Limits(steps=4), tmp_path / "state.ckpt", lambda position, loss: None)

    assert second.position.step == 4
    for name, value in straight.ema_weights.items():
        assert torch.equal(value, second.ema_weights[name]), name


def test_bf16_learns_the_same_but_for_rounding(make_onnx: MakeCheckpoint) -> None:
    exact, rounded = new(make_onnx), new(make_onnx, bf16=True)
    for training in (exact, rounded):
        training.position.decide(Limits(steps=3))

    losses = [(float(exact.step()), float(rounded.step())) for _ in range(3)]

    assert all(ours != theirs and ours == pytest.approx(theirs, rel=0.01) for ours, theirs in losses)
    assert all(value.dtype == torch.float32 for value in rounded.student.parameters())


def test_what_is_learned_is_kept_on_a_full_disk(training: DecoderTrainer) -> None:
    Path("/dev/full").exists() or pytest.skip("no /dev/full")
    with pytest.raises((UnreachableError, OSError)):
        train(training, Limits(steps=1), Path("/dev/full/state.ckpt"), lambda position, loss: None)


def test_evaluating_changes_nothing(training: DecoderTrainer) -> None:
    training.step()
    before = {name: value.clone() for name, value in training.student.state_dict().items()}

    distance, f0_accuracy = training.evaluate()

    assert math.isfinite(distance) and distance > 0 and 0 <= f0_accuracy <= 1
    assert all(torch.equal(value, before[name]) for name, value in training.student.state_dict().items())


def test_the_state_of_another_network_is_refused(training: DecoderTrainer) -> None:
    with pytest.raises((KeyError, ValueError, RuntimeError)):
        training.restore({"format": 2, "student": {}, "averaged": {}, "optimizer": {}, "position": {}})
    with pytest.raises(ValueError, match="format"):
        training.restore({**training.state(), "format": 99})


def test_a_checkpoint_of_an_earlier_version_is_continued(training: DecoderTrainer) -> None:
    state = training.state()
    former = {"decay_start": "falls_from", "f0_accuracy": "in_tune"}
    state["position"] = {
        former.get(name, name): value for name, value in {**state["position"], "decay_start": 7}.items()
    }
    training.restore(state)
    assert training.position.decay_start == 7


def test_losses_that_are_not_finite_end_it(training: DecoderTrainer, tmp_path: Path) -> None:
    with torch.no_grad():
        next(training.student.parameters()).fill_(float("nan"))
    with pytest.raises(BadInputError, match="not finite"):
        train(training, Limits(steps=3), tmp_path / "state.ckpt", lambda position, loss: None)


def test_steps_end_after_so_many_with_a_falling_rate() -> None:
    position = TrainerState()
    position.decide(Limits(steps=1000))
    rates = []
    while not position.finished():
        rates.append(position.rate())
        position.step += 1
    assert len(rates) == 1000
    assert rates[0] < rates[99] == rates[499] == 1.0
    assert rates[500:] == sorted(rates[500:], reverse=True) and rates[-1] < 0.01


def test_minutes_end_it_and_the_rate_falls_in_the_last_ones() -> None:
    position, limits = TrainerState(), Limits(minutes=10)
    for position.step in range(1, 301):
        position.seconds = float(position.step)
        position.decide(limits)
    assert (position.decay_start, position.ends_at) == (300, 600)


def evaluated(position: TrainerState, limits: Limits, mels: Sequence[float]) -> TrainerState:
    """The position after evaluations with these distances."""
    for mel_distance in mels:
        position.step += limits.evaluate_every
        position.evaluated(mel_distance, 1.0)
        position.decide(limits)
    return position


def test_with_nothing_said_it_ends_when_the_curve_is_flat() -> None:
    position = evaluated(TrainerState(), Limits(), [0.5, 0.4, 0.35, 0.33, 0.32, 0.319, 0.318, 0.3181])
    assert not position.is_flat() and not position.decay_start
    evaluated(position, Limits(), [0.319])
    assert position.is_flat() and position.best_step == 6250
    assert (position.decay_start, position.ends_at) == (11250, 22500)


def test_the_curve_of_a_person_is_flat_after_as_many_evaluations_as_others() -> None:
    person = Limits(good=0.3, evaluate_every=250)
    position = evaluated(TrainerState(), person, [0.445, 0.404, 0.384, 0.383, 0.382, 0.383])
    assert not position.is_flat() and not position.decay_start
    evaluated(position, person, [0.381])
    assert position.is_flat() and (position.decay_start, position.ends_at) == (1750, 3500)


def test_what_is_to_be_good_falls_as_soon_as_it_is_and_after_half_of_its_minutes_at_the_latest() -> None:
    good = Limits(good=0.4, evaluate_every=250)
    position = evaluated(TrainerState(), good, [0.5, 0.41])
    assert not position.decay_start and position.expected_steps(good) == GOOD_STEPS[1]
    evaluated(position, good, [0.39])
    assert (position.decay_start, position.ends_at) == (750, 1500)

    position = evaluated(TrainerState(seconds=300.0), replace(good, minutes=10), [0.5])
    assert (position.decay_start, position.ends_at) == (250, 500)
    assert not evaluated(TrainerState(), Limits(minutes=10), [0.1] * 9).decay_start  # no more and no less was asked for


def test_who_learns_on_is_not_good_enough() -> None:
    good = Limits(good=0.4, evaluate_every=250)
    position = evaluated(TrainerState(), good, [0.3])
    position.go_on()
    evaluated(position, good, [0.3] * 4)
    assert not position.decay_start
    assert evaluated(position, good, [0.3]).decay_start == 250 + 5 * 250


def test_it_can_learn_on_after_its_end() -> None:
    position = TrainerState()
    position.decide(Limits(steps=10))
    position.step = 10
    assert position.finished()
    position.go_on()
    position.decide(Limits(steps=10))
    assert not position.finished() and position.ends_at == 20


def test_windows_hold_the_samples_of_their_frames() -> None:
    """At the ends of an utterance a window begins or ends where the utterance does."""
    material = utterances(frames=60, count=1)
    for step in range(30):
        windows = Sampler(material, 32, 9, torch.device("cpu")).draw(2, step)
        whole = torch.from_numpy(material[0].wave())[None, None]
        for row in range(2):
            wave = windows.wave[row]
            begin = next(b for b in range(29) if torch.equal(whole[0, 0, b * HOP : (b + 32) * HOP], wave))
            start = begin - int(windows.offset[row])
            assert 0 <= start <= 60 - 50
            made = whole[:, :, start * HOP : (start + 50) * HOP].expand(2, -1, -1)
            assert torch.equal(windows.inside(made)[row], wave)
            latent = torch.from_numpy(material[0].latent.astype(np.float32))
            assert torch.equal(windows.latent[row], latent[:, start : start + 50])


def test_short_sentences_are_refused_with_a_remedy() -> None:
    with pytest.raises(ValueError, match="no sentence has"):
        Sampler(utterances(frames=30), 32, 9, torch.device("cpu"))
