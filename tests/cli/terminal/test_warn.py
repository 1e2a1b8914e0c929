"""A warning goes beside the output, with what mends it."""

import pytest

from voxmatrix.cli.terminal.warn import warn
from voxmatrix.errors import Finding


def test_a_finding_is_said_on_standard_error_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    warn(Finding(problem="the GPU is busy ☃", remedy="wait for it", severity="warning"))
    said = capsys.readouterr()
    assert said.out == "" and said.err == "warning: the GPU is busy ☃\n  → wait for it\n"


def test_control_characters_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    warn(Finding(problem="in \x1b[2Jbook\x07:\n\tåäö", remedy="look at \x9b0m", severity="warning"))
    assert capsys.readouterr().err == "warning: in \\x1b[2Jbook\\x07:\n\tåäö\n  → look at \\x9b0m\n"
