"""A training learns, with or without a teacher's filters, and goes on after an interruption as if there was none."""

from collections.abc import Sequence

import pytest
import torch

from tests.distil.teach.conftest import SMALL, lessons_of
from voxmatrix.distil.learning import Limits
from voxmatrix.distil.teach import training as training_module
from voxmatrix.distil.teach.material import Lesson, Material
from voxmatrix.distil.teach.training import TURNS, Student, Training


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BATCH", "RHYTHM_BATCH"):
        monkeypatch.setattr(training_module, name, 2)


def training_of(lessons: Sequence[Lesson], steps: int) -> Training:
    torch.manual_seed(0)
    training = Training(Student(SMALL), learned=lessons[2:], watched=lessons[:2])
    training.position.decide(Limits(steps=steps))
    return training


@pytest.mark.parametrize("filters", [False, True])
def test_what_is_learned_comes_nearer(filters: bool) -> None:
    training = training_of(lessons_of(4, filters=filters), 40)
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
        assert after < 0.95 * before


def test_a_restored_training_ends_equal(lessons: list[Lesson]) -> None:
    whole = training_of(lessons, 12)
    for _ in range(12):
        whole.step()
    first = training_of(lessons, 12)
    for _ in range(7):
        first.step()
    second = training_of(lessons, 12)
    second.restore(first.state())
    for _ in range(5):
        second.step()

    assert all(map(torch.equal, whole.averaged.values(), second.averaged.values()))


def test_material_without_a_long_sentence_is_refused(lessons: list[Lesson]) -> None:
    with pytest.raises(ValueError, match="no sentence has 100000 frames"):
        Material(lessons, 100_000)


def test_batches_of_a_step_are_always_the_same(lessons: list[Lesson]) -> None:
    material = Material(lessons, 50)

    assert torch.equal(material.excerpts(3, 5).samples, material.excerpts(3, 5).samples)
    assert not torch.equal(material.excerpts(3, 5).samples, material.excerpts(3, 6).samples)
    assert torch.equal(material.sentences(3, 5).ids, material.sentences(3, 5).ids)
