"""A benchmark as a table for people."""

from typing import TYPE_CHECKING

from voxmatrix.bench.benchmarks import Column
from voxmatrix.bench.report import BenchReport
from voxmatrix.bench.row import BenchRow
from voxmatrix.machine.saved_device import CPU

if TYPE_CHECKING:
    from rich.console import Console

_UNKNOWN = "–"
_LETTERS, _LETTERS_OF_A_PROBLEM = 60, 500


def show(report: BenchReport, console: "Console") -> None:
    """The rows, each with its figures or the reason why it has none; what follows; what to type."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    failed = "\n".join(_failure(row) for row in report.rows if row.problem)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=Text(failed) if failed else None, caption_justify="left")
    for header in ("device", "name", "precision"):
        # Only names may be long: they take the lines that a narrow terminal asks for.
        table.add_column(header, no_wrap=header != "name", overflow="fold")
    for header in (*(column.header for column in report.kind.columns), f"× {CPU}"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in report.rows:
        # Text, not str: square brackets in the name of a card are no markup.
        table.add_row(*(Text(cell) for cell in _cells(report, row)))
    console.print(Text(report.about))
    console.print(table)
    for finding in report.findings:
        console.print(Text(f"{finding.problem}: {finding.remedy}" if finding.remedy else finding.problem))


def ratio_text(ratio: float | None) -> str:
    """A ratio with as many digits as say something."""
    if ratio is None:
        return _UNKNOWN
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def clean(text: str, most: int) -> str:
    """At most so many letters, without what no terminal, font or XML takes: escapes, line ends, half letters."""
    kept = "".join(letter if letter.isprintable() else "?" for letter in text)
    return kept if len(kept) <= most else kept[: most - 2] + " …"


def _failure(row: BenchRow) -> str:
    what = f"{row.device} {row.format}".strip() + (f" batch {row.given['batch_size']}" if row.given else "")
    return clean(f"{what}: not measured: {row.problem}", _LETTERS_OF_A_PROBLEM)


def _cells(report: BenchReport, row: BenchRow) -> list[str]:
    name = clean(row.name or "unknown", _LETTERS)
    figures = {**row.given, **row.figures}
    return [
        row.device,
        f"{name}\nnot measured" if row.problem else name,
        row.format or _UNKNOWN,
        *(_cell(column, figures.get(column.key)) for column in report.kind.columns),
        ratio_text(report.times_cpu(row)),
    ]


def _cell(column: Column, value: float | None) -> str:
    return _UNKNOWN if value is None else format(value, column.format)
