"""What a run has written down of its progress: the rows of metrics.csv. Needs no torch."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from voxmatrix.train.config import LOSSES

COLUMNS = (
    "step",
    "epoch",
    "learning_rate",
    *LOSSES,
    "validation_mel",
    "words_wrong",
    "steps_per_second",
    "audio_seconds_per_second",
)

Row = Mapping[str, str]


def read_rows(path: Path) -> list[dict[str, str]]:
    """The complete rows of a file, with all columns: that of an earlier version may have fewer.

    A power cut may have truncated the last row.
    """
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    reader = csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))
    names = reader.fieldnames or ()
    if "step" not in names or not set(names) <= set(COLUMNS):
        return []
    whole = (row for row in reader if None not in row and None not in row.values() and row["step"].isdecimal())
    return [dict.fromkeys(COLUMNS, "") | row for row in whole]


def curve(rows: Sequence[Row], column: str) -> list[tuple[int, float]]:
    """The steps at which there is a figure in this column, each with the figure."""
    return [(int(row["step"]), float(row[column])) for row in rows if row[column]]


def last_speed(path: Path) -> float | None:
    """The speed in steps per second that metrics.csv recorded last."""
    speeds = curve(read_rows(path), "steps_per_second")
    return speeds[-1][1] if speeds else None
