"""An image of ours with a further package, as docs/images.md describes it."""

import ast
import os
from collections.abc import Iterator

import pytest

from tests.images.containers import docker
from tools import matrix
from tools.images import building

pytestmark = [pytest.mark.docker, pytest.mark.index]

EXTENDED = "voxmatrix-test:extended"


@pytest.fixture(scope="module")
def extended(one_image: None, image: str, row: matrix.Row) -> Iterator[str]:
    build = building.this_build(row)
    words = ["--file", "docker/Dockerfile.extend", "--tag", EXTENDED, "--load", "--network", build.network]
    words += ["--build-arg", f"IMAGE={image}", "--build-arg", "PACKAGES=iniconfig==2.1.0"]
    words += ["--secret", f"id=ca,src={build.ca}"] if build.ca else []
    # The image that it stands on is only in the engine's own store.
    os.environ.setdefault("BUILDX_BUILDER", "default")
    docker("buildx", "build", *words, str(matrix.ROOT / "docker"))
    yield EXTENDED
    docker("image", "rm", "--force", EXTENDED)


def test_it_has_the_package_and_is_otherwise_as_before(extended: str, image: str) -> None:
    code = "import importlib.metadata as m; print(sorted(f'{d.name}=={d.version}' for d in m.distributions()))"
    restricted = ("--rm", "--read-only", "--tmpfs", "/tmp", "--network", "none", "--user", "12345:0")
    told = (docker("run", *restricted, which, "python3", "-c", code).stdout for which in (image, extended))
    before, after = (set(ast.literal_eval(text)) for text in told)
    assert after - before == {"iniconfig==2.1.0"}
    assert not before - after
    assert docker("run", *restricted, extended, "id", "-u").stdout.strip() == "12345"
    assert docker("run", "--rm", extended, "bash", "-c", "id -u; command -v pip || true").stdout == "1000\n"
