"""The most memory, where somebody says it."""

import sys
from pathlib import Path

import pytest
import torch

from voxmatrix.compute.peak_memory import peak_mib, resident_mib


def test_of_the_cpu_it_is_what_the_system_saw_at_most(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("Name:\tpython\nVmPeak:\t 9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n")
    assert resident_mib(tmp_path / "status") == 2.0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say")
def test_without_proc_the_other_count_is_near(tmp_path: Path) -> None:
    assert resident_mib(tmp_path / "nothing") == pytest.approx(resident_mib(), rel=0.5)


def test_of_cuda_torch_says_and_of_directml_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "max_memory_reserved", lambda device: 3 * 1024 * 1024)
    assert peak_mib(torch.device("cuda", 0)) == 3.0
    assert peak_mib(torch.device("privateuseone", 0)) is None
