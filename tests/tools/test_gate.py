"""docker/gate.py, the last word of a build."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import matrix


def _gate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(matrix.ROOT / "docker" / "gate.py"), *words],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": str(folder)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("version", "cuda", "promised", "passes"),
    [
        ("2.13.0+cpu", None, ("2.13.0",), True),
        ("2.13.0", None, ("2.13.0",), True),
        ("2.13.0+cu128", "12.8", ("2.13.0",), False),
        ("2.12.0+cpu", None, ("2.13.0",), False),
        ("2.6.0+cu124", "12.4", ("2.6.0", "12.4"), True),
        ("2.6.0+cpu", None, ("2.6.0", "12.4"), False),
    ],
)
def test_only_the_promised_torch_passes(
    tmp_path: Path, version: str, cuda: str | None, promised: tuple[str, ...], passes: bool
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise SystemExit('the gate must not import torch')")
    (tmp_path / "torch" / "version.py").write_text(f"__version__ = {version!r}\ncuda = {cuda!r}\n")
    done = _gate(tmp_path, *promised)
    assert (done.returncode == 0) is passes, done.stderr
    if not passes:
        assert version.partition("+")[0] in done.stderr
