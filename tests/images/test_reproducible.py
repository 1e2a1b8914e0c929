"""Two builds of the same checkout have equal layers, so that images with equal pins share them."""

import json
import subprocess

import pytest

from tests.images.containers import docker
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.slow]

AGAIN = "voxmatrix-again"


def layers(image: str) -> list[str]:
    listed: list[str] = json.loads(docker("image", "inspect", "--format", "{{json .RootFS.Layers}}", image).stdout)
    return listed


def test_a_build_without_caches_has_the_same_layers(image: str, row: matrix.Row) -> None:
    if row.cuda:
        pytest.skip("the same steps as in `cpu`, and gigabytes more")
    *command, context = matrix.command(row, matrix.this_build(row))
    command[command.index("--tag") + 1] = f"{AGAIN}:{row.name}"
    done = subprocess.run(
        [*command, "--no-cache", context], cwd=matrix.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    try:
        assert layers(f"{AGAIN}:{row.name}") == layers(image)
    finally:
        docker("image", "rm", f"{AGAIN}:{row.name}")
