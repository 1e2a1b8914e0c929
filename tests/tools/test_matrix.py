"""The words of tools/matrix.py, as a person on a bare machine types them."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from tools import matrix

MATRIX = matrix.ROOT / "tools" / "matrix.py"


def test_list_and_command_are_words_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["list"]) == 0
    assert capsys.readouterr().out.startswith("cpu ")
    assert matrix.main(["command", "cpu"]) == 0
    assert " --tag voxmatrix:cpu " in capsys.readouterr().out
    assert matrix.main(["command", "abacus"]) == 2
    assert "no row is called abacus" in capsys.readouterr().err
    assert matrix.main(["command", "directml-windows"]) == 2
    assert "is built on Windows: docs/windows.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("torch", "row"), [("cpu", "cpu"), ("cuda124", "cuda"), ("cu128", "blackwell"), ("rocm", "rocm")]
)
def test_a_row_is_found_by_its_torch(torch: str, row: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["row", torch]) == 0
    assert capsys.readouterr() == (f"{row}\n", "")


@pytest.mark.parametrize(
    ("torch", "row"),
    [
        ("cuda121", "cuda"), ("cuda12.4", "cuda"), ("cuda-12.6", "cuda"), ("cu129", "blackwell"), ("cuda130", "cuda13"),
        ("rocm72", "rocm"), ("rocm7.1", "rocm"), ("nightly", "blackwell-nightly"), ("cuda12.4.1", "cuda"),
        ("2.10.0+cu128", "blackwell"), ("2.7.0-cuda12.8-cudnn9-runtime", "blackwell"), ("2.9.0+rocm7.0", "rocm"),
        ("2.13.0+cpu", "cpu"), ("2.9.1+xpu", "xpu"), ("12.8", "blackwell"),
    ],
)  # fmt: skip
def test_a_torch_of_another_guide_names_the_row_that_serves(
    torch: str, row: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert matrix.main(["row", torch]) == 0
    assert capsys.readouterr() == (
        f"{row}\n", f"no row has the torch {torch}; {row} serves its GPUs and drivers\n",
    )  # fmt: skip


@pytest.mark.parametrize("torch", ["cuda118", "cuda140", "rocm6.4", "metal", "nightly2", "2.7.0", "12"])
def test_a_torch_for_other_drivers_is_served_by_none(torch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["row", torch]) == 2
    assert f"no row has the torch {torch}; there are cpu" in capsys.readouterr().err


def test_without_a_torch_the_row_is_that_of_this_computer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")  # no nvidia-smi
    assert matrix.main(["row"]) == 0
    assert capsys.readouterr().out == "cpu\n"


def test_an_unknown_torch_names_those_that_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["row", "cuda999"]) == 2
    assert "no row has the torch cuda999; there are cpu, cuda, cu124" in capsys.readouterr().err


def test_it_needs_nothing_but_the_standard_library() -> None:
    for words in (["list", "--json"], ["bake"], ["ci"], ["recommend", "--capability", "12.0", "--json"]):
        said = subprocess.run(
            [sys.executable, "-S", "-I", str(MATRIX), *words], capture_output=True, text=True, check=False, cwd="/"
        )
        assert said.returncode == 0, said.stderr
        assert json.loads(said.stdout)


def test_the_bake_file_says_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["bake"]) == 0
    baked = json.loads(capsys.readouterr().out)
    assert baked["group"]["default"]["targets"] == [name for name, row in matrix.rows().items() if row.can_be_built]
    for name, target in baked["target"].items():
        row = matrix.rows()[name]
        build = matrix.this_build(row)
        assert (target["dockerfile"], target["tags"]) == (row.dockerfile, [row.image])
        assert target["args"] == matrix.arguments(row, build)
        assert target["labels"] == matrix.labels(row, build)
    assert matrix.main(["bake", "cuda"]) == 0
    assert list(json.loads(capsys.readouterr().out)["target"]) == ["cuda"]


@pytest.mark.docker
def test_buildx_understands_the_bake_file() -> None:
    baked = subprocess.run([sys.executable, str(MATRIX), "bake"], capture_output=True, text=True, check=True).stdout
    said = subprocess.run(
        ["docker", "buildx", "bake", "-f", "-", "--print"], input=baked, capture_output=True, text=True, check=False,
        cwd=matrix.ROOT,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert set(json.loads(said.stdout)["target"]) == set(json.loads(baked)["target"])


def test_jobs_are_the_stable_images_that_can_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["ci"]) == 0
    jobs = json.loads(capsys.readouterr().out)["include"]
    stable = [row for row in matrix.rows().values() if row.can_be_built and row.channel == "stable"]
    assert [(job["row"], job["platform"]) for job in jobs] == [
        (row.name, platform) for row in stable for platform in row.platforms
    ]


def test_a_release_is_refused_while_a_base_is_not_pinned(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {name: replace(row, base_digest="") for name, row in matrix.rows().items()}
    monkeypatch.setattr(matrix, "rows", lambda: table)
    assert matrix.main(["ci", "--release"]) == 2
    assert "./run lock -- bases" in capsys.readouterr().err
    pinned = {name: replace(row, base_digest="sha256:" + "0" * 64) for name, row in table.items()}
    monkeypatch.setattr(matrix, "rows", lambda: pinned)
    assert matrix.main(["ci", "--release"]) == 0
    assert json.loads(capsys.readouterr().out)["include"]
