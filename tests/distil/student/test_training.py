"""A training learns, with or without a teacher's filters, and goes on after an interruption as if there was none."""

from collections.abc import Sequence

import pytest
import torch

from tests.distil.student.conftest import SMALL, utterances_of
from voxmatrix.distil.student import training as training_module
from voxmatrix.distil.student.batches import Batcher, Utterance
from voxmatrix.distil.student.training import TURNS, Student, StudentTrainer
from voxmatrix.distil.trainer import Limits


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BATCH", "RHYTHM_BATCH"):
        monkeypatch.setattr(training_module, name, 2)


def training_of(utterances: Sequence[Utterance], steps: int, threads: int = 1) -> StudentTrainer:
    torch.manual_seed(0)
    training = StudentTrainer(Student(SMALL), train=utterances[2:], validation=utterances[:2], threads=threads)
    training.position.decide(Limits(steps=steps))
    return training


@pytest.mark.parametrize("filters", [False, True])
def test_what_is_learned_comes_nearer(filters: bool) -> None:
    training = training_of(utterances_of(4, filters=filters), 40)
    before, _ = training.evaluate()
    losses = [float(training.step()) for _ in range(40)]
    after, _ = training.evaluate()

    sound = [loss for step, loss in enumerate(losses) if step % TURNS != TURNS - 1]
    rhythm = losses[TURNS - 1 :: TURNS]
    assert rhythm[-1] < rhythm[0]
    if filters:
        assert sound[14] < sound[0]
        assert sound[-1] > 1.2 * sound[0]  # near the end, samples count as well
    else:
        assert after < 0.98 * before


def test_a_restored_training_ends_equal(utterances: list[Utterance]) -> None:
    whole = training_of(utterances, 12)
    for _ in range(12):
        whole.step()
    first = training_of(utterances, 12)
    for _ in range(7):
        first.step()
    second = training_of(utterances, 12)
    second.restore(first.state())
    for _ in range(5):
        second.step()

    assert all(map(torch.equal, whole.ema_weights.values(), second.ema_weights.values()))


def test_material_without_a_long_sentence_is_refused(utterances: list[Utterance]) -> None:
    with pytest.raises(ValueError, match="no sentence has 100000 frames"):
        Batcher(utterances, 100_000)


def test_batches_of_a_step_are_always_the_same(utterances: list[Utterance]) -> None:
    material = Batcher(utterances, 50)

    assert material.excerpts(3, 5) == material.excerpts(3, 5)
    assert material.excerpts(3, 5) != material.excerpts(3, 6)
    assert material.sentences(3, 5) == material.sentences(3, 5)


@pytest.mark.parametrize("filters", [False, True])
def test_threads_share_a_batch_and_learn_the_same(filters: bool) -> None:
    material = utterances_of(5, filters=filters)
    alone, shared, again = (training_of(material, 12, threads) for threads in (1, 2, 2))
    losses = [[float(one.step()) for _ in range(12)] for one in (alone, shared, again)]

    assert losses[1] == losses[2]
    assert losses[1] == pytest.approx(losses[0], rel=0.05)  # means over voiced frames are those of a part
    assert all(map(torch.equal, shared.ema_weights.values(), again.ema_weights.values()))
