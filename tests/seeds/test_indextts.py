"""S0: the command lines of the first seed, IndexTTS on modern GPUs, as they are typed here."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.conftest import Type, told
from tools import matrix
from tools.images import building, flash
from voxmatrix.cli import devices
from voxmatrix.config import LOG_VARIABLE, home


def test_the_first_start_takes_the_best_gpu_saves_it_and_says_so(typed: Type, on: Callable[[str], None]) -> None:
    """`python webui.py`, and `cat ~/.indextts/gpu_config.json`."""
    on("two-different-gpus")
    assert "cuda:0 (NVIDIA GeForce RTX 5090): the best device, taken without asking" in typed("devices", "select")
    assert 'device = "cuda:0"' in (home() / "settings.toml").read_text(encoding="utf-8")
    assert "selected earlier" in typed("devices", "select")


def test_a_gpu_is_forced_once(typed: Type, served: list[Any]) -> None:
    """`python webui.py --gpu 1`; and two servers on one computer, one per GPU (S0.10)."""
    for number in (0, 1):
        typed("serve", "--gpu", str(number), "--port", str(3000 + number))
    assert [(one.device.kind, one.device.index, one.port) for one in served] == [("gpu", 0, 3000), ("gpu", 1, 3001)]
    assert not (home() / "settings.toml").exists()


@pytest.mark.parametrize(
    "words", [("serve",), ("speak", "--text", "Hi", "--device", "cpu", "--out", "a.wav", "--force")]
)
def test_it_is_selected_again(
    words: tuple[str, ...], typed: Type, served: list[Any], on: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rm ~/.indextts/gpu_config.json && python webui.py` is `--reconfigure`: on a terminal it asks."""
    on("two-different-gpus")
    typed("devices", "select", "cpu")
    assert "cuda:0: the best device, taken without asking" in typed(*words, "--reconfigure")
    assert 'device = "cuda:0"' in (home() / "settings.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(devices.sys, "stdin", _Terminal())
    monkeypatch.setattr(devices.sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(devices.typer, "prompt", lambda *_, **__: "1")
    assert "cuda:1: as requested; saved in " in typed(*words, "--reconfigure")
    assert 'device = "cuda:1"' in (home() / "settings.toml").read_text(encoding="utf-8")
    (home() / "settings.toml").unlink()  # the older way
    assert "cuda:0 " in typed("devices", "select")


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_the_check_names_platform_gpus_torch_and_flash_attention(typed: Type, on: Callable[[str], None]) -> None:
    """`python check_mejoras.py`, `python -c "import torch; print(…)"` and `nvidia-smi`."""
    on("wsl2")
    said = typed("doctor", "--no-smoke", "--verbose")
    for word in ("WSL2", "torch 2.", "GPU 0: NVIDIA", "flash-attn", "sm_"):
        assert word in said
    listed = told(typed("devices", "--json"))["devices"]
    assert all(row["name"] and row["architecture"] and row["memory_mib"] for row in listed)


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--verbose"), ("--verbose", "devices"), ("devices", "--verbose"), ("devices", "select", "--verbose"),
        ("book", "--verbose", "shelf"), ("book", "shelf", "--verbose"), ("voices", "list", "--verbose"),
        ("--verbose", "plan"), ("patches", "--verbose"), ("--verbose",), ("engines", "--verbose", "list"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_is_verbose_wherever_the_word_stands(
    words: tuple[str, ...], typed: Type, served: list[Any], on: Callable[[str], None]
) -> None:
    """`python webui.py --verbose`."""
    on("no-gpu")
    typed(*words)
    assert os.environ[LOG_VARIABLE] == "1"


def test_one_item_of_a_batch_is_spoken_again_without_the_others(typed: Type, tmp_path: Path) -> None:
    """`regenerate_batch_entry()`, and `python webui_parallel.py`: its file is removed, and the same line typed."""
    (tmp_path / "list.csv").write_text("a|One.\nb|Two.\n", encoding="utf-8")
    words = ("speak", "--batch", "list.csv", "--out", "spoken", "--parallel-voices", "1", "--device", "cpu")
    typed(*words)
    before = (tmp_path / "spoken" / "a.wav").stat().st_mtime_ns
    (tmp_path / "spoken" / "b.wav").unlink()
    typed(*words)
    assert (tmp_path / "spoken" / "b.wav").is_file()
    assert (tmp_path / "spoken" / "a.wav").stat().st_mtime_ns == before


def test_a_batch_on_a_gpu_that_is_not_there_ends_at_once(
    typed: Type, on: Callable[[str], None], tmp_path: Path
) -> None:
    """`python webui_parallel.py --gpu 0` on a computer without one."""
    on("no-gpu")
    (tmp_path / "voice.ckpt").touch()
    words = ("speak", "--batch", "list.csv", "--out", "spoken", "--voice", "voice.ckpt", "--gpu", "0")
    assert "no such GPU" in typed(*words, expect=4)


def test_flash_attention_is_built_for_blackwell_from_its_sources() -> None:
    """`uv sync --extra flashattn`, `git clone …/flash-attention`, `MAX_JOBS=4 … python setup.py install`."""
    row = matrix.rows()["blackwell"]
    assert row.flash_attn and row.toolkit
    command = " ".join(building.command(row, replace(building.this_build(row), flash=flash.flash(row, (), ()))))
    assert "FLASH_ATTN_CUDA_ARCHS=100;120" in command
    assert flash.flash(row, (), ()).archs == "100;120"
