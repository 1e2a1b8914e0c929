"""The table holds every figure, every reason, and any name."""

import io

import pytest
from rich.console import Console

from tests.bench.reports import ODD_NAMES, report, row
from voxmatrix.bench.report import BenchReport
from voxmatrix.bench.table import ratio_text, show


def text(report: BenchReport, width: int = 100) -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # strict, as a terminal is
    show(report, Console(file=file, width=width, color_system=None))
    file.flush()
    return file.buffer.getvalue().decode()  # type: ignore[attr-defined]


def test_figures_ratios_and_reasons_are_there() -> None:
    shown = text(report(row("cpu", 100.0), row("cuda:0", 123_456.0, "bf16"), row("cuda:1", None, problem="it [died]")))
    for word in ("matrices", "160.000", "123,456.0", "1,235", "1.00", "bf16", "cuda:1 fp32: not measured: it [died]"):
        assert word in shown


def test_what_to_do_stands_below() -> None:
    shown = text(report(row("cpu", 2.0), row("directml:0", 1.0)))
    assert "directml:0 is 0.5 × as fast as the CPU: set device = cpu" in shown


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_name_can_be_shown(width: int) -> None:
    rows = [row("cpu", 1.0), *(row("cuda:0", 2.0, name=name) for name in ODD_NAMES)]
    shown = text(report(*rows, row("cuda:1", None, name=None, problem="\x1b[31m\udc00")), width)
    assert "\x1b" not in shown
    assert "\x00" not in shown


@pytest.mark.parametrize(
    ("ratio", "said"), [(None, "–"), (0.666, "0.67"), (1.0, "1.00"), (12.34, "12.3"), (1234.5, "1,234")]
)
def test_ratios_have_the_digits_that_say_something(ratio: float | None, said: str) -> None:
    assert ratio_text(ratio) == said
