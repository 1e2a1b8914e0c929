"""A benchmark as a table."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from voxmatrix.bench.benchmarks import Column
from voxmatrix.bench.report import BenchReport, BenchRow
from voxmatrix.machine.saved_device import CPU
from voxmatrix.wording import plain

if TYPE_CHECKING:
    from rich.console import Console

_UNKNOWN = "–"
_MAX_NAME_CHARACTERS, _MAX_PROBLEM_CHARACTERS = 60, 500


def show(report: BenchReport, console: "Console", say: Callable[[str], str] = plain) -> None:
    """Print the rows with their figures or problems, then the findings. `say` names the settings in messages."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    failed = "\n".join(_failure(row, say) for row in report.rows if row.problem)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=Text(failed) if failed else None, caption_justify="left")
    for header in ("device", "name", "precision"):
        # Only names may be long: they are folded on a narrow terminal.
        table.add_column(header, no_wrap=header != "name", overflow="fold")
    for header in (*(column.header for column in report.kind.columns), f"× {CPU}"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in report.rows:
        # Text, not str: square brackets in names are not markup.
        table.add_row(*(Text(cell) for cell in _cells(report, row)))
    console.print(Text(clean(report.about, _MAX_PROBLEM_CHARACTERS)))
    console.print(table)
    for finding in report.findings:
        console.print(Text(say(f"{finding.problem}: {finding.remedy}" if finding.remedy else finding.problem)))


def ratio_text(ratio: float | None) -> str:
    """A ratio with about three significant digits."""
    if ratio is None:
        return _UNKNOWN
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def clean(text: str, limit: int) -> str:
    """At most `limit` characters, printable in terminals, fonts and XML: no escapes, line breaks or lone surrogates."""
    printable = "".join(char if char.isprintable() else "?" for char in text)
    return printable if len(printable) <= limit else printable[: limit - 2] + " …"


def _failure(row: BenchRow, say: Callable[[str], str]) -> str:
    batch = f" batch {row.parameters['batch_size']}" if row.parameters else ""
    part = f"{row.device} {row.format}".strip() + batch
    return clean(f"{part}: not measured: {say(row.problem)}", _MAX_PROBLEM_CHARACTERS)


def _cells(report: BenchReport, row: BenchRow) -> list[str]:
    name = clean(row.name or "unknown", _MAX_NAME_CHARACTERS)
    figures = {**row.parameters, **row.figures}
    return [
        row.device,
        f"{name}\nnot measured" if row.problem else name,
        row.format or _UNKNOWN,
        *(_cell(column, figures.get(column.key)) for column in report.kind.columns),
        ratio_text(report.times_cpu(row)),
    ]


def _cell(column: Column, value: float | None) -> str:
    return _UNKNOWN if value is None else format(value, column.format)
