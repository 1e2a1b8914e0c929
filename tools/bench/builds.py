"""Measure the build time of the images: from the base image, and after a change to the app. Prints one JSON object.

    python -m tools.bench.builds [ROW …]      default: all rows with status "tested"

Wheels come from pip's index or from the pip cache of the Docker engine. The base image must exist, and so must the
wheelhouse of `cpu` where no index has its torch.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools import matrix
from tools.images import building
from tools.images.engine import inspect

#: What a build reads from a checkout; not .git, since the revision is a build argument.
_CONTEXT = (".dockerignore", "LICENSE", "README.md", "app", "docker", "entrypoint", "pyproject.toml", "samples/voices")
CHANGES = 3


def main(names: Sequence[str]) -> None:
    """Build each row once from scratch, then CHANGES times with a changed file."""
    table = matrix.rows()
    chosen = [table[name] for name in names] or [row for row in table.values() if row.status == "tested"]
    figures = {row.name: _figures(row) for row in chosen}
    print(
        json.dumps(
            {"setting": f"{os.cpu_count()} cores; seconds; a change in app/ is one added line", **figures}, indent=1
        )
    )


def _figures(row: matrix.Row) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        context = Path(folder)
        for name in (*_CONTEXT, row.dockerfile):
            _copy(matrix.ROOT / name, context / name)
        if (matrix.ROOT / row.wheelhouse).is_dir():
            (context / "wheelhouse").mkdir()
            (context / row.wheelhouse).symlink_to(matrix.ROOT / row.wheelhouse)
        whole, before = _build(row, context, "--no-cache")
        changed = [_changed(row, context, number) for number in range(CHANGES)]
    times, images = [seconds for seconds, _ in changed], [before, *(image for _, image in changed)]
    one, other = (_layers(image) for image in (images[0], images[-1]))
    subprocess.run(["docker", "image", "rm", "--force", *images], capture_output=True, check=False)
    return {
        "from the base on": whole,
        "after a change in app/": sorted(times)[CHANGES // 2],
        "wanted": "at most 10",
        "each": times,
        "layers of the version before": f"{sum(map(str.__eq__, one, other))} of {len(other)}",
    }


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _changed(row: matrix.Row, context: Path, number: int) -> tuple[float, str]:
    with (context / "app" / "voxmatrix" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write(f"# {time.time()} {number}\n")
    return _build(row, context)


def _build(row: matrix.Row, context: Path, *flags: str) -> tuple[float, str]:
    """Build the row; the seconds and the id of the image."""
    command = building.command(row, building.this_build(row))
    command[command.index("--tag") + 1] = _name(row)
    began = time.monotonic()
    done = subprocess.run([*command[:-1], *flags, "."], cwd=context, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"building {row.name} failed:\n{done.stderr[-4000:]}")
    return round(time.monotonic() - began, 1), inspect(_name(row), ".Id")


def _layers(image: str) -> list[str]:
    found: list[str] = json.loads(inspect(image, "json .RootFS.Layers"))
    return found


def _name(row: matrix.Row) -> str:
    return f"voxmatrix-bench:{row.name}"


if __name__ == "__main__":
    main(sys.argv[1:])
