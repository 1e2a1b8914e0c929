"""How long it takes until a voice is good, and how near it is, as people are told."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from voxmatrix.distil import session
from voxmatrix.distil.session import claim, forecast, learn
from voxmatrix.distil.trainer import GOOD_STEPS, Limits, TrainerState

LEAST, MOST = GOOD_STEPS


@pytest.mark.parametrize(
    ("step", "step_seconds", "minutes", "says"),
    [
        (100, 60 / 270, 0, f"270 steps a minute; other voices were good after {LEAST:,} to {MOST:,} steps: about"),
        (0, 6000 / LEAST, 0, f": about 100 to {100 * MOST // LEAST:,} minutes more"),
        (0, 60 / LEAST, 0.5, "; after 0.5 minutes it is written as it is"),
        (MOST, 1.0, 0, ": it learns on until it gets no better"),
    ],
)
def test_the_range_is_that_of_other_voices_at_this_speed(
    step: int, step_seconds: float, minutes: float, says: str
) -> None:
    assert says in forecast(step, step_seconds, Limits(good=0.4, minutes=minutes))


def test_what_a_killed_command_had_half_written_is_removed_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".trainer.ckpt.1-2.part").write_bytes(b"half")
    claim(tmp_path, "{}", fresh=False)
    assert [path.name for path in tmp_path.iterdir()] == ["source.json"]


def test_each_evaluation_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(training: Any, limits: Limits, _checkpoint: Path, report: Any, _preview: Any) -> None:
        for step in range(10, 110, 10):
            training.position.step = step
            if step % limits.evaluate_every == 0:
                training.position.evaluated(10 / step, 0.9)
            report(training.position, 0.5)

    monkeypatch.setattr(session, "train", train)
    told: list[tuple[int, float, float]] = []
    training: Any = SimpleNamespace(position=TrainerState())
    show: Any = lambda *_: nullcontext(lambda done, total: None)  # noqa: E731
    learn(training, Limits(evaluate_every=50), Path(), show, evaluated=lambda *facts: told.append(facts))
    assert told == [(50, 0.2, 0.9), (100, 0.1, 0.9)]
