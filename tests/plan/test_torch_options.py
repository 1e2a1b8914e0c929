"""What is left off, and the allocator."""

import pytest

from tests.plan.computers import ARC, RTX_3060, gpu, machine
from voxmatrix.machine.facts import Gpu
from voxmatrix.plan.torch_options import (
    EXPANDABLE,
    choose_allocator,
    choose_compile,
    choose_cudnn_benchmark,
    choose_graphs,
    compile_findings,
)
from voxmatrix.settings import Setting

ON = Setting(value=True, reason="--compile", source="flag")
GTX_1080 = gpu("NVIDIA GeForce GTX 1080", "6.1", 8192)


@pytest.mark.parametrize("one", [None, RTX_3060, ARC])
def test_search_and_compilation_are_off_with_a_reason_unless_forced(one: Gpu | None) -> None:
    for choose in (choose_cudnn_benchmark, choose_compile):
        assert not choose(one, None).value
        assert choose(one, None).reason
        assert choose(one, ON) is ON


def test_compilation_names_the_capability_that_is_too_low() -> None:
    assert "6.1" in choose_compile(GTX_1080, None).reason
    assert "6.1" in compile_findings(GTX_1080, ON)[0].problem
    assert compile_findings(RTX_3060, ON) == []


def test_graphs_are_for_cuda_unless_something_else_excludes_them() -> None:
    off = Setting(value=False, reason="", source="automatic")
    assert choose_graphs(RTX_3060, off, off, None).value
    for one, compiled, checkpointing in ((None, off, off), (ARC, off, off), (RTX_3060, ON, off), (RTX_3060, off, ON)):
        assert not choose_graphs(one, compiled, checkpointing, None).value
        assert choose_graphs(one, compiled, checkpointing, None).reason
        assert choose_graphs(one, compiled, checkpointing, ON) is ON


def test_the_allocator_is_changed_for_a_gpu_of_its_own_on_native_linux_only() -> None:
    assert choose_allocator(RTX_3060, machine()).value == EXPANDABLE
    for one in (None, ARC, gpu("Orin", "8.7", 30000), gpu("NVIDIA GB10", "12.1", None)):
        assert choose_allocator(one, machine()).value == ""
    assert choose_allocator(RTX_3060, machine(wsl=True)).value == ""
