"""The words of a short training, and how far it has come."""

import csv
from pathlib import Path

TRAIN = (
    *("train", "/recordings", "--out", "/data/run", "--quality", "tiny", "--language", "en-us"),
    *("--batch-size", "4", "--accumulation", "1", "--validate-every", "1000", "--seed", "1"),
    *("--device", "cpu"),  # an image for GPUs does not take it by itself
)


def reached(run: Path) -> int:
    """The last step that metrics.csv tells of."""
    if not (run / "metrics.csv").is_file():
        return 0
    with (run / "metrics.csv").open(encoding="utf-8", newline="") as file:
        return max((int(line["step"]) for line in csv.DictReader(file) if line["step"]), default=0)
