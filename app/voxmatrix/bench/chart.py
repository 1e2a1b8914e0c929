"""A benchmark as a bar chart, as SVG or PNG."""

import io
import textwrap
import warnings
from pathlib import Path
from typing import Any

from voxmatrix.bench.report import BenchReport, BenchRow
from voxmatrix.bench.table import clean, ratio_text
from voxmatrix.errors import UsageError
from voxmatrix.files import check_not_folder, replacing
from voxmatrix.machine.saved_device import CPU

EXTENSIONS = (".svg", ".png")
_CPU_COLOUR, _GPU_COLOUR = "#8c8c8c", "#2a6fb0"
#: Characters per line, and lines, of a device name.
_NAME_WIDTH, _LINES = 34, 3
#: Inches.
_WIDTH, _ROW_HEIGHT, _REST_HEIGHT = 8.0, 0.62, 1.4


def check_picture(path: Path) -> None:
    """Reject an invalid path before anything is measured.

    Raises:
        UsageError: the extension is unsupported, or the path is a folder.
    """
    if path.suffix.lower() not in EXTENSIONS:
        raise UsageError(f"`picture={path}` has the extension {path.suffix!r}", f"use {' or '.join(EXTENSIONS)}")
    check_not_folder(path)


def write_picture(report: BenchReport, path: Path) -> None:
    """Draw the rows as a bar chart.

    Raises:
        UnreachableError: the disk is full or the path cannot be written.
    """
    drawn = io.BytesIO()
    figure = _figure(report)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a character missing in the font is drawn as a box
        # tight: the picture includes everything drawn outside the axes.
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
    for position, (row, speed) in enumerate(zip(rows, speeds, strict=True)):
        text, at = _wrapped(_annotation(report, row), 60), (speed, position)
        axes.annotate(text, at, xytext=(4, 0), textcoords="offset points", va="center", parse_math=False)
    axes.set_xlabel(f"{report.kind.unit} (higher is better)")
    axes.set_xlim(0, (max(speeds) or 1.0) * 1.05)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_wrapped(report.about, 70), loc="left", fontsize=10, parse_math=False)
    return figure


def _label(row: BenchRow) -> str:
    batch = [f"batch {row.parameters['batch_size']}"] if "batch_size" in row.parameters else []
    first = " ".join(filter(None, [row.device, row.format, *batch]))
    return f"{first}\n{_wrapped(row.name or 'unknown', _NAME_WIDTH)}"


def _annotation(report: BenchReport, row: BenchRow) -> str:
    if row.problem:
        return f"not measured: {row.problem}"
    speed, ratio = row.speed(report.kind.speed), report.times_cpu(row)
    text = f"{speed:,.4g}" if speed is not None and speed < 1000 else f"{speed:,.0f}"
    return text if ratio is None or row.device == CPU else f"{text}  ({ratio_text(ratio)} × the CPU)"


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(clean(text, width * _LINES), width, max_lines=_LINES, placeholder=" …")) or "?"
