"""The tests of the patches beside the torch of every image, each in an environment of its own: `./run patches`.

PyPI's wheels on the CPU: what is mended shows without a GPU. An environment takes 3 to 6 GB and is deleted when its
tests have run. At the end stands the table of docs/patches.md. Standard library only.
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

from tools import matrix, pins

#: What an environment may need while it is made.
NEEDED_BYTES = 9_000_000_000
_TESTS = "tests/entrypoint"
_VERSIONS = "import torch, importlib.metadata as m; print(torch.__version__, m.version('torchaudio'))"


@dataclass(frozen=True, kw_only=True, order=True)
class Pair:
    """Versions that are installed together."""

    torch: str
    torchaudio: str

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return f"{self.torch}/{self.torchaudio}"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What showed beside one torch."""

    versions: str  # as they were installed, e.g. 2.6.0+cu124 2.6.0
    states: dict[str, str]  # id of a patch → what became of it
    tests: str  # pytest's last line


def main(words: Sequence[str]) -> int:
    """Test beside each pair; 1 when a test failed or an environment could not be made."""
    parser = argparse.ArgumentParser(prog="./run patches --", description=__doc__)
    parser.add_argument("pairs", nargs="*", metavar="TORCH/TORCHAUDIO", help="instead of those of the images")
    parser.add_argument("--keep", action="store_true", help="do not delete the environments")
    parser.add_argument("--tests", default=_TESTS, help=f"what pytest runs ({_TESTS})")
    given = parser.parse_args(words)
    seen: list[Seen | None] = []
    for pair in map(parse_pair, given.pairs) if given.pairs else pairs_of_images():
        seen.append(_beside(pair, given.tests, given.keep))
    good = [each for each in seen if each is not None]
    print("\n".join(table(good)))
    return 0 if len(good) == len(seen) and all(passed(each) for each in good) else 1


def parse_pair(text: str) -> Pair:
    """From "2.15.0/2.11.0".

    Raises:
        SystemExit: it is not two versions.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)+)/(\d+(?:\.\d+)+)", text)
    if found is None:
        raise SystemExit(f"{text!r} is not TORCH/TORCHAUDIO, e.g. 2.15.0/2.11.0")
    return Pair(torch=found[1], torchaudio=found[2])


def pairs_of_images() -> list[Pair]:
    """Those of the rows of docker/images.toml, the oldest first. Nightly builds are not on PyPI."""
    rows = [row for row in matrix.rows().values() if row.channel == "stable"]
    pairs = {Pair(torch=row.torch, torchaudio=row.torchaudio) for row in rows}
    return sorted(pairs, key=lambda pair: [int(number) for number in pair.torch.split(".")])


def table(seen: Sequence[Seen]) -> list[str]:
    """As docs/patches.md holds it."""
    ids = list(seen[0].states) if seen else []
    heads = ["torch, torchaudio", *(f"`{name}`" for name in ids), "tests"]
    rows = [[each.versions, *each.states.values(), each.tests] for each in seen]
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def passed(seen: Seen) -> bool:
    """Whether every test passed or was skipped with its reason."""
    return "passed" in seen.tests and not re.search(r"failed|error", seen.tests)


def requirements() -> list[str]:
    """What the project and its tests need, without torch: the versions of that are the question."""
    project = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
    return ["setuptools", *(each for each in needed if not re.match(r"torch(audio)?\b", each))]


def constraints(installed: str) -> str:
    """What torch brought along stays (`pip freeze` lists it); all else comes in the locked versions of the home row."""
    here = pins.parse(installed)
    known = pins.parse((matrix.ROOT / matrix.rows()["cpu"].pins).read_text(encoding="utf-8"))
    others = {name: pin for name, pin in known.items() if name not in here and name not in ("torch", "torchaudio")}
    return pins.constraints({**here, **others})


def _beside(pair: Pair, tests: str, keep: bool) -> Seen | None:
    folder = matrix.ROOT / ".nox" / f"patches-{pair.torch}"
    if not folder.exists() and shutil.disk_usage(matrix.ROOT).free < NEEDED_BYTES:
        _say(f"{pair.name} is left out: less than {NEEDED_BYTES / 1e9:.0f} GB are free on this disk")
        return None
    try:
        python = _environment(folder, pair)
        return _seen(python, tests)
    except subprocess.CalledProcessError as error:
        _say(f"{pair.name}: {' '.join(map(str, error.cmd))[:200]} ended with {error.returncode}")
        return None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, pair: Pair) -> Path:
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        _say(f"{pair.name}: making {folder}")
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
    _say(f"testing beside {versions}")
    listed: dict[str, Any] = json.loads(
        _run(python, "-m", "voxmatrix_entrypoint", "patches", "--try", "--json", read=True)
    )
    words: list[str | Path] = [python, "-m", "pytest", "-rfE", *tests.split()]
    ran = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, cwd=matrix.ROOT)
    print(ran.stdout)
    last = (ran.stdout.strip().splitlines() or [""])[-1].strip("= ")
    tests_said = re.sub(r" in [\d.]+s.*", "", last)
    return Seen(
        versions=versions,
        states={one["id"]: one["state"] for one in listed["patches"]},
        tests=tests_said if ran.returncode == 0 else f"{tests_said} (failed)",
    )


def _run(*words: str | Path, read: bool = False) -> str:
    output = subprocess.PIPE if read else None
    return subprocess.run(words, stdout=output, text=True, check=True, cwd=matrix.ROOT).stdout or ""


def _say(line: str) -> None:
    print(f"patches: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
