"""A device is a value: it has a name for messages, a place for drivers, and goes to other processes."""

import pickle

import pytest

from tests.models.gpus import OLD, RADEON, T4, computer, on
from voxmatrix.errors import Finding
from voxmatrix.models.device import CPU, SpeakDevice, python_warning


def test_a_device_has_the_name_that_a_person_knows() -> None:
    assert str(CPU) == "the CPU" and str(on(T4)) == "cuda:1 (Tesla T4)"


@pytest.mark.parametrize(("gpu", "place"), [(OLD, 0), (T4, 1), (RADEON, 0)], ids=lambda one: getattr(one, "name", one))
def test_a_gpu_is_counted_among_those_of_its_kind(gpu: object, place: int) -> None:
    found = on(gpu).on  # type: ignore[arg-type]
    assert found is not None and found.place == place


def test_a_gpu_is_counted_among_the_visible_alone() -> None:
    found = on(T4).on
    assert found is not None and type(found)(gpu=T4, machine=computer(T4)).place == 0


@pytest.mark.parametrize("device", [CPU, on(T4, required=True), on(RADEON)], ids=str)
def test_a_device_goes_to_another_process(device: SpeakDevice) -> None:
    assert pickle.loads(pickle.dumps(device)) == device


def test_who_gives_no_ear_is_told_by_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match="it failed → do that"):
        python_warning(Finding(problem="it failed", remedy="do that", severity="warning"))
