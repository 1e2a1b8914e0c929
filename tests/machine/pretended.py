"""A pretended root folder: the small files of a kernel."""

from collections.abc import Mapping
from pathlib import Path


def pretend(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root
