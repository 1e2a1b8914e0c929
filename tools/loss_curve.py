"""Plot the losses of a training, from the metrics.csv of its run.

    python tools/loss_curve.py OUT.svg RUN [RUN …]      runs that continue one another, in order

Top: the mel loss on the training and validation clips.
Bottom: the losses of the alignment between text and audio.
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "voxmatrix"  # equal input gives an equal file
import matplotlib.pyplot as plt  # noqa: E402  # after choosing the backend

#: Width of the moving average, in rows; rows are ten steps apart.
SMOOTH = 20


def main() -> None:
    """Read the runs and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+", help="folders of training runs")
    args = parser.parse_args()
    rows: list[dict[str, str]] = []
    for run in args.runs:
        before = int(rows[-1]["step"]) if rows else 0
        with (run / "metrics.csv").open(encoding="utf-8", newline="") as file:
            rows += [{**row, "step": str(int(row["step"]) + before)} for row in csv.DictReader(file)]
    draw(rows, args.out)


def draw(rows: Sequence[dict[str, str]], out: Path) -> None:
    """Write the plot to `out`."""
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 5), layout="constrained")
    steps, mel = column(rows, "mel")
    above.plot(steps, mel, color="#c6d4e8", linewidth=0.8)
    above.plot(*smooth(steps, mel), color="#1f4e8c", label="training clips")
    above.plot(*column(rows, "validation_mel"), "o-", color="#c8501e", markersize=3, label="validation clips")
    above.set_ylabel("mel loss")
    above.set_ylim(bottom=0)
    above.legend(frameon=False)
    for name, colour in (("kl", "#2f7d4f"), ("duration", "#7a4a9a")):
        below.plot(*smooth(*column(rows, name)), color=colour, label=name)
    below.set_ylabel("alignment losses")
    below.set_ylim(0, 3)
    below.set_xlabel("steps")
    below.legend(frameon=False)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.2)
    figure.savefig(out, metadata={"Date": None})


def column(rows: Sequence[dict[str, str]], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values of the rows that have a value in this column."""
    found = [(int(row["step"]), float(row[name])) for row in rows if row.get(name)]
    return np.array([step for step, _ in found]), np.array([value for _, value in found])


def smooth(steps: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The moving average of `values`, with the step at the end of each window."""
    width = max(1, min(SMOOTH, len(values) // 4))
    means = np.convolve(values, np.ones(width) / width, mode="valid")
    return steps[width - 1 :], means


if __name__ == "__main__":
    main()
