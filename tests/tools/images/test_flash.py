"""docker/flash.py and `./run flash-ROW`: flash-attn from its source. (What the compiler makes of it: tests/images.)"""

import io
import runpy
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tools.images.test_building import BUILD
from tools.images import building, flash, rows

CUDA13 = rows.rows()["cuda13"]
BLACKWELL = rows.rows()["blackwell"]

SETUP = """
    nvcc_flags = [
    "-O3",
    "-std=c++17",
    "--use_fast_math",
    ]
    compiler_c17_flag=["-O3", "-std=c++17"]
            sources=[
                "csrc/flash_attn/flash_api.cpp",
                "csrc/flash_attn/src/flash_fwd_hdim64_bf16_sm80.cu",
                "csrc/flash_attn/src/flash_fwd_hdim96_bf16_sm80.cu",
                "csrc/flash_attn/src/flash_bwd_hdim96_fp16_causal_sm80.cu",
                "csrc/flash_attn/src/flash_fwd_split_hdim128_fp16_sm80.cu",
            ],
"""
SWITCH = """#define FP16_SWITCH(COND, ...)  \\
  [&] {                         \\
    return __VA_ARGS__();       \\
  }()

#define HEADDIM_SWITCH(HEADDIM, ...)   \\
  [&] {                                    \\
    if (HEADDIM <= 64) {                   \\
      constexpr static int kHeadDim = 64;  \\
      return __VA_ARGS__();                \\
    } else if (HEADDIM <= 256) {           \\
      constexpr static int kHeadDim = 256; \\
      return __VA_ARGS__();                \\
    }                                      \\
  }()
"""
#: Says what a library has as the one of CUDA does; the library is its own list of kernels here.
CUOBJDUMP = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --gpu-architecture ] && arch=$2; shift; done
grep "$arch " "$1"
"""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(rows.ROOT / "docker" / "flash.py"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "flash_attn-1"
    switch = folder / "csrc" / "flash_attn" / "src" / "static_switch.h"
    switch.parent.mkdir(parents=True)
    switch.write_text(SWITCH, encoding="utf-8")
    (folder / "setup.py").write_text(SETUP, encoding="utf-8")
    return folder


def test_the_standard_of_c_plus_plus_is_left_to_torch(script: dict[str, Any], source: Path) -> None:
    script["use_torch_cpp_standard"](source / "setup.py")
    text = (source / "setup.py").read_text(encoding="utf-8")
    assert "std=" not in text
    assert '"-O3",\n    "--use_fast_math",' in text
    assert 'compiler_c17_flag=["-O3", ]' in text


def test_only_the_files_of_the_wanted_heads_are_compiled(script: dict[str, Any], source: Path) -> None:
    script["narrow"](source, [96])
    text = (source / "setup.py").read_text(encoding="utf-8")
    assert text.count(".cu") == 2
    assert "flash_fwd_hdim96_bf16" in text
    assert "flash_bwd_hdim96_fp16" in text
    assert "flash_api.cpp" in text


def test_a_larger_head_than_was_compiled_is_an_error_and_not_silence(script: dict[str, Any], source: Path) -> None:
    script["narrow"](source, [64, 96])
    text = (source / "csrc" / "flash_attn" / "src" / "static_switch.h").read_text(encoding="utf-8")
    assert text.count("#define HEADDIM_SWITCH") == 1
    assert "FP16_SWITCH" in text
    assert "256" not in text
    assert text.index("HEADDIM <= 64") < text.index("HEADDIM <= 96") < text.index("at most 96")
    *lines, last = text[text.index("#define HEADDIM_SWITCH") :].splitlines()
    assert all(line.endswith("\\") for line in lines)
    assert last.endswith("}()")


@pytest.mark.parametrize(
    ("sizes", "complaint"), [([97], r"head sizes \[97\]; it has \[64, 96, 128\]"), ([1, 2], r"\[1, 2\]")]
)
def test_a_size_that_it_has_not_is_named(
    script: dict[str, Any], source: Path, sizes: list[int], complaint: str
) -> None:
    with pytest.raises(SystemExit, match=complaint):
        script["narrow"](source, sizes)


def test_a_source_that_looks_otherwise_is_not_half_narrowed(script: dict[str, Any], source: Path) -> None:
    (source / "csrc" / "flash_attn" / "src" / "static_switch.h").write_text("// moved", encoding="utf-8")
    with pytest.raises(SystemExit, match="HEADDIM_SWITCH"):
        script["narrow"](source, [96])


def test_the_source_is_unpacked(script: dict[str, Any], tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "flash_attn-1.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("flash_attn-1/setup.py")
        member.size = 1
        archive.addfile(member, io.BytesIO(b"\n"))
    (tmp_path / "out").mkdir()
    assert (script["unpack"](tmp_path / "flash_attn-1.tar.gz", tmp_path / "out") / "setup.py").is_file()


def test_a_version_says_for_what_it_was_compiled(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch, "__version__", "2.15.0+cu132")
    monkeypatch.setattr(torch.version, "cuda", "13.2")
    assert script["local_version"](["100", "120"], [96]) == "cu132.torch2.15.0.sm100.sm120.hdim96"
    assert script["local_version"](["100"], []) == "cu132.torch2.15.0.sm100"


def test_as_many_files_at_a_time_as_the_memory_of_this_machine_holds(script: dict[str, Any]) -> None:
    assert script["jobs"]() >= 1


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in of cuobjdump is a shell script")
@pytest.mark.parametrize(
    ("kernels", "complaints"),
    [
        ("sm_100 flash_fwd_kernel\nsm_100 flash_bwd_dq\nsm_120 flash_fwd_kernel\nsm_120 flash_bwd_dq\n", []),
        (
            "sm_100 flash_fwd_kernel\nsm_100 flash_bwd_dq\n",
            [f"sm_120 is required, but cuobjdump finds no flash_{way} kernel for it" for way in ("fwd", "bwd")],
        ),
        (
            "sm_100 flash_fwd_kernel\nsm_120 flash_fwd_kernel\nsm_120 flash_bwd_dq\n",
            ["sm_100 is required, but cuobjdump finds no flash_bwd kernel for it"],
        ),
    ],
    ids=["all there", "an architecture was left out", "forward only"],
)
def test_an_architecture_that_was_left_out_silently_is_named(
    script: dict[str, Any], tmp_path: Path, kernels: str, complaints: list[str]
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cuobjdump").write_text(CUOBJDUMP, encoding="utf-8")
    (tmp_path / "bin" / "cuobjdump").chmod(0o755)
    with zipfile.ZipFile(tmp_path / "flash.whl", "w") as archive:
        archive.writestr("flash_attn_2_cuda.so", kernels)
        archive.writestr("flash_attn/__init__.py", "")
    assert list(script["missing"](tmp_path / "flash.whl", ["100", "120"], tmp_path)) == complaints


def test_the_seconds_of_every_file_come_from_ninjas_log(script: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "build" / "temp.linux" / ".ninja_log"
    log.parent.mkdir(parents=True)
    log.write_text("# ninja log v6\n100\t61100\t0\t/x/flash_bwd_hdim96.o\tabc\n", encoding="utf-8")
    assert list(script["seconds_of"](tmp_path)) == ["   61.0 s  flash_bwd_hdim96.o\n"]


def test_what_is_promised_is_compiled_unless_less_is_asked_for() -> None:
    assert flash.flash(CUDA13, (), ()) == building.Flash(archs="80;90;100;120")
    assert flash.flash(CUDA13, (120, 100, 120), (96,)) == building.Flash(archs="100;120", head_sizes=(96,))


def test_an_image_with_it_is_another_one_and_a_build_without_it_hears_nothing_of_it() -> None:
    asked = replace(BUILD, flash=building.Flash(archs="100;120", head_sizes=(64, 96)))
    given = building.arguments(CUDA13, asked)
    assert {name: given.get(name) for name in ("FLASH", "FLASH_ATTN_CUDA_ARCHS", "FLASH_HEAD_SIZES", "TOOLKIT")} == {
        "FLASH": "flash-attn", "FLASH_ATTN_CUDA_ARCHS": "100;120", "FLASH_HEAD_SIZES": "64 96", "TOOLKIT": None,
    }  # fmt: skip
    assert building.arguments(BLACKWELL, asked)["TOOLKIT"] == BLACKWELL.toolkit
    assert building.image(CUDA13, asked) == "voxmatrix:cuda13-flash"
    assert building.labels(CUDA13, asked)["voxmatrix.flash-attn"] == CUDA13.flash_attn
    assert building.image(CUDA13, BUILD) == "voxmatrix:cuda13"
    assert not any("FLASH" in name for name in building.arguments(CUDA13, BUILD))
    assert "voxmatrix.flash-attn" not in building.labels(CUDA13, BUILD)


@pytest.mark.parametrize("words", [["cpu"], ["cuda13", "--archs", "86"], ["cuda13", "--head-sizes", "x"], []])
def test_wrong_words_are_refused_before_anything_is_built(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("subprocess.run", lambda *words, **more: pytest.fail("something was started"))
    with pytest.raises(SystemExit) as ended:
        flash.main(words)
    assert ended.value.code == 2
    assert "usage: ./run flash-ROW" in capsys.readouterr().err
