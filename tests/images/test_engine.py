"""An image with an engine: one layer on that of the row, without weights, that speaks without a network."""

import json
import os
from pathlib import Path

import pytest

from tests.images.containers import Hardened, docker, is_built, owner
from tools import matrix
from tools.images.engines import Engine, engines

_PAIRS = [
    (engine, matrix.rows()[row])
    for engine in engines().values()
    for row in engine.rows
    if os.environ.get("VOXMATRIX_ENGINE", engine.name) == engine.name and os.environ.get("VOXMATRIX_ROW", row) == row
]


@pytest.fixture(scope="module", params=_PAIRS, ids=lambda pair: pair[0].image(pair[1]))
def pair(request: pytest.FixtureRequest) -> tuple[Engine, matrix.Row]:
    engine, row = request.param
    if not is_built(engine.image(row)):
        absence = f"{engine.image(row)} is not built: ./run build-{row.name}-{engine.name}"
        if "VOXMATRIX_ENGINE" in os.environ:
            pytest.fail(absence)
        pytest.skip(absence)
    return engine, row


@pytest.fixture
def hardened(pair: tuple[Engine, matrix.Row], tmp_path: Path) -> Hardened:
    data, nothing = tmp_path / "data", tmp_path / "nothing"
    data.mkdir()
    nothing.mkdir()
    return Hardened(pair[0].image(pair[1]), data, nothing, owner(data))


def test_it_adds_one_layer_of_the_promised_size(pair: tuple[Engine, matrix.Row]) -> None:
    engine, row = pair
    layers = docker("history", "--human=false", "--format", "{{.Size}}", engine.image(row)).stdout.split()
    of_the_row = docker("history", "--human=false", "--format", "{{.Size}}", row.image).stdout.split()
    added = [int(size) for size in layers[: len(layers) - len(of_the_row)] if int(size)]
    assert len(added) == 1
    if not engine.size_mb[row.name]:
        pytest.skip("its size is not known: it was never built")
    assert added[0] <= engine.size_mb[row.name] * 1_000_000


def test_it_has_no_weights_and_its_sbom_names_its_packages(pair: tuple[Engine, matrix.Row]) -> None:
    engine, row = pair
    image = engine.image(row)
    find = "find / -xdev -name '*.safetensors' -o -xdev -name 'model*.bin' -size +1M"
    assert docker("run", "--rm", "--user", "0", "--entrypoint", "sh", image, "-c", find).stdout == ""
    sbom = json.loads(docker("run", "--rm", "--entrypoint", "cat", image, "/opt/voxmatrix/sbom.cdx.json").stdout)
    names = {component["name"].lower() for component in sbom["components"]}
    assert {word.partition("==")[0] for word in engine.requires} <= names


def test_it_speaks_with_random_weights_as_any_user_without_a_network(
    pair: tuple[Engine, matrix.Row], hardened: Hardened
) -> None:
    engine, _ = pair
    (row,) = (
        row
        for row in json.loads(hardened.run("engines", "list", "--json").stdout)["engines"]
        if row["name"] == engine.name
    )
    assert row["installed"] and row["device"] == "cpu"
    assert f"they speak: {engine.name}" in hardened.run("engines", "check", engine.name).stdout
    folder = f"/opt/engines/{engine.name}"
    make = (f"{folder}/env/bin/python", "-I", f"{folder}/fixture.py", "/data/made")
    docker("run", "--rm", *hardened.flags(), "--entrypoint", make[0], hardened.image, *make[1:])
    words = ("engines", "install", engine.name, "--weights", "/data/made", "--accept-licence", "--json")
    voice = json.loads(hardened.run(*words).stdout.splitlines()[-1])["voice"]
    if voice is not None:  # else it imitates a recording
        hardened.run("speak", "--voice", voice, "--text", "Hello there.", "--out", "/data/a.wav")
        assert (hardened.data / "a.wav").stat().st_size > 10_000
    assert not hardened.strangers()
