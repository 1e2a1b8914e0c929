"""docker/compose.yaml: a service for each image of the matrix, and one that Compose itself understands."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import matrix

FILE = Path(__file__).parent.parent.parent / "docker" / "compose.yaml"
LINUX = [row for row in matrix.rows().values() if "linux/amd64" in row.platforms and row.channel == "stable"]


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    return loaded


def test_there_is_a_service_for_each_stable_image_that_linux_runs(services: dict[str, dict[str, Any]]) -> None:
    images = {name: service["image"] for name, service in services.items()}
    assert images == {row.name: f"${{VOXMATRIX_REGISTRY:-voxmatrix}}:{row.name}" for row in LINUX}


@pytest.mark.parametrize("row", LINUX, ids=lambda row: row.name)
def test_an_image_that_is_not_here_is_built_as_run_builds_it(
    services: dict[str, dict[str, Any]], row: matrix.Row
) -> None:
    build = services[row.name]["build"]
    given = {name: value for name, value in matrix.arguments(row, matrix.Build(version="1")).items() if value}
    assert build == {"context": "..", "dockerfile": row.dockerfile, "args": given}
    assert (FILE.parent / build["context"] / build["dockerfile"]).is_file()


@pytest.mark.parametrize("row", LINUX, ids=lambda row: row.name)
def test_a_service_is_hardened_and_has_gpus_where_the_image_has_kernels(
    services: dict[str, dict[str, Any]], row: matrix.Row
) -> None:
    service = services[row.name]
    assert service["profiles"] == [row.name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["user"].endswith(":0")
    assert service["stop_grace_period"] == "60s" and service["shm_size"]
    assert service["pull_policy"] == "${VOXMATRIX_PULL:-never}"
    assert ("deploy" in service) == bool(row.cuda)


@pytest.mark.docker
def test_compose_understands_it(tmp_path: Path) -> None:
    profiles = [word for row in LINUX for word in ("--profile", row.name)]
    words = ["docker", "compose", "--file", str(FILE), *profiles, "config", "--format", "json"]
    published = {"VOXMATRIX_REGISTRY": "registry.example.com/me/voxmatrix", "VOXMATRIX_PULL": "missing"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **published})
    if "unknown" in done.stderr and "docker" not in os.environ.get("VOXMATRIX_REQUIRE", ""):
        pytest.skip("this Docker has no Compose")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["services"]
    assert set(said) == {row.name for row in LINUX}
    assert all(service["volumes"][0]["target"] == "/data" for service in said.values())
    assert said["cpu"]["image"] == "registry.example.com/me/voxmatrix:cpu"
    assert said["cpu"]["pull_policy"] == "missing"
