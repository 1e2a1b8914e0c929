"""docker/engines.toml: which engine is built for which row, and with what."""

import shlex
from pathlib import Path

import pytest

from tools import matrix
from tools.images import bakefile, building
from tools.images.engines import Engine, engines
from tools.locks import pins

ENGINES = engines()
PAIRS = [(engine, matrix.rows()[row]) for engine in ENGINES.values() for row in engine.rows]
GOOD = '[hf]\nrequires = ["x"]\nrows = ["cpu"]\nsize_mb = {cpu = 1}\nstatus = {cpu = "tested"}\n'


@pytest.mark.parametrize(("engine", "row"), PAIRS)
def test_each_image_has_a_lock_of_what_its_row_lacks(engine: Engine, row: matrix.Row) -> None:
    locked = pins.parse((matrix.ROOT / engine.pins(row)).read_text(encoding="utf-8"))
    of_the_row = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    assert not locked.keys() & of_the_row.keys()
    assert all(pin.hashes for pin in locked.values())
    for requirement in engine.requires:
        name, _, version = requirement.partition("==")
        pin = (of_the_row | locked)[name]
        assert version in ("", pin.version)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
def test_an_installation_has_everything_but_torch_with_hashes(engine: Engine) -> None:
    locked = pins.parse(engine.lock.read_text(encoding="utf-8"))
    assert {requirement.partition("==")[0] for requirement in engine.requires} <= locked.keys()
    assert not {"torch", "torchaudio", "triton", "sympy"} & locked.keys()
    assert not [name for name in locked if name.startswith("nvidia-")]
    assert all(pin.hashes for pin in locked.values())


def test_it_is_built_on_the_image_of_the_row() -> None:
    row = matrix.rows()["cpu"]
    words = shlex.join(building.engine_command(ENGINES["hf"], row, building.Build(version="1")))
    wanted = "--build-arg IMAGE=voxmatrix:cpu --build-arg ENGINE=hf --build-arg PINS=engine-hf-cpu.txt"
    assert f"--file docker/Dockerfile.engine --tag voxmatrix:cpu-hf {wanted} " in words


def test_jobs_build_the_tested_engines_of_their_row() -> None:
    jobs = {job["row"]: job["engines"].split() for job in bakefile.ci(matrix.rows().values())["include"]}
    assert "hf" in jobs["cpu"]
    for row, names in jobs.items():
        assert all(ENGINES[name].status[row] == "tested" and ENGINES[name].size_mb[row] for name in names)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('rows = ["cpu"]', 'rows = ["gpu"]', "rows has gpu"),
        ("size_mb = {cpu = 1}", "size_mb = {}", "size_mb must have a value for each of cpu"),
        ("size_mb = {cpu = 1}", "size_mb = {cpu = 0}", "size_mb of cpu is 0"),
        ('"tested"', '"good"', "the status of cpu is 'good'"),
        ("[hf]", "[other]", "has no pack"),
        ('requires = ["x"]\n', "", "requires"),
        ("[hf]", "[hf", "is invalid"),
    ],
)
def test_a_wrong_value_is_named(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "engines.toml"
    table.write_text(GOOD)
    assert engines(table)["hf"].size_mb == {"cpu": 1}
    table.write_text(GOOD.replace(right, wrong))
    with pytest.raises(matrix.MatrixError, match=message):
        engines(table)
