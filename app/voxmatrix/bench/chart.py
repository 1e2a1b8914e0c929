"""A benchmark as a bar chart, in an SVG or a PNG."""

import io
import textwrap
import warnings
from pathlib import Path
from typing import Any

from voxmatrix.bench.report import BenchReport
from voxmatrix.bench.row import BenchRow
from voxmatrix.bench.table import clean, ratio_text
from voxmatrix.errors import UsageError
from voxmatrix.files import replacing
from voxmatrix.machine.saved_device import CPU

ENDINGS = (".svg", ".png")
_CPU_COLOUR, _GPU_COLOUR = "#8c8c8c", "#2a6fb0"
_LETTERS, _LINES = 34, 3
#: Inches.
_WIDTH, _ROW_HEIGHT, _REST_HEIGHT = 8.0, 0.62, 1.4


def check_picture(path: Path) -> None:
    """Refuse what cannot become a picture before anything is measured.

    Raises:
        UsageError: the ending is unknown, or it is a folder.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"--picture {path} ends in {path.suffix or 'nothing'!r}", f"end it in {' or '.join(ENDINGS)}")
    if path.is_dir():
        raise UsageError(f"--picture {path} is a folder", f"name a file in it, e.g. {path / 'bench.svg'}")


def write_picture(report: BenchReport, path: Path) -> None:
    """Draw the rows, more is better.

    Raises:
        UnreachableError: the disk is full or the place cannot be written.
    """
    drawn = io.BytesIO()
    figure = _figure(report)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a letter that the font lacks is drawn as a box
        # tight: whatever is drawn, also beyond the axes, is in the picture.
        figure.savefig(drawn, format=path.suffix.lower().removeprefix("."), bbox_inches="tight", dpi=150)
    with replacing(path) as file:
        file.write(drawn.getvalue())


def _figure(report: BenchReport) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = report.rows
    figure = Figure(figsize=(_WIDTH, _REST_HEIGHT + _ROW_HEIGHT * len(rows)))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    speeds = [row.speed(report.kind.speed) or 0.0 for row in rows]
    colours = [_CPU_COLOUR if row.device == CPU else _GPU_COLOUR for row in rows]
    axes.barh(range(len(rows)), speeds, color=colours, height=0.66)
    axes.set_yticks(range(len(rows)), [_label(row) for row in rows], parse_math=False)
    axes.invert_yaxis()
    for place, (row, speed) in enumerate(zip(rows, speeds, strict=True)):
        said = _printable(_beside(report, row), 60)
        axes.annotate(said, (speed, place), xytext=(4, 0), textcoords="offset points", va="center", parse_math=False)
    axes.set_xlabel(f"{report.kind.unit} (more is better)")
    axes.set_xlim(0, (max(speeds) or 1.0) * 1.05)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_printable(report.about, 70), loc="left", fontsize=10, parse_math=False)
    return figure


def _label(row: BenchRow) -> str:
    batch = [f"batch {row.given['batch_size']}"] if "batch_size" in row.given else []
    first = " ".join(filter(None, [row.device, row.format, *batch]))
    return f"{first}\n{_printable(row.name or 'unknown', _LETTERS)}"


def _beside(report: BenchReport, row: BenchRow) -> str:
    if row.problem:
        return f"not measured: {row.problem}"
    speed, ratio = row.speed(report.kind.speed), report.times_cpu(row)
    said = f"{speed:,.4g}" if speed is not None and speed < 1000 else f"{speed:,.0f}"
    return said if ratio is None or row.device == CPU else f"{said}  ({ratio_text(ratio)} × the CPU)"


def _printable(text: str, width: int) -> str:
    """Folded."""
    return "\n".join(textwrap.wrap(clean(text, width * _LINES), width, max_lines=_LINES, placeholder=" …")) or "?"
