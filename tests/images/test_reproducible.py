"""Two builds of the same checkout have equal layers, so that images with equal pins share them."""

import hashlib
import json
import subprocess
import tarfile
from typing import Any

import pytest

from tests.images.containers import docker
from tools import matrix

pytestmark = [pytest.mark.docker, pytest.mark.slow]

AGAIN = "voxmatrix-again"


def layers(image: str) -> list[str]:
    listed: list[str] = json.loads(docker("image", "inspect", "--format", "{{json .RootFS.Layers}}", image).stdout)
    return listed


def content(image: str, digests: set[str]) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Of each of these layers of an image: its paths, each with all that the archive says of it."""
    found = {}
    with subprocess.Popen(["docker", "image", "save", image], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                digest = f"sha256:{member.name.removeprefix('blobs/sha256/')}"
                if digest in digests:
                    with tarfile.open(fileobj=archive.extractfile(member), mode="r|") as layer:
                        found[digest] = {entry.name: described(layer, entry) for entry in layer}
    return found


def described(layer: tarfile.TarFile, entry: tarfile.TarInfo) -> tuple[Any, ...]:
    file = layer.extractfile(entry) if entry.isfile() else None
    inside = entry.linkname if file is None else hashlib.sha256(file.read()).hexdigest()
    return (entry.type, entry.mode, entry.uid, entry.gid, entry.mtime, tuple(entry.pax_headers.items()), inside)


@pytest.mark.usefixtures("one_image")
def test_a_build_without_caches_has_the_same_layers(image: str, row: matrix.Row) -> None:
    again = f"{AGAIN}:{row.name}"
    *command, context = matrix.command(row, matrix.this_build(row))
    command[command.index("--tag") + 1] = again
    done = subprocess.run(
        [*command, "--no-cache", context], cwd=matrix.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    try:
        pairs = list(zip(layers(image), layers(again), strict=True))
        first = content(image, {one for one, other in pairs if one != other})
        second = content(again, {other for one, other in pairs if one != other})
    finally:
        docker("image", "rm", again)
    for one, other in pairs:
        if one != other:
            assert different(first[one], second[other]) == {}


def different(one: dict[str, tuple[Any, ...]], other: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """The paths that differ. A folder that only one layer names may be unchanged.

    Docker's overlay2 driver lists such folders (/etc and /tmp, which every step touches) in a layer over a layer of the
    same build, and not over one whose equal it already had.
    """
    return {
        path: (one.get(path), other.get(path))
        for path in one.keys() | other.keys()
        if one.get(path) != other.get(path)
        and not (path not in one and other[path][0] == tarfile.DIRTYPE)
        and not (path not in other and one[path][0] == tarfile.DIRTYPE)
    }
