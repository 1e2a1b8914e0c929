"""Whether an image was built and tested from what the checkout says of it: `python3 -m tools.images.stamp ROW`.

A stamp is a hash of what an image is made of and of its tests, but for the app: that changes with every commit, is the
same in all images, and is tested in `cpu`, which is always built. What has another stamp than .ci/stamps.json has is
built and tested again by .ci/run; `./run build-ROW smoke-ROW stamp-ROW` writes it. Standard library only.
"""

import argparse
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tools.images.rows import ROOT, Row, rows

STAMPS = Path(".ci/stamps.json")
#: Folders and files, but for the row, its Dockerfile and its pins.
PARTS = (".dockerignore", "docker", "entrypoint", "samples/voices", "tests/images", "tools/images/building.py")
#: Written down elsewhere (a row by its own facts, its pins by their own file), or about containers of finished images.
_OTHERS = (
    *("docker/images.toml", "docker/pins/"),
    *("docker/compose.yaml", "docker/cluster.yaml", "docker/kubernetes.yaml"),
)
#: Of pyproject.toml, what is installed; the rest is about tests and style.
_INSTALLED = ("build-system", "project")


def stamp(row: Row, root: Path = ROOT) -> str:
    """The hash of what the image of a row is made of, and of what tests it. A newer file alone does not change it."""
    digest = hashlib.sha256()
    for name, content in _contents(row, root):
        digest.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()


def _contents(row: Row, root: Path) -> Iterator[tuple[str, bytes]]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    installed = {**{name: project.get(name) for name in _INSTALLED}, "setuptools": project["tool"].get("setuptools")}
    yield "row", json.dumps(asdict(row), sort_keys=True).encode()
    yield "pyproject.toml", json.dumps(installed, sort_keys=True).encode()
    for path in sorted({root / row.dockerfile, root / row.pins, *_files(root)}):
        yield path.relative_to(root).as_posix(), path.read_bytes()


def _files(root: Path) -> Iterator[Path]:
    for part in PARTS:
        whole = root / part
        for path in whole.rglob("*") if whole.is_dir() else [whole]:
            name = path.relative_to(root).as_posix()
            if path.is_file() and "__pycache__" not in path.parts and not name.startswith(_OTHERS):
                yield path


def known(root: Path = ROOT) -> dict[str, str]:
    """The stamps of what was built and tested, by row."""
    path = root / STAMPS
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def renew(row: Row, root: Path = ROOT) -> None:
    """Write down that the image of a row was built and tested as the checkout has it."""
    stamps = dict(sorted((known(root) | {row.name: stamp(row, root)}).items()))
    (root / STAMPS).write_text(json.dumps(stamps, indent=2) + "\n", encoding="utf-8")


def main(argv: list[str]) -> int:
    """The exit code is 1 if a row must be built and tested again."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.images.stamp", description=__doc__.partition(":")[0])
    parser.add_argument("row", metavar="ROW", choices=rows())
    parser.add_argument("--renew", action="store_true", help="it was built and tested: write its stamp")
    asked = parser.parse_args(argv)
    row = rows()[asked.row]
    if asked.renew:
        renew(row)
    return int(known().get(row.name) != stamp(row))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
