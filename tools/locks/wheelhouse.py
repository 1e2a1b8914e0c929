"""Fill wheelhouse/ROW/ with the locked files: `python -m tools.locks.wheelhouse ROW` (`./run wheelhouse-ROW`)."""

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools import matrix
from tools.images.building import named_index, torch_index
from tools.locks import pins
from tools.locks.lock import only_on_torchs_index
from tools.locks.pip_config import pip_values

#: These come first: torch from its own index, setuptools to build what exists only as a source distribution.
TORCH, SETUPTOOLS = "torch", "setuptools"
THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def fill(row: matrix.Row, torch_index: str) -> None:
    """Download every locked file of a row, and remove files that are no longer locked.

    torch comes from local files (find-links) if possible, else from the index in the environment or in pip's
    configuration, else from `torch_index`.
    """
    if row.python != THIS_PYTHON:
        raise SystemExit(
            f"this is Python {THIS_PYTHON}, but the image '{row.name}' needs wheels for Python {row.python}\n"
            f"  → remove .run and run PYTHON=python{row.python} ./run wheelhouse-{row.name}"
        )
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    folder = matrix.ROOT / row.wheelhouse
    folder.mkdir(parents=True, exist_ok=True)
    from_torch = [locked[name] for name in (TORCH, *only_on_torchs_index(row)) if name in locked]
    if not _downloaded(folder, from_torch, "--no-index", "--find-links", str(folder)):
        if row.torch_build and not torch_index:
            raise SystemExit(
                f"torch {row.torch}+{row.torch_build} is not in {row.wheelhouse}, and no index of such builds is set\n"
                f"  → run {row.index_variable}=https://…/{row.torch_build} ./run wheelhouse-{row.name}"
            )
        if not (row.cuda or torch_index or pip_values("index-url")):
            raise SystemExit(
                f"torch {row.torch} without CUDA is not in {row.wheelhouse}, and pip's default index does not have it\n"
                f"  → run VOXMATRIX_TORCH_INDEX=https://… ./run wheelhouse-{row.name} with torch's index of CPU builds"
            )
        is_pips = not torch_index or (named_index(row) is None and pip_values("index-url"))
        _download(folder, from_torch, *([] if is_pips else ["--index-url", torch_index]))
    _pip("install", "--quiet", f"{SETUPTOOLS}=={locked[SETUPTOOLS].version}")
    _download(folder, [pin for pin in locked.values() if pin not in from_torch])
    for path in unlocked_files(folder, locked.values()):
        print(f"removed {path.name}: not in {row.pins}")
        path.unlink()
    sizes = [path.stat().st_size for path in folder.iterdir()]
    print(f"{row.wheelhouse}: {len(sizes)} files, {sum(sizes) / 1e6:.0f} MB")


def _download(folder: Path, chosen: Iterable[pins.Pin], *args: str) -> None:
    if not _downloaded(folder, chosen, *args, silent=False):
        raise SystemExit("pip could not download the locked files; see its output above")


def _downloaded(folder: Path, chosen: Iterable[pins.Pin], *args: str, silent: bool = True) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(pins.render(chosen, "a part of the pins"), encoding="utf-8")
        options = ["--quiet", "--require-hashes", "--no-deps", "--no-build-isolation", "--prefer-binary"]
        options += ["--dest", str(folder), "--requirement", str(requirements), *args]
        return _pip("download", *options, silent=silent) == 0


def _pip(*args: str, silent: bool = False) -> int:
    return subprocess.run([sys.executable, "-m", "pip", *args], capture_output=silent, check=False).returncode


def unlocked_files(folder: Path, locked: Iterable[pins.Pin]) -> list[Path]:
    """The files whose hash is in none of the pins."""
    hashes = frozenset().union(*(pin.hashes for pin in locked))
    return [path for path in folder.iterdir() if f"sha256:{_sha256(path)}" not in hashes]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    chosen_row = matrix.rows()[sys.argv[1]]
    fill(chosen_row, torch_index(chosen_row))
