"""Freed memory stays with the process where the C library can be told so, and nothing breaks elsewhere."""

import ctypes
from types import SimpleNamespace

import pytest

from voxmatrix.train.memory import keep_freed_memory


def test_glibc_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    library = SimpleNamespace(mallopt=lambda name, _value: told.append(name) or 1)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert keep_freed_memory()
    assert len(told) == 2


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert not keep_freed_memory()


def test_a_system_without_one_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object) -> None:
        raise TypeError("a name is needed here")  # as on Windows

    monkeypatch.setattr(ctypes, "CDLL", none)
    assert not keep_freed_memory()
