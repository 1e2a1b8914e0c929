"""Versions are compared by their numbers."""

import pytest

from voxmatrix.tables.rows import meets


@pytest.mark.parametrize(
    ("found", "requirement", "met"),
    [
        ("2.6.0+cu124", ">=2.6", True),
        ("2.10.0", ">=2.6,<3", True),
        ("2.5.1", ">=2.6", False),
        ("3.0", ">=2.6, <3", False),
        ("2.6", "==2.6.0", True),
        ("2.6.1", "!=2.6.1", False),
        ("anything", "", True),
        ("", ">=2.6", False),
    ],
)
def test_versions_are_compared_by_their_numbers(found: str, requirement: str, met: bool) -> None:
    assert meets(found, requirement) is met


def test_what_is_no_requirement_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a requirement"):
        meets("2.6", "new")
