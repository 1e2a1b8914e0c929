"""What the tests of an image share: the row, its image, a few recordings."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.images.containers import Hardened, docker, is_built, owner
from tools import matrix

#: With less than a minute of speech, `train` requires --force.
CLIPS = 30


def _rows() -> list[matrix.Row]:
    """The row that a task is about, else all that are tested where releases are made: those that are not built skip."""
    chosen = os.environ.get("VOXMATRIX_ROW")
    return [row for row in matrix.rows().values() if (row.status == "tested" if chosen is None else row.name == chosen)]


@pytest.fixture(scope="session", params=_rows(), ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> matrix.Row:
    chosen: matrix.Row = request.param
    return chosen


@pytest.fixture(scope="session")
def image(row: matrix.Row) -> str:
    if not is_built(row.image):
        absence = f"{row.image} is not built: ./run build-{row.name}"
        promised = "docker" in os.environ.get("VOXMATRIX_REQUIRE", "").split(",")
        if promised and os.environ.get("VOXMATRIX_ROW") == row.name:
            pytest.fail(absence)
        pytest.skip(absence)
    return row.image


@pytest.fixture(scope="session")
def one_image(row: matrix.Row) -> None:
    """For tests of what is the same in every image, and takes long: `cpu` is enough."""
    if row.cuda:
        pytest.skip("the same as in `cpu`, which has the same steps and the same program")


@pytest.fixture(scope="session")
def facts(image: str) -> dict[str, Any]:
    """What `docker image inspect` says."""
    answer: list[dict[str, Any]] = json.loads(docker("image", "inspect", image).stdout)
    return answer[0]


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few of the English samples, readable by everybody."""
    source = matrix.ROOT / "samples" / "en"
    folder = tmp_path_factory.mktemp("recordings")
    lines = (source / "metadata.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:CLIPS]
    (folder / "metadata.csv").write_text("".join(lines), encoding="utf-8")
    shutil.copytree(source / "wavs", folder / "wavs")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.fixture(scope="module")
def hardened(image: str, recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hardened]:
    """A folder for /data of its own for each module: its tests tell one story, from top to bottom."""
    data = tmp_path_factory.mktemp("data")
    yield Hardened(image=image, data=data, recordings=recordings, user=owner(data))
    shutil.rmtree(data, ignore_errors=True)
