"""What each test costs in CPU seconds, with the processes that it starts: wall seconds tell what else ran beside it.

Those that the last `.ci/run` measured as slow get the marker `slow`. At the end come the most expensive ones, and the
slow ones without the marker. `--costs FILE` writes those of a second or more, as .ci/costs.txt has them.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

#: `./run tests` leaves out what costs more.
SLOW_SECONDS = 2.0
#: The lines `SECONDS TEST` of the last run; others begin with `#`.
MEASURED = Path(__file__).parents[1] / ".ci" / "costs.txt"
_SHOWN = 40
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 1


def measured(text: str) -> dict[str, float]:
    """The CPU seconds of tests, by their names."""
    rows = (line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(seconds) for seconds, name in rows}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", type=Path, help="write the CPU seconds of tests to this file")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    last = measured(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    for item in items:
        if last.get(item.nodeid, 0.0) > SLOW_SECONDS:
            item.add_marker("slow")


class _Clock:
    """CPU seconds since the last look."""

    def __init__(self) -> None:
        self._seen = 0.0

    def passed(self) -> float:
        now = _cpu_seconds()
        passed, self._seen = now - self._seen, now
        return max(0.0, passed)


def _cpu_seconds() -> float:
    """Of this process, those that it has waited for, and those that still run."""
    return sum(os.times()[:4]) + sum(map(_of_child, _children(os.getpid())))


def _of_child(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    except OSError:  # it has just ended
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS + sum(map(_of_child, _children(pid)))


def _children(pid: int) -> list[int]:
    """None but on Linux. Threads and processes may end meanwhile."""
    found: list[int] = []
    with suppress(OSError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, path.read_text(encoding="utf-8").split())
    return found


_clock = _Clock()


def pytest_runtest_logstart() -> None:
    _clock.passed()  # what is between two tests is nobody's


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = (yield).get_result()  # type: ignore[attr-defined]
    # A report goes to the process that prints, with all its attributes.
    report.cpu_seconds = _clock.passed()
    report.is_slow = item.get_closest_marker("slow") is not None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = [report for kind in terminalreporter.stats.values() for report in kind if hasattr(report, "cpu_seconds")]
    seconds: Counter[str] = Counter()
    for report in reports:
        seconds[report.nodeid] += report.cpu_seconds
    lines = [f"{cost:.1f} {name}" for name, cost in seconds.most_common() if cost >= SLOW_SECONDS / 2]
    marked = {report.nodeid for report in reports if report.is_slow}
    missing = [name for name, cost in seconds.most_common() if cost > SLOW_SECONDS and name not in marked]
    if path := config.getoption("--costs"):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if not config.getoption("--collect-only") and lines:
        terminalreporter.section("most CPU seconds")
        terminalreporter.write("\n".join(lines[:_SHOWN]) + "\n")
    if missing:
        terminalreporter.section(f"more than {SLOW_SECONDS:g} CPU seconds: make them cheaper, or mark them as slow")
        terminalreporter.write("\n".join(missing) + "\n")
