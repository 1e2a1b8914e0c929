"""Which of several GPUs is the best."""

import pytest

from tests.plan.computers import ARC, RTX_3060, gpu, machine
from voxmatrix.machine.facts import Gpu
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.gpu_ranking import best_gpu, requested_gpu

M40 = gpu("Tesla M40 24GB", "5.2", 24576)
RTX_3090 = gpu("NVIDIA GeForce RTX 3090", "8.6", 24576)
RTX_4090 = gpu("NVIDIA GeForce RTX 4090", "8.9", 24576)
RTX_5060 = gpu("NVIDIA GeForce RTX 5060", "12.0", 8192)
UNKNOWN = gpu("x", None, 99999)


@pytest.mark.parametrize(
    ("better", "other"),
    [
        (RTX_3060, M40),  # tensor cores before memory
        (RTX_3090, RTX_5060),  # memory before capability
        (RTX_4090, RTX_3090),  # capability, where memory is equal
        (RTX_3060, UNKNOWN),
        (M40, ARC),
        (gpu("NVIDIA GB10", "12.1", None, unified=True), RTX_4090),  # it has the computer's memory
    ],
)
def test_the_better_one_is_taken_wherever_it_stands(better: Gpu, other: Gpu) -> None:
    assert best_gpu([better, other], machine()) is better
    assert best_gpu([other, better], machine()) is better


def test_of_two_alike_it_is_the_first_with_more_free_memory() -> None:
    busy, idle, idle_too = (
        gpu("L4", "8.9", 24576, free_mib=free, index=i) for i, free in enumerate((900, 24000, 24000))
    )
    assert best_gpu([busy, idle_too, idle], machine()) is idle


@pytest.mark.parametrize(("text", "found"), [("0", RTX_3060), (ARC.device, ARC), ("gpu", RTX_3060), ("cuda:1", None)])
def test_a_wish_means_the_best_that_fits_it(text: str, found: Gpu | None) -> None:
    here = machine(RTX_3060, ARC)
    assert requested_gpu(here, parse_device(text, "flag", "--device"), lambda gpu: True) == found


def test_where_none_is_fit_the_first_is_meant_to_say_what_is_wrong() -> None:
    assert requested_gpu(machine(RTX_3060, ARC), parse_device(ARC.kind, "flag", "--device"), lambda gpu: False) is ARC
