"""What was done is said only where a log is asked for."""

import pytest

from voxmatrix.config import LOG_VARIABLE
from voxmatrix_entrypoint import log


@pytest.mark.parametrize(
    ("value", "verbose"), [("", False), ("0", False), ("Off", False), ("1", True), ("debug", True)]
)
def test_voxmatrix_log_asks_for_it(monkeypatch: pytest.MonkeyPatch, value: str, verbose: bool) -> None:
    monkeypatch.setenv(LOG_VARIABLE, value)
    assert log.is_verbose() is verbose


def test_a_line_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    log.write("å")
    assert capsys.readouterr() == ("", "voxmatrix: å\n")
