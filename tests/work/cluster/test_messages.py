"""Reports of workers are read back whatever a text is like, and nothing else is taken for one."""

import pytest

from voxmatrix.errors import Finding
from voxmatrix.work.cluster.messages import BatchReport, SpokenUnit, read_report, to_message


def report(samples: int, findings: int = 0) -> BatchReport:
    lacks = tuple(Finding(problem=f"no symbol {n}", remedy="ignore it", severity="warning") for n in range(findings))
    unit = SpokenUnit(index=0, wall_seconds=1.0, samples=samples, rate_hz=48_000, sha256="0" * 64, findings=lacks)
    return BatchReport(state="done", spoken=(unit,))


@pytest.mark.parametrize("hours", [0.01, 1.5, 12])
def test_a_text_may_take_hours(hours: float) -> None:
    said = report(round(hours * 3600 * 48_000))
    assert read_report(to_message(said)) == said


def test_a_text_may_lack_many_symbols() -> None:
    said = report(1000, findings=500)
    assert read_report(to_message(said)) == said


@pytest.mark.parametrize("samples", [0, -1, 2**40])
def test_audio_that_no_file_holds_is_refused(samples: int) -> None:
    with pytest.raises(ValueError, match="samples"):
        read_report(to_message(report(samples)))
