"""A run as it stands, from the files in its folder: what it learns from, its figures, samples and advice. No torch."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import read_errors
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.plan.advice import Intended, advise
from voxmatrix.train.monitor.history import curve, read_rows
from voxmatrix.wording import pluralise

#: The curves, by their columns in metrics.csv, as people call them.
CURVES = {
    "validation_mel": "validation mel",
    "words_wrong": "words wrong",
    "mel": "mel",
    "kl": "KL divergence",
    "duration": "durations",
    "adversarial": "generator against discriminators",
    "features": "feature matching",
    "discriminator": "discriminators",
}
_SAMPLE = re.compile(r"step-(\d+)\.wav")
_BLOCKS, _WIDTH = "▁▂▃▄▅▆▇█", 48

Points = Sequence[tuple[int, float]]


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What is known of a run."""

    out: Path
    recipe: Mapping[str, Any]
    seconds: float  # of speech that it learns from; 0: not known
    clips: int
    step: int  # of the last figures
    epoch: int
    curves: Mapping[str, Points]  # those of `CURVES` that have a point
    samples: tuple[tuple[int, Path], ...]  # steps and files, in order
    advice: tuple[str, ...]

    @property
    def best(self) -> tuple[int, float] | None:
        """The step with the lowest validation loss, and the loss: that of best.ckpt."""
        return min(self.curves.get("validation_mel", ()), key=lambda point: (point[1], point[0]), default=None)

    def to_json(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {
            "run": str(self.out),
            "step": self.step,
            "epoch": self.epoch,
            "clips": self.clips,
            "seconds": self.seconds,
            "best_step": self.best and self.best[0],
            "best_validation_mel": self.best and self.best[1],
            "curves": {name: [list(point) for point in points] for name, points in self.curves.items()},
            "samples": [{"step": step, "file": str(path)} for step, path in self.samples],
            "settings": dict(self.recipe),
            "advice": list(self.advice),
        }


def read_run(out: Path) -> RunReport:
    """The report on the run in a folder.

    Raises:
        BadInputError: there is no run.
        DamagedFileError: run.json is not what a training writes.
    """
    path = out / "run.json"
    if not path.is_file():
        raise BadInputError(
            f"there is no run in {out}: it has no run.json", "choose the folder of a training, its `out`"
        )
    with read_errors(path):
        about = _read(path)
    voice = out / "voice.json"
    recipe, rows = about.get("recipe"), read_rows(out / "metrics.csv")
    if not isinstance(recipe, dict):
        raise DamagedFileError(f"{path} has no recipe", "run the same training again, which writes it")
    made_by = VoiceConfig.read(voice).made_by if voice.is_file() else {}
    found = {name: curve(rows, name) for name in CURVES}
    samples = [(int(match[1]), file) for file in out.glob("samples/*.wav") if (match := _SAMPLE.fullmatch(file.name))]
    step, epoch = (int(rows[-1][name] or 0) for name in ("step", "epoch")) if rows else (0, 0)
    seconds, clips = float(made_by.get("seconds", 0)), int(made_by.get("clips", 0))
    return RunReport(
        out=out,
        recipe=recipe,
        seconds=seconds,
        clips=clips,
        step=step,
        epoch=epoch,
        curves={name: points for name, points in found.items() if points},
        samples=tuple(sorted(samples)),
        advice=tuple(_advice(recipe, seconds, clips, step, epoch)),
    )


def lines(report: RunReport) -> list[str]:
    """The report as text, with a short curve of each figure."""
    recipe = report.recipe
    said = [
        f"{report.out}: {recipe.get('quality')}, {recipe.get('language')}, {pluralise(report.step, 'step')}, "
        f"epoch {report.epoch}"
    ]
    if report.clips:
        said.append(f"learns from {report.seconds / 60:.1f} minutes in {pluralise(report.clips, 'clip')}")
    if report.best:
        said.append(f"lowest validation mel: {report.best[1]:.3f} at step {report.best[0]} (best.ckpt)")
    width = max((len(CURVES[name]) for name in report.curves), default=0)
    for name, points in report.curves.items():
        values = [value for _, value in points]
        said.append(f"  {CURVES[name]:{width}}  {spark(values)}  {values[0]:.3g} to {values[-1]:.3g}")
    return [*said, *(f"  advice: {sentence}" for sentence in report.advice)]


def spark(values: Sequence[float]) -> str:
    """A curve in one line: each block is the mean of some values."""
    each = max(1.0, len(values) / _WIDTH)
    count = min(len(values), _WIDTH)
    parts = [values[int(place * each) : max(int(place * each) + 1, int((place + 1) * each))] for place in range(count)]
    means = [sum(part) / len(part) for part in parts]
    low, high = min(means), max(means)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[round((mean - low) * scale)] for mean in means)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFileError(
            f"{path} is not JSON: {error}", "run the same training again, which writes it"
        ) from error
    return content if isinstance(content, dict) else {}


def _advice(recipe: Mapping[str, Any], seconds: float, clips: int, step: int, epoch: int) -> list[str]:
    """That of a training which is known well enough: of so many steps an epoch as until now."""
    if not clips or not epoch:
        return []
    training = Intended(
        seconds=seconds,
        clips=clips,
        batch=int(recipe.get("batch_size", 1)) * int(recipe.get("accumulation", 1)),
        learning_rate=float(recipe.get("learning_rate", 0)),
        steps=step,
        steps_per_epoch=max(1, round(step / epoch)),
        fine_tuned=bool(recipe.get("start_from")),
        on_gpu=False,
    )
    return advise(training)
