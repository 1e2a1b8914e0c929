"""A probe that hangs, dies or is fine costs at most its own fact."""

import threading

from voxmatrix.machine.probes.probe import Probe


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
