"""The installed torch from its files: never imported, asked for its kernels at most once."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.pretended import pretend
from voxmatrix.machine.facts import TorchBuild
from voxmatrix.machine.probes.torch_build import (
    QueryKernels,
    parse_kernels,
    parse_version_file,
    read_kernels,
    read_torch_build,
)

VERSION = """\
from typing import Optional
__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '2.10.0+cu128'
debug = False
cuda: Optional[str] = '12.8'
hip: Optional[str] = None
"""
KERNELS = ("sm_70", "sm_120")


def read(root: Path, folder: Path, ask: QueryKernels) -> TorchBuild | None:
    build = read_torch_build(folder)
    return build and replace(build, kernels=read_kernels(root, folder, build, ask))


def never() -> tuple[str, ...]:
    raise AssertionError("torch was asked")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return pretend(tmp_path / "torch", {"version.py": VERSION})


def test_version_and_cuda_are_read_from_the_file_and_the_kernels_from_torch(tmp_path: Path, folder: Path) -> None:
    build = read(tmp_path, folder, lambda: KERNELS)
    assert build == TorchBuild(version="2.10.0+cu128", cuda="12.8", kernels=KERNELS)


def test_torch_is_asked_once_and_again_when_its_folder_changed(tmp_path: Path, folder: Path) -> None:
    first = read(tmp_path, folder, lambda: KERNELS)
    assert read(tmp_path, folder, never) == first

    os.utime(folder, ns=(1, 1))
    again = read(tmp_path, folder, lambda: ("sm_90",))
    assert again is not None
    assert again.kernels == ("sm_90",)


def test_an_image_that_was_measured_is_not_asked(tmp_path: Path, folder: Path) -> None:
    facts = {"torch": "2.10.0+cu128", "kernels": ["sm_80", 5, "compute_120"]}
    pretend(tmp_path, {"opt/voxmatrix/image.json": json.dumps(facts)})
    build = read(tmp_path, folder, never)
    assert build is not None
    assert build.kernels == ("sm_80", "compute_120")
    facts["torch"] = "2.6.0+cu124"  # an image that is derived from ours, with another torch
    pretend(tmp_path, {"opt/voxmatrix/image.json": json.dumps(facts)})
    other = read(tmp_path, folder, lambda: ("sm_90",))
    assert other is not None
    assert other.kernels == ("sm_90",)


@pytest.mark.parametrize("broken", ["{", "[]", '{"torch": 5, "kernels": "sm_80"}'])
def test_a_broken_cache_costs_nothing_but_time(tmp_path: Path, folder: Path, broken: str) -> None:
    pretend(Path(os.environ["VOXMATRIX_HOME"]), {"cache/torch-kernels.json": broken})
    build = read(tmp_path, folder, lambda: KERNELS)
    assert build is not None
    assert build.kernels == KERNELS


def test_a_home_that_cannot_be_written_costs_nothing_but_time(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "file"))
    assert read(tmp_path, folder, lambda: KERNELS) is not None


def test_a_torch_without_cuda_is_not_asked(tmp_path: Path) -> None:
    folder = pretend(tmp_path / "torch", {"version.py": "__version__ = '2.13.0+cpu'\ncuda: str | None = None\n"})
    assert read(tmp_path, folder, never) == TorchBuild(version="2.13.0+cpu")


def test_a_folder_without_a_version_is_no_torch(tmp_path: Path) -> None:
    assert read(tmp_path, tmp_path, never) is None


@given(st.text())
def test_any_text_is_parsed(text: str) -> None:
    assert isinstance(parse_version_file(text), dict)


def test_looking_at_torch_and_its_neighbours_imports_none_of_them() -> None:
    code = (
        "import sys; from voxmatrix.machine.detect import detect; detect();"
        "print([name for name in ('torch', 'numpy', 'pydantic', 'rich') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("facts", "flags", "kind"),
    [
        ({"hip": "7.2.53211"}, "gfx90a gfx1100 gfx1201", "rocm"),
        ({"xpu": "20250302"}, "pvc bmg dg2 arl-h mtl-h lnl-m ptl-h", "xpu"),
    ],
)
def test_builds_for_other_gpus_have_kernels_too(
    tmp_path: Path, folder: Path, facts: dict[str, str], flags: str, kind: str
) -> None:
    lines = [
        "__version__ = '2.11.0+x'",
        "cuda = None",
        *(f"{name}: Optional[str] = {text!r}" for name, text in facts.items()),
    ]
    (folder / "version.py").write_text("\n".join(lines), encoding="utf-8")
    build = read_torch_build(folder)
    assert build is not None
    assert build.built_for == kind
    assert read_kernels(tmp_path, folder, build, lambda: parse_kernels(flags)) == tuple(flags.split())


def test_words_that_are_no_kernels_are_dropped() -> None:
    assert parse_kernels("sm_90 sm_ gfx942 nonsense SM_90 bmg; dg2 compute_120") == (
        "sm_90",
        "gfx942",
        "dg2",
        "compute_120",
    )
