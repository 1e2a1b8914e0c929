"""A busy computer is said to be busy."""

import pytest

from voxmatrix.bench.system_load import busy, load


@pytest.mark.parametrize(
    ("wanting", "cpus", "warned"), [(None, 2, False), (1.4, 2, False), (1.5, 2, True), (3, 64, False)]
)
def test_from_three_quarters_of_the_cpus_on(wanting: float | None, cpus: int, warned: bool) -> None:
    findings = busy(wanting, cpus)
    assert bool(findings) == warned
    assert all(f"CPUs {cpus})" in finding.problem for finding in findings)


def test_the_load_is_a_number_or_unknown() -> None:
    assert load() is None or load() >= 0  # type: ignore[operator]
