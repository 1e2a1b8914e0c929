"""Run the tests of the patches with the torch of every image, each in its own environment: `./run patches`.

Uses the wheels of PyPI on the CPU; the patched defects need no GPU to show. An environment takes 3 to 6 GB and is
deleted after its tests. Prints the table for docs/inside/patches.md at the end. Standard library only.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import matrix
from tools.locks import pins

#: Disk space that creating an environment may need.
NEEDED_BYTES = 9_000_000_000
_TESTS = "tests/entrypoint"
_VERSIONS = "import torch, importlib.metadata as m; print(torch.__version__, m.version('torchaudio'))"


@dataclass(frozen=True, kw_only=True, order=True)
class Pair:
    """Versions of torch and torchaudio that are installed together."""

    torch: str
    torchaudio: str

    @property
    def name(self) -> str:
        """The pair as written on the command line."""
        return f"{self.torch}/{self.torchaudio}"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The results with one torch."""

    versions: str  # as installed, e.g. 2.6.0+cu124 2.6.0
    states: dict[str, str]  # patch id → state
    tests: str  # the last line of pytest


def main(argv: Sequence[str]) -> int:
    """Test each pair. The exit code is 1 if a test failed or an environment could not be created."""
    parser = argparse.ArgumentParser(prog="./run patches --", description=__doc__)
    parser.add_argument("pairs", nargs="*", metavar="TORCH/TORCHAUDIO", help="versions (default: those of the images)")
    parser.add_argument("--keep", action="store_true", help="do not delete the environments")
    parser.add_argument("--tests", default=_TESTS, help=f"arguments for pytest (default: {_TESTS})")
    args = parser.parse_args(argv)
    seen: list[Seen | None] = []
    for pair in map(parse_pair, args.pairs) if args.pairs else pairs_of_images():
        seen.append(_beside(pair, args.tests, args.keep))
    tested = [result for result in seen if result is not None]
    print("\n".join(table(tested)))
    return 0 if len(tested) == len(seen) and all(map(passed, tested)) else 1


def parse_pair(text: str) -> Pair:
    """Parse "2.15.0/2.11.0".

    Raises:
        SystemExit: the text is not two versions.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)+)/(\d+(?:\.\d+)+)", text)
    if found is None:
        raise SystemExit(f"{text!r} is not TORCH/TORCHAUDIO, e.g. 2.15.0/2.11.0")
    return Pair(torch=found[1], torchaudio=found[2])


def pairs_of_images() -> list[Pair]:
    """The pairs of the rows in docker/images.toml, oldest first, without nightlies, which are not on PyPI."""
    rows = [row for row in matrix.rows().values() if row.channel == "stable"]
    pairs = {Pair(torch=row.torch, torchaudio=row.torchaudio) for row in rows}
    return sorted(pairs, key=lambda pair: [int(number) for number in pair.torch.split(".")])


def table(seen: Sequence[Seen]) -> list[str]:
    """The lines of the table in docs/inside/patches.md."""
    ids = list(seen[0].states) if seen else []
    heads = ["torch, torchaudio", *(f"`{name}`" for name in ids), "tests"]
    rows = [[result.versions, *result.states.values(), result.tests] for result in seen]
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def passed(seen: Seen) -> bool:
    """Whether every test passed or was skipped."""
    return "passed" in seen.tests and not re.search(r"failed|error", seen.tests)


def requirements() -> list[str]:
    """The requirements of the project and its tests, without torch and torchaudio."""
    project = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
    return ["setuptools", *(requirement for requirement in needed if not re.match(r"torch(audio)?\b", requirement))]


def constraints(installed: str) -> str:
    """Constraints that keep what torch installed (`installed`: pip freeze), and use the pins of `cpu` for the rest."""
    kept = pins.parse(installed)
    locked = pins.parse((matrix.ROOT / matrix.rows()["cpu"].pins).read_text(encoding="utf-8"))
    others = {name: pin for name, pin in locked.items() if name not in kept and name not in ("torch", "torchaudio")}
    return pins.constraints({**kept, **others})


def _beside(pair: Pair, tests: str, keep: bool) -> Seen | None:
    folder = matrix.ROOT / ".nox" / f"patches-{pair.torch}"
    if not folder.exists() and shutil.disk_usage(matrix.ROOT).free < NEEDED_BYTES:
        _log(f"{pair.name} is skipped: less than {NEEDED_BYTES / 1e9:.0f} GB are free on this disk")
        return None
    try:
        python = _environment(folder, pair)
        return _seen(python, tests)
    except subprocess.CalledProcessError as error:
        _log(f"{pair.name}: {' '.join(map(str, error.cmd))[:200]} ended with {error.returncode}")
        return None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, pair: Pair) -> Path:
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        _log(f"{pair.name}: creating {folder}")
        _run(sys.executable, "-m", "venv", folder)
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    _run(*pip, f"torch=={pair.torch}", f"torchaudio=={pair.torchaudio}")
    limits = folder / "constraints.txt"
    limits.write_text(constraints(_run(python, "-m", "pip", "freeze", read=True)), encoding="utf-8")
    _run(*pip, "--constraint", limits, *requirements())
    _run(*pip, "--no-deps", "--editable", matrix.ROOT)
    return python


def _seen(python: Path, tests: str) -> Seen:
    versions = _run(python, "-W", "ignore", "-c", _VERSIONS, read=True).strip()
    _log(f"testing with {versions}")
    listed: dict[str, Any] = json.loads(
        _run(python, "-m", "voxmatrix_entrypoint", "patches", "--try", "--json", read=True)
    )
    command: list[str | Path] = [python, "-m", "pytest", "-rfE", *tests.split()]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=matrix.ROOT)
    print(ran.stdout)
    last = (ran.stdout.strip().splitlines() or [""])[-1].strip("= ")
    summary = re.sub(r" in [\d.]+s.*", "", last)
    return Seen(
        versions=versions,
        states={one["id"]: one["state"] for one in listed["patches"]},
        tests=summary if ran.returncode == 0 else f"{summary} (failed)",
    )


def _run(*command: str | Path, read: bool = False) -> str:
    output = subprocess.PIPE if read else None
    return subprocess.run(command, stdout=output, text=True, check=True, cwd=matrix.ROOT).stdout or ""


def _log(line: str) -> None:
    print(f"patches: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
