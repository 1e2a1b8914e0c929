"""Locking a nightly, which is there for some weeks only."""

import pytest

from tools.images import rows
from tools.locks import lock, pins

NIGHTLY = rows.rows()["blackwell-nightly"]
VARIABLE = "VOXMATRIX_TORCH_INDEX_BLACKWELL_NIGHTLY"


def test_without_an_index_of_nightlies_the_variable_and_the_stable_row_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(SystemExit, match=f"set {VARIABLE}, or use the stable row blackwell"):
        lock.lock(NIGHTLY, "uv", [])


def test_a_nightly_that_vanished_names_the_stable_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "https://nightlies.example")
    empty = pins.Pin(name="torch", version=NIGHTLY.torch, hashes=frozenset())
    monkeypatch.setattr(pins, "on_index", lambda *asked: empty)
    with pytest.raises(SystemExit, match="nightlies vanish after some weeks\n  → use the stable row blackwell"):
        lock.lock(NIGHTLY, "uv", [])


def test_versions_of_other_images_are_preferred_but_for_torch() -> None:
    names = {pin.name for pin in lock._preferred()}
    assert "numpy" in names
    assert "torch" not in names
