"""On a computer without Docker, buildx, an engine, the base or a CPU torch, a build names what to do, and ends."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.images.test_building import BUILD
from tools.images import prerequisites
from tools.images.rows import rows

CPU, CUDA = rows()["cpu"], rows()["cuda"]
#: What a stub of `docker` does for some of its arguments.
NO_ENGINE = '[ "$1" != version ] || { echo "Cannot connect to the Docker daemon at unix:///x" >&2; exit 1; }'
REFUSED = '[ "$1" != version ] || { echo "permission denied while trying to connect" >&2; exit 1; }'
NO_BUILDX = '[ "$1" != buildx ] || exit 1'
NO_BASE = '[ "$1" != image ] && [ "$1" != pull ] || exit 1'


def stub(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> None:
    """Make `docker` this script, or nothing at all."""
    monkeypatch.setenv("PATH", str(folder))
    if script is not None:
        (folder / "docker").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / "docker").chmod(0o755)


@pytest.mark.parametrize(
    ("script", "problem", "remedy"),
    [
        (None, "no program `docker`", "tools/docker-engine.sh"),
        (NO_ENGINE, "Cannot connect to the Docker daemon at unix:///x", "tools/docker-engine.sh"),
        (REFUSED, "Docker refuses this user", "usermod -aG docker"),
        (NO_BUILDX, "no buildx", "docker-buildx"),
        (NO_BASE, f"{CUDA.base} is not here and cannot be pulled", f"tools/debian-base.sh {CUDA.base}"),
    ],
)
def test_what_is_missing_is_named_with_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, problem: str, remedy: str
) -> None:
    stub(tmp_path, monkeypatch, script)
    with pytest.raises(prerequisites.NotReadyError) as caught:
        prerequisites.check_build(CUDA, BUILD)
    first, second = str(caught.value).splitlines()
    assert problem in first
    assert remedy in second


def test_a_pinned_base_that_cannot_be_pulled_may_be_built_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, monkeypatch, NO_BASE)
    pinned = replace(CUDA, base_digest="sha256:" + "0" * 64)
    with pytest.raises(prerequisites.NotReadyError, match="VOXMATRIX_BASE_BY_TAG=1"):
        prerequisites.check_build(pinned, BUILD)


def test_a_computer_with_everything_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub(tmp_path, monkeypatch, "exit 0")
    prerequisites.check_build(CUDA, BUILD)


def test_a_cpu_torch_needs_an_index_or_local_wheels_before_anything_is_downloaded() -> None:
    nothing, no_index = replace(BUILD, wheelhouse=False, torch_index=None), replace(CPU, index="")
    for build in (nothing, replace(nothing, torch_index="")):
        with pytest.raises(prerequisites.NotReadyError, match=r"VOXMATRIX_TORCH_INDEX=https://… \./run build-cpu"):
            prerequisites.check_build(no_index, build)
    prerequisites.check_torch(no_index, replace(nothing, wheelhouse=True))
    prerequisites.check_torch(no_index, replace(nothing, torch_index="https://wheels.example/cpu"))
    prerequisites.check_torch(CPU, nothing)
    prerequisites.check_torch(CUDA, nothing)


@pytest.mark.parametrize("name", ["rocm", "xpu", "cuda126"])
def test_a_row_whose_index_could_not_be_reached_says_how_to_lock_it_before_anything_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = rows()[name]
    stub(tmp_path, monkeypatch, None)  # not even Docker is looked for
    monkeypatch.setattr(prerequisites, "ROOT", tmp_path)
    with pytest.raises(prerequisites.NotReadyError) as caught:
        prerequisites.check_build(row, BUILD)
    problem, remedy = str(caught.value).splitlines()
    assert f"{name} is not locked: torch {row.torch}+{row.torch_build}" in problem
    assert f"VOXMATRIX_TORCH_INDEX_{name.upper()}=https://…/{row.torch_build}" in remedy
    assert f"./run lock -- {name}" in remedy


def test_a_locked_row_for_other_gpus_still_needs_their_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = rows()["rocm"]
    monkeypatch.setattr(prerequisites, "ROOT", tmp_path)
    (tmp_path / row.pins).parent.mkdir(parents=True)
    (tmp_path / row.pins).write_text("")
    prerequisites.check_locked(row)
    with pytest.raises(prerequisites.NotReadyError, match=r"VOXMATRIX_TORCH_INDEX_ROCM=\S+ \./run build-rocm"):
        prerequisites.check_torch(row, replace(BUILD, wheelhouse=False, torch_index=None))


def test_a_nightly_that_is_not_locked_names_the_stable_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prerequisites, "ROOT", tmp_path)
    with pytest.raises(prerequisites.NotReadyError, match=r"or use the stable row: \./run build-blackwell"):
        prerequisites.check_locked(rows()["blackwell-nightly"])
