"""A row, this checkout and this machine → the words of a build."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.images.test_rows import CUDA, NIGHTLY, ROW
from tools.images import building, rows

BUILD = building.Build(version="1.2.3", revision="abc", created="2026-01-02T03:04:05+00:00")
CPU_ROW = rows.read(ROW)["cpu"]
CUDA_ROW = rows.read(CUDA)["cuda"]


def test_the_build_is_derived_from_the_row() -> None:
    words = shlex.join(building.command(CPU_ROW, BUILD))
    assert words.startswith(
        "docker buildx build --load --file Dockerfile.cpu --tag voxmatrix:cpu --platform linux/amd64 "
    )
    for part in ("BASE=debian:bookworm-slim", "ROW=cpu", "TORCH=2.13.0", "TORCH_INDEX=https://wheels.example/cpu"):
        assert f" --build-arg {part} " in words
    assert " --label org.opencontainers.image.revision=abc " in words
    assert " --label voxmatrix.row=cpu " in words
    for part in ("--secret", "--build-context", "CUDA", "voxmatrix.kernels"):
        assert part not in words
    assert words.endswith(" .")


def test_the_image_of_a_cluster_is_built_on_that_of_the_row() -> None:
    words = shlex.join(building.cluster_command(CPU_ROW, replace(BUILD, ca="/ca.pem", network="host")))
    assert "--file docker/Dockerfile.cluster --tag voxmatrix:cpu-cluster --build-arg IMAGE=voxmatrix:cpu " in words
    assert "--network host --secret id=ca,src=/ca.pem ." in words


def test_a_row_with_cuda_hands_in_its_promises() -> None:
    given = building.arguments(CUDA_ROW, BUILD)
    assert {name: given[name] for name in ("CUDA", "CAPABILITIES", "KERNELS", "TORCH_CUDA_ARCH_LIST")} == {
        "CUDA": "12.4",
        "CAPABILITIES": "8.0 9.0",
        "KERNELS": "sm_80 sm_90",
        "TORCH_CUDA_ARCH_LIST": "8.0;9.0+PTX",
    }
    assert building.labels(CUDA_ROW, BUILD)["voxmatrix.kernels"] == "sm_80 sm_90"


def test_a_nightly_hands_in_the_row_to_take_instead() -> None:
    assert building.arguments(rows.read(CUDA + NIGHTLY)["cuda-nightly"], BUILD)["INSTEAD"] == "cuda"


def test_a_wheelhouse_takes_the_place_of_every_index() -> None:
    build = building.Build(version="1", wheelhouse=True, ca="/somewhere/ca.pem", network="host")
    words = shlex.join(building.command(CPU_ROW, build))
    assert " --build-arg TORCH_INDEX= " in words
    assert " --build-context wheelhouse=wheelhouse/cpu " in words
    assert " --secret id=ca,src=/somewhere/ca.pem " in words
    assert " --network host " in words


@pytest.mark.parametrize(
    ("row", "environment", "used"),
    [
        (CPU_ROW, {}, "https://wheels.example/cpu"),
        (CPU_ROW, {"VOXMATRIX_TORCH_INDEX": "https://mirror.example"}, "https://mirror.example"),
        (CPU_ROW, {"VOXMATRIX_TORCH_INDEX": ""}, "https://wheels.example/cpu"),  # a variable of GitHub that is not set
        (CPU_ROW, {"VOXMATRIX_TORCH_INDEX": "x", "VOXMATRIX_TORCH_INDEX_CPU": "y"}, "y"),
        (CUDA_ROW, {"VOXMATRIX_TORCH_INDEX": "https://cpu.example"}, "https://wheels.example/cpu"),
        (CUDA_ROW, {"VOXMATRIX_TORCH_INDEX_CUDA": "https://cuda.example"}, "https://cuda.example"),
        (rows.read(CUDA + NIGHTLY)["cuda-nightly"], {"VOXMATRIX_TORCH_INDEX_CUDA_NIGHTLY": "n"}, "n"),
    ],
)
def test_the_environment_names_another_index_and_one_of_cpu_builds_is_not_for_cuda(
    row: rows.Row, environment: dict[str, str], used: str
) -> None:
    assert building.torch_index(row, environment) == used
    assert building.arguments(row, building.this_build(row, environment))["TORCH_INDEX"] in (used, "")


def test_a_digest_pins_the_base() -> None:
    digest = "sha256:" + "0" * 64
    row = rows.read(ROW + f'base_digest = "{digest}"\n')["cpu"]
    assert building.arguments(row, BUILD)["BASE"] == f"debian:bookworm-slim@{digest}"
    assert building.labels(row, BUILD)["org.opencontainers.image.base.digest"] == digest


def test_a_computer_that_builds_its_bases_itself_takes_them_by_their_tag() -> None:
    row = rows.read(ROW + f'base_digest = "sha256:{"0" * 64}"\n')["cpu"]
    build = building.this_build(row, {"VOXMATRIX_BASE_BY_TAG": "1"})
    assert building.arguments(row, build)["BASE"] == "debian:bookworm-slim"
    assert "org.opencontainers.image.base.digest" not in building.labels(row, build)


def test_one_platform_is_built_that_of_this_machine_where_the_row_has_it() -> None:
    both = replace(CPU_ROW, platforms=("linux/amd64", "linux/arm64"))
    for row, here, chosen in (
        (both, "linux/arm64", "linux/arm64"),
        (both, "", "linux/amd64"),
        (CPU_ROW, "linux/arm64", "linux/amd64"),
    ):
        assert building.chosen_platform(row, replace(BUILD, platform=here)) == chosen


def test_this_build_takes_the_certificate_that_is_there(tmp_path: Path) -> None:
    certificate = tmp_path / "ca.pem"
    certificate.write_text("x", encoding="utf-8")
    environment = {"VOXMATRIX_CA": str(tmp_path / "absent.pem"), "PIP_CERT": str(certificate)}
    assert building.this_build(CPU_ROW, environment).ca == str(certificate)
    assert building.this_build(CPU_ROW, {}).ca == ""


@pytest.mark.parametrize("row", [row for row in rows.rows().values() if row.can_be_built], ids=lambda row: row.name)
def test_what_a_build_does_not_hand_in_has_a_default(row: rows.Row) -> None:
    """The shell of every step ends at a variable that is not set."""
    text = (rows.ROOT / row.dockerfile).read_text(encoding="utf-8")
    assert set(re.findall(r"^ARG (\w+)$", text, re.MULTILINE)) <= building.arguments(row, BUILD).keys()


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://code.example/me/voxmatrix.git", "https://code.example/me/voxmatrix"),
        ("https://me:secret@code.example/me/voxmatrix", "https://code.example/me/voxmatrix"),
        ("git@code.example:me/voxmatrix.git", "https://code.example/me/voxmatrix"),
        ("ssh://git@code.example/me/voxmatrix.git", "https://code.example/me/voxmatrix"),
        ("/srv/git/voxmatrix.git", ""),
        ("", ""),
    ],
)
def test_source_and_url_are_the_page_of_the_remote_without_credentials(remote: str, page: str) -> None:
    assert building.web_address(remote) == page
    labels = building.labels(CPU_ROW, replace(BUILD, source=page))
    assert labels.get("org.opencontainers.image.source", "") == labels.get("org.opencontainers.image.url", "") == page
