"""The driver's answers, with stand-ins for its library; tests/entrypoint/test_broken_driver.py has a compiled one."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from voxmatrix.machine.probes.cuda_driver import read_error

OUT_OF_MEMORY, BUSY = 2, 46


class Driver(SimpleNamespace):
    """A libcuda with `gpus`, which starts, unless a function is told to answer something else."""

    def __init__(self, gpus: int, **answers: int) -> None:
        super().__init__()
        for name in ("cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain"):
            setattr(self, name, self._function(name, gpus, answers.get(name, 0)))

    def _function(self, name: str, gpus: int, code: int) -> Any:
        def called(*arguments: Any) -> int:
            if name == "cuDeviceGetCount":
                arguments[0]._obj.value = gpus
            return code

        return called


@pytest.mark.parametrize(
    ("driver", "index", "error"),
    [
        (Driver(1), 0, None),
        (Driver(1), 1, None),  # torch says that it sees one only
        (Driver(0), 0, "cuda 100"),
        (Driver(1, cuInit=802), 0, "cuda 802"),
        (Driver(1, cuDeviceGetCount=3), 0, "cuda 3"),
        (Driver(1, cuDevicePrimaryCtxRetain=BUSY), 0, "cuda 46"),
        (Driver(1, cuDevicePrimaryCtxRetain=OUT_OF_MEMORY), 0, "cuda 2"),
    ],
)
def test_what_the_driver_says_is_the_error(
    driver: Driver, index: int, error: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    assert read_error(index) == error


def test_a_driver_without_its_library_is_missing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", absent)
    assert read_error(0) == "cuda missing"
