"""What psutil cannot say is unknown."""

import sys
from typing import Any

import psutil
import pytest

from voxmatrix.machine.ask_psutil import ask_psutil


def test_an_answer_is_handed_on() -> None:
    assert ask_psutil(lambda module: module.Process().pid) == psutil.Process().pid


@pytest.mark.parametrize("error", [psutil.AccessDenied(), psutil.NoSuchProcess(1), FileNotFoundError()])
def test_what_the_system_refuses_is_unknown(error: Exception) -> None:
    def refused(module: Any) -> None:
        raise error

    assert ask_psutil(refused) is None


def test_without_psutil_everything_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert ask_psutil(lambda module: module.Process().pid) is None
