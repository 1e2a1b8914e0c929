"""What runs left behind, and what they said."""

import csv
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from voxmatrix.train.monitor.progress import QuietProgress, RunSummary, StepReport, Validation


class Notes(QuietProgress):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.starts: list[RunSummary] = []
        self.steps: list[int] = []
        self.reports: list[StepReport] = []
        self.validations: list[tuple[int, float, bool]] = []
        self.words_wrong: list[float | None] = []
        self.saves: list[int] = []
        self.warnings: list[str] = []
        self.tunings: list[str] = []
        self.over = 0

    def tuning(self, sentence: str) -> None:
        self.tunings.append(sentence)

    def started(self, start: RunSummary) -> None:
        self.starts.append(start)

    def stepped(self, step: int) -> None:
        self.steps.append(step)

    def reported(self, report: StepReport) -> None:
        self.reports.append(report)

    def validated(self, validation: Validation) -> None:
        self.validations.append((validation.step, validation.mel, validation.best))
        self.words_wrong.append(validation.words_wrong)

    def saved(self, path: Path, step: int) -> None:
        self.saves.append(step)

    def warned(self, sentence: str) -> None:
        self.warnings.append(sentence)

    def ended(self) -> None:
        self.over += 1


def content(path: Path) -> dict[str, Any]:
    return torch.load(path, weights_only=True)  # type: ignore[no-any-return]


def weights(path: Path) -> dict[str, Tensor]:
    """Weights and the optimisers' averages."""
    read = content(path)
    found: dict[str, Tensor] = dict(read["state_dict"])
    for network, states in read["voxmatrix"]["optimisers"].items():
        if network != "scaler":
            found |= {f"{network} {name} {key}": t for name, state in states.items() for key, t in state.items()}
    return found


def assert_bit_equal(one: Path, other: Path) -> None:
    ours, theirs = weights(one), weights(other)
    assert ours.keys() == theirs.keys()
    different = [name for name in ours if not torch.equal(ours[name], theirs[name])]
    assert not different


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "metrics.csv").open() as file:
        return list(csv.DictReader(file))
