import hashlib
from pathlib import Path

import pytest

from tools import matrix
from tools.locks import pins, wheelhouse


def test_files_that_are_not_locked_are_strangers(tmp_path: Path) -> None:
    (tmp_path / "kept.whl").write_bytes(b"kept")
    (tmp_path / "old.whl").write_bytes(b"old")
    locked = pins.Pin(name="kept", version="1", hashes=frozenset({f"sha256:{hashlib.sha256(b'kept').hexdigest()}"}))
    assert wheelhouse.unlocked_files(tmp_path, [locked]) == [tmp_path / "old.whl"]


def test_another_python_than_the_images_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = matrix.rows()["cpu"]
    monkeypatch.setattr(wheelhouse, "THIS_PYTHON", "3.9")
    with pytest.raises(SystemExit, match=f"PYTHON=python{row.python}"):
        wheelhouse.fill(row, "")


def test_a_cpu_torch_is_not_looked_for_on_pips_default_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = matrix.rows()["cpu"]
    monkeypatch.setattr(wheelhouse, "THIS_PYTHON", row.python)
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(wheelhouse.matrix, "ROOT", tmp_path)
    (tmp_path / "docker" / "pins").mkdir(parents=True)
    (tmp_path / row.pins).write_text(f"torch=={row.torch} --hash=sha256:{'0' * 64}\nsetuptools==80.9.0\n")
    with pytest.raises(SystemExit, match="VOXMATRIX_TORCH_INDEX="):
        wheelhouse.fill(row, "")


def test_pip_downloads_only_what_the_index_does_not_have_and_only_what_is_not_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = matrix.rows()["cpu"]
    monkeypatch.setattr(wheelhouse, "THIS_PYTHON", row.python)
    monkeypatch.setattr(wheelhouse.matrix, "ROOT", tmp_path)
    (tmp_path / "docker" / "pins").mkdir(parents=True)
    (tmp_path / row.wheelhouse).mkdir(parents=True)
    (tmp_path / row.wheelhouse / "here.whl").write_bytes(b"here")
    contents = {"torch": b"here", "setuptools": b"setuptools", "common": b"common", "rare": b"rare"}
    pinned = [
        pins.Pin(name=name, version="1", hashes=frozenset({f"sha256:{hashlib.sha256(content).hexdigest()}"}))
        for name, content in contents.items()
    ]
    (tmp_path / row.pins).write_text(pins.render(pinned, "a lock"), encoding="utf-8")
    asked: list[list[str]] = []

    def index(locked: list[pins.Pin], folder: Path) -> list[pins.Pin]:
        asked.append([pin.name for pin in locked])
        return [pin for pin in locked if pin.name == "rare"]

    def pip(*args: str) -> int:
        if args[0] == "download":
            assert "--require-hashes" in args
            asked.append(list(pins.parse(Path(args[args.index("--requirement") + 1]).read_text(encoding="utf-8"))))
        return int(args[0] == "download")

    monkeypatch.setattr(wheelhouse.from_index, "download", index)
    monkeypatch.setattr(wheelhouse, "_pip", pip)
    with pytest.raises(SystemExit, match="could not download"):
        wheelhouse.fill(row, "")
    assert asked == [["common", "rare", "setuptools"], ["rare"]]
