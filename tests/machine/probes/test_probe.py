"""A probe that hangs, dies or is fine costs at most its own fact."""

import sys
import threading
from typing import Any

import psutil
import pytest

from voxmatrix.machine.probes.probe import Probe, ask_psutil


def test_an_answer_comes_without_a_note() -> None:
    assert Probe("memory", lambda: 5, None).answer(60) == (5, ())


def test_a_probe_that_hangs_is_abandoned_and_named() -> None:
    never = threading.Event()
    probe = Probe[bool | None]("NVIDIA GPUs", never.wait, None)
    answer, (note,) = probe.answer(0.01)
    never.set()

    assert answer is None
    assert "NVIDIA GPUs" in note.problem
    assert "0.01 s" in note.problem
    assert note.severity == "warning"


def test_a_probe_that_dies_is_named_with_its_reason() -> None:
    def read() -> int:
        raise OSError("driver/library version mismatch")

    answer, (note,) = Probe("the driver", read, 0).answer(60)
    assert answer == 0
    assert "driver/library version mismatch" in note.problem


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
