"""Advice by architecture."""

from dataclasses import replace
from pathlib import Path

import pytest

from voxmatrix.doctor.findings import advice
from voxmatrix.doctor.report import make_report
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.record import read_machine

MACHINES = Path(__file__).parents[1] / "machines"
H100 = read_machine(MACHINES / "h100.json")


def lines(machine: Machine) -> str:
    return "\n".join(advice(machine.gpus[0], machine))


def test_flash_attn_is_described_for_this_gpu_with_what_to_do() -> None:
    told = lines(replace(H100, flash_attention=None))
    assert "flash-attn: not installed; it has kernels for this GPU" in told and "nothing to do" in told
    assert "flash-attn: 2.8.3 is installed and has kernels" in lines(replace(H100, flash_attention="2.8.3"))
    assert "has no kernels for this GPU" in lines(read_machine(MACHINES / "gtx-1080-ti.json"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("h100", "Hopper: bf16 and TF32"),
        ("t4", "Turing: neither bf16 nor TF32"),
        ("rtx-5090", "CUDA 12.8 or later"),
        ("gb10-null-memory", "can freeze the computer"),
        ("wsl2", "never install a Linux driver"),
    ],
)
def test_every_architecture_has_its_advice(name: str, words: str) -> None:
    assert words in lines(read_machine(MACHINES / f"{name}.json"))


def test_a_gpu_without_a_known_capability_has_none() -> None:
    assert lines(read_machine(MACHINES / "amd.json")) == ""
    assert lines(read_machine(MACHINES / "sm-130.json")) == ""


def test_the_report_has_the_advice_of_every_gpu() -> None:
    (gpu,) = make_report(H100, H100.gpus[0]).to_json()["gpus"]
    assert gpu["advice"] == list(advice(H100.gpus[0], H100))


def test_a_gpu_that_others_have_filled_is_said_to_be_full() -> None:
    (gpu,) = H100.gpus
    full = replace(H100, gpus=(replace(gpu, free_mib=300),))
    (found,) = make_report(full, full.gpus[0]).findings
    assert f"only 300 of {gpu.memory_mib} MiB are free" in found.problem
    assert "nvidia-smi" in found.remedy
    free = replace(H100, gpus=(replace(gpu, free_mib=2000),))
    assert make_report(free, free.gpus[0]).findings == ()
