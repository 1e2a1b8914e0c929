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


@pytest.mark.parametrize(
    ("index", "why"), [(None, "no index of such builds is set"), ("https://x.example", "not answer")]
)
def test_without_their_index_rows_for_other_gpus_are_not_locked_and_say_what_to_type(
    index: str | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOXMATRIX_TORCH_INDEX", "https://cpu.example")  # an index of CPU builds is not theirs
    monkeypatch.delenv("VOXMATRIX_TORCH_INDEX_ROCM", raising=False)
    if index:
        monkeypatch.setenv("VOXMATRIX_TORCH_INDEX_ROCM", index)
    monkeypatch.setattr(pins, "on_index", lambda *asked: None)
    with pytest.raises(
        SystemExit, match=rf"{why}(.|\n)*VOXMATRIX_TORCH_INDEX_ROCM=https://…/rocm7.2 ./run lock -- rocm"
    ):
        lock.lock(rows.rows()["rocm"], "uv", [])


def test_with_their_index_torch_and_its_triton_are_resolved_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    row = rows.rows()["rocm"]
    monkeypatch.setenv("VOXMATRIX_TORCH_INDEX_ROCM", "https://x.example/rocm7.2/")
    theirs = pins.Pin(name="torch", version=row.torch, hashes=frozenset({"sha256:1"}))
    asked: list[object] = []

    def resolve(row: rows.Row, uv: str, find_links: list[str], torch: str) -> dict[str, pins.Pin]:
        asked.extend([find_links, torch])
        return {"torch": pins.Pin(name="torch", version=f"{row.torch}+rocm7.2", hashes=frozenset({"sha256:1"}))}

    monkeypatch.setattr(pins, "on_index", lambda *words: theirs)
    monkeypatch.setattr(lock, "_resolve", resolve)
    assert lock.lock(row, "uv", [])["torch"] == theirs
    links = [f"https://x.example/rocm7.2/{project}/" for project in ("torch", "triton-rocm")]
    assert asked == [links, "torch==2.11.0+rocm7.2"]
