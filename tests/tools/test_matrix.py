import re
import shlex
from pathlib import Path

import pytest

from tools import matrix, pins

ROW = """
[cpu]
dockerfile = "Dockerfile.cpu"
base = "debian:bookworm-slim"
python = "3.11"
channel = "stable"
torch = "2.13.0"
torchaudio = "2.11.0"
cuda = ""
index = "https://wheels.example/cpu"
capabilities = []
oldest_driver = ""
platforms = ["linux/amd64"]
extras = []
size_mb = 1600
status = "tested"
"""

CUDA = (
    ROW.replace("[cpu]", "[cuda]")
    .replace('cuda = ""', 'cuda = "12.4"')
    .replace("capabilities = []", 'capabilities = ["8.0", "9.0"]')
)

BUILD = matrix.Build(version="1.2.3", revision="abc", created="2026-01-02T03:04:05+00:00")
REAL_ROWS = list(matrix.rows().values())


def test_a_row_is_read_whole() -> None:
    row = matrix.read(ROW)["cpu"]
    assert (row.name, row.torch, row.platforms, row.image) == ("cpu", "2.13.0", ("linux/amd64",), "voxmatrix:cpu")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('torch = "2.13.0"', 'torch = "2.13"', "torch is '2.13', must be X.Y.Z"),
        ('torch = "2.13.0"', "torch = 2.13", "torch is 2.13, must be"),
        ('torch = "2.13.0"', 'torch = "2.13.0.dev20260101"', "channel is 'stable' but torch is"),
        ('channel = "stable"', 'channel = "nightly"', "channel is 'nightly' but torch is '2.13.0'"),
        ('channel = "stable"', 'channel = "beta"', "channel is 'beta', must be one of stable, nightly"),
        ('cuda = ""', 'cuda = "12.4"', "capabilities and cuda must be given together"),
        ('status = "tested"', 'status = "fine"', "status is 'fine'"),
        ('python = "3.11"', 'python = "3.11.2"', "python is '3.11.2'"),
        ("size_mb = 1600", 'size_mb = "big"', "size_mb is 'big'"),
        ('["linux/amd64"]', "[]", "platforms is empty"),
        ('["linux/amd64"]', '"linux/amd64"', "platforms is 'linux/amd64', must be a list"),
        ('index = "https://wheels.example/cpu"', 'index = "http://wheels.example/cpu"', "must be an https address"),
        ('base = "debian:bookworm-slim"', 'base = "debian"', "must be NAME:TAG"),
        ('status = "tested"', 'status = "tested"\nbase_digest = "sha256:12"', "64 hexadecimal digits"),
        ("extras = []", "", "lacks: extras"),
        ("extras = []", "extras = []\nflavour = 1", "unknown fields: flavour"),
        ("[cpu]", "[CPU]", "name is 'CPU'"),
        ("[cpu]", "cpu = 3\n[other]", "cpu stands outside a row"),
        ("[cpu]", "[cpu", "not TOML"),
    ],
)
def test_a_wrong_row_is_named_with_the_value_seen(before: str, after: str, complaint: str) -> None:
    assert before in ROW
    with pytest.raises(matrix.MatrixError, match=re.escape(complaint)):
        matrix.read(ROW.replace(before, after, 1))


def test_the_build_is_derived_from_the_row() -> None:
    words = shlex.join(matrix.command(matrix.read(ROW)["cpu"], BUILD))
    assert words.startswith(
        "docker buildx build --load --file Dockerfile.cpu --tag voxmatrix:cpu --platform linux/amd64 "
    )
    for part in ("BASE=debian:bookworm-slim", "ROW=cpu", "TORCH=2.13.0", "TORCH_INDEX=https://wheels.example/cpu"):
        assert f" --build-arg {part} " in words
    assert " --label org.opencontainers.image.revision=abc " in words
    assert " --label voxmatrix.row=cpu " in words
    assert "--secret" not in words
    assert "--build-context" not in words
    assert words.endswith(" .")


def test_a_wheelhouse_takes_the_place_of_every_index() -> None:
    build = matrix.Build(version="1", wheelhouse=True, ca="/somewhere/ca.pem", network="host")
    words = shlex.join(matrix.command(matrix.read(ROW)["cpu"], build))
    assert " --build-arg TORCH_INDEX= " in words
    assert " --build-context wheelhouse=wheelhouse/cpu " in words
    assert " --secret id=ca,src=/somewhere/ca.pem " in words
    assert " --network host " in words


def test_the_environment_names_another_index_or_none() -> None:
    row = matrix.read(ROW)["cpu"]
    for given, used in ((None, row.index), ("https://mirror.example", "https://mirror.example"), ("", "")):
        assert matrix.arguments(row, matrix.Build(version="1", torch_index=given))["TORCH_INDEX"] == used


def test_a_digest_pins_the_base() -> None:
    digest = "sha256:" + "0" * 64
    row = matrix.read(ROW + f'base_digest = "{digest}"\n')["cpu"]
    assert row.base_reference == f"debian:bookworm-slim@{digest}"
    assert matrix.labels(row, BUILD)["org.opencontainers.image.base.digest"] == digest


def test_torch_of_a_cuda_row_carries_its_cuda() -> None:
    assert matrix.read(CUDA)["cuda"].torch_local == "cu124"
    assert matrix.read(ROW)["cpu"].torch_local == "cpu"


def test_this_build_takes_the_certificate_that_is_there(tmp_path: Path) -> None:
    certificate = tmp_path / "ca.pem"
    certificate.write_text("x", encoding="utf-8")
    row = matrix.read(ROW)["cpu"]
    environment = {"VOXMATRIX_CA": str(tmp_path / "absent.pem"), "PIP_CERT": str(certificate)}
    assert matrix.this_build(row, environment).ca == str(certificate)
    assert matrix.this_build(row, {}).ca == ""


def test_list_and_command_are_words_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main(["list"]) == 0
    assert capsys.readouterr().out.startswith("cpu ")
    assert matrix.main(["command", "cpu"]) == 0
    assert " --tag voxmatrix:cpu " in capsys.readouterr().out
    assert matrix.main(["command", "abacus"]) == 2
    assert "no row is called abacus" in capsys.readouterr().err


@pytest.mark.parametrize("row", REAL_ROWS, ids=lambda row: row.name)
def test_a_real_row_has_its_dockerfile_and_its_pins(row: matrix.Row) -> None:
    assert (matrix.ROOT / row.dockerfile).is_file()
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    assert (locked["torch"].version, locked["torchaudio"].version) == (row.torch, row.torchaudio)
    assert all(pin.hashes for pin in locked.values())


@pytest.mark.parametrize("row", REAL_ROWS, ids=lambda row: row.name)
def test_nothing_repeats_what_a_row_says(row: matrix.Row) -> None:
    for path in (matrix.ROOT / row.dockerfile, matrix.ROOT / "noxfile.py"):
        text = path.read_text(encoding="utf-8")
        for value in filter(None, (row.torch, row.torchaudio, row.base, row.index)):
            assert value not in text, f"{path.name} repeats {value}"
