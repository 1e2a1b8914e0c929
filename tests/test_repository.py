"""What the repository holds: text, voices, and nothing that was downloaded."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_large_files_are_voices() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone of the repository")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name]
    large = [path for path in files if path.is_file() and path.stat().st_size > 1_000_000]
    assert large
    assert not [path for path in large if path.suffix != ".onnx"]
