"""All that can do the task, or the one that is asked for; what is left out is said."""

import pytest

from tests.plan.computers import ARC, RTX_3060, assess, gpu, machine
from voxmatrix.bench.measure import to_measure
from voxmatrix.errors import NoDeviceError, NoKernelsError, UsageError

FUTURE = gpu("from the future", "13.0", 1000, index=1)


def test_without_a_gpu_it_is_the_cpu() -> None:
    assert to_measure(machine(), "all", task="train", assess=assess) == ([None], ())


def test_the_cpu_comes_first_then_every_gpu_that_can_and_the_others_are_named() -> None:
    gpus, findings = to_measure(machine(RTX_3060, FUTURE, ARC), "ALL ", task="train", assess=assess)
    assert gpus == [None, RTX_3060]
    assert [finding.problem.split(":")[0] for finding in findings] == ["not measured"] * 2
    assert "no kernels for sm_130" in findings[0].problem
    assert "cannot train" in findings[1].problem


def test_directml_multiplies_and_speaks() -> None:
    assert to_measure(machine(ARC), "all", task="speak", assess=assess)[0] == [None, ARC]


@pytest.mark.parametrize(("asked", "index"), [("cuda:0", 0), ("0", 0), ("auto", 0)])
def test_one_that_is_asked_for_is_alone(asked: str, index: int) -> None:
    gpus, _ = to_measure(machine(RTX_3060), asked, task="train", assess=assess)
    assert [each and each.index for each in gpus] == [index]
    assert to_measure(machine(RTX_3060), "cpu", task="train", assess=assess)[0] == [None]


@pytest.mark.parametrize(
    ("asked", "error"),
    [("cuda:7", NoDeviceError), ("cuda:1", NoKernelsError), ("every", UsageError), ("显卡", UsageError)],
)
def test_one_that_cannot_be_had_ends_the_command(asked: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_measure(machine(RTX_3060, FUTURE), asked, task="train", assess=assess)
