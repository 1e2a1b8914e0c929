"""Fill wheelhouse/ROW/ with the locked files: `python -m tools.locks.wheelhouse ROW` (`./run wheelhouse-ROW`)."""

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools import matrix
from tools.images.building import named_index, torch_index
from tools.locks import from_index, pins
from tools.locks.lock import only_on_torchs_index
from tools.locks.pip_config import pip_values

#: torch may have an index of its own; with setuptools, pip reads the name of a source distribution.
TORCH, SETUPTOOLS = "torch", "setuptools"
THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def fill(row: matrix.Row, torch_index: str) -> None:
    """Download every locked file of a row, and remove files that are no longer locked.

    torch comes from `torch_index`, or where pip finds it: its index, or local files (find-links).
    """
    if row.python != THIS_PYTHON:
        raise SystemExit(
            f"this is Python {THIS_PYTHON}, but the image '{row.name}' needs wheels for Python {row.python}\n"
            f"  → remove .run and run PYTHON=python{row.python} ./run wheelhouse-{row.name}"
        )
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    folder = matrix.ROOT / row.wheelhouse
    folder.mkdir(parents=True, exist_ok=True)
    here = {f"sha256:{_sha256(path)}" for path in folder.iterdir()}
    missing = [pin for pin in locked.values() if not pin.hashes & here]
    from_torch = [pin for pin in missing if pin.name in (TORCH, *only_on_torchs_index(row))]
    where = _where_torch_is(row, torch_index) if from_torch else []
    left = from_index.download([pin for pin in missing if not where or pin not in from_torch], folder)
    if where:
        _download(folder, from_torch, *where)
    if left:
        _pip("install", "--quiet", f"{SETUPTOOLS}=={locked[SETUPTOOLS].version}")
        _download(folder, left)
    for path in unlocked_files(folder, locked.values()):
        print(f"removed {path.name}: not in {row.pins}")
        path.unlink()
    sizes = [path.stat().st_size for path in folder.iterdir()]
    print(f"{row.wheelhouse}: {len(sizes)} files, {sum(sizes) / 1e6:.0f} MB")


def _where_torch_is(row: matrix.Row, torch_index: str) -> list[str]:
    """The options of pip that name the index of a row's torch; none for pip's own."""
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
    return [] if is_pips else ["--index-url", torch_index]


def _download(folder: Path, chosen: Iterable[pins.Pin], *args: str) -> None:
    """Let pip download what the index of all packages does not have."""
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(pins.render(chosen, "a part of the pins"), encoding="utf-8")
        options = ["--quiet", "--require-hashes", "--no-deps", "--no-build-isolation", "--prefer-binary"]
        options += ["--dest", str(folder), "--requirement", str(requirements), *args]
        if _pip("download", *options):
            raise SystemExit("pip could not download the locked files; see its output above")


def _pip(*args: str) -> int:
    return subprocess.run([sys.executable, "-m", "pip", *args], check=False).returncode


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
