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
