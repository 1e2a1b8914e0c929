"""Out of memory is known in the words of every library that runs out of it, and nothing else is taken for it."""

import ctypes
import errno
import gc
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.compute.memory import (
    free_cached,
    is_out_of_memory,
    keep_freed_memory,
    limit_heaps,
    missing_mib,
    peak_mib,
    peak_resident_mib,
)
from voxmatrix.errors import MemoryExhaustedError

#: As the libraries write them, with what was asked for in MiB.
SAID = {
    "torch on CUDA": (
        "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 7.79 GiB of which 1.02 GiB is "
        "free. Including non-PyTorch memory, this process has 6.70 GiB memory in use.",
        2560.0,
    ),
    "torch 2.4 on CUDA": ("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)", 20.0),
    "a few bytes": ("CUDA out of memory. Tried to allocate 512 bytes. GPU 0 has", 512 / 1024**2),
    "MPS": ("MPS backend out of memory (MPS allocated: 1.00 GB). Tried to allocate 1.50 GB on private pool.", 1536.0),
    "the driver": ("CUDA error: out of memory\nCUDA kernel errors might be reported asynchronously", None),
    "cuBLAS": ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", None),
    "cuDNN": ("cuDNN error: CUDNN_STATUS_ALLOC_FAILED", None),
    "cuDNN 9": ("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", None),
    "the CPU": (
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        "allocate 1099511627776 bytes. Error code 12 (Cannot allocate memory)",
        1024.0**2,
    ),
    "the CPU of Windows": (
        "[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: not enough memory: you tried to allocate "
        "1048576 bytes.",
        1.0,
    ),
    "oneDNN": ("could not create a primitive", None),
    "DirectML": (
        "Could not allocate tensor with 1073741824 bytes. There is not enough GPU video memory available!",
        1024.0,
    ),
}
#: onnxruntime's, which come as exceptions of its own.
ONNX = {
    "the arena": (
        "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. "
        "Name:'/dec/Conv' Status Message: /onnxruntime/core/framework/bfc_arena.cc:376 void* "
        "onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Failed to allocate memory for requested buffer of "
        "size 2097152",
        2.0,
    ),
    "the arena's limit": (
        "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Available memory of 5242880 is smaller than requested bytes of "
        "10485760",
        10.0,
    ),
    "C++": ("[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Exception during initialization: std::bad_alloc", None),
    "CUDA": ("[ONNXRuntimeError] : 1 : FAIL : CUDA failure 2: out of memory ; GPU=0 ; hostname=x", None),
    "DirectX 12": ("[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : DmlExecutionProvider 8007000E Not enough", None),
}
RuntimeException = type("RuntimeException", (Exception,), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"})


@pytest.mark.parametrize(("text", "mib"), SAID.values(), ids=SAID)
def test_each_message_of_torch_is_known_with_what_was_asked_for(text: str, mib: float | None) -> None:
    error = RuntimeError(text)
    assert is_out_of_memory(error)
    assert missing_mib(error) == mib


@pytest.mark.parametrize(("text", "mib"), ONNX.values(), ids=ONNX)
def test_each_message_of_onnxruntime_is_known_with_what_was_asked_for(text: str, mib: float | None) -> None:
    error = RuntimeException(text)
    assert is_out_of_memory(error)
    assert missing_mib(error) == mib


def test_the_class_is_enough() -> None:
    assert is_out_of_memory(torch.cuda.OutOfMemoryError(""))
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(OSError(errno.ENOMEM, "Cannot allocate memory"))


def test_what_torch_and_numpy_really_raise_is_known() -> None:
    with pytest.raises(RuntimeError) as of_torch:
        torch.empty(2**55, dtype=torch.uint8)
    assert is_out_of_memory(of_torch.value)
    assert missing_mib(of_torch.value) == 2.0**35
    with pytest.raises(MemoryError) as of_numpy:
        np.empty(2**55, np.uint8)
    assert is_out_of_memory(of_numpy.value)
    assert missing_mib(of_numpy.value) == 2.0**35


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA error: an illegal memory access was encountered"),
        RuntimeError("DataLoader worker is killed by signal: Bus error. They may be out of shared memory"),
        RuntimeError("could not create a primitive descriptor for a convolution forward propagation primitive"),
        RuntimeError("The size of tensor a (3) must match the size of tensor b (4)"),
        ValueError("a recording called 'out of memory.wav'"),
        OSError(errno.ENOSPC, "No space left on device"),
        MemoryExhaustedError("out of memory after every retreat"),
        KeyboardInterrupt("out of memory"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_other_bad_news_is_not_taken_for_it(error: BaseException) -> None:
    assert not is_out_of_memory(error)


@given(st.text())
def test_no_message_is_too_strange_to_be_read(text: str) -> None:
    assert missing_mib(RuntimeError(text)) is None or "allocate" in text or "requested" in text


@given(st.integers(1, 2**40))
def test_a_number_of_bytes_comes_back_in_mib(count: int) -> None:
    assert missing_mib(RuntimeError(f"you tried to allocate {count} bytes.")) == pytest.approx(count / 2**20)


def test_huge_numbers_are_no_trouble() -> None:
    assert missing_mib(RuntimeError("Tried to allocate " + "9" * 5000 + " GiB")) is None
    assert missing_mib(RuntimeError("Tried to allocate " + "9" * 20 + " GiB")) == pytest.approx(1024e20)


def test_freeing_ends_rings_of_objects_and_empties_the_cache_of_the_device_that_is_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Node:
        ring: "Node"

    node = Node()
    node.ring, seen = node, weakref.ref(node)
    emptied: list[int] = []
    inside: list[int] = []

    class Selected:
        def __init__(self, device: torch.device) -> None:
            self.index = device.index

        def __enter__(self) -> None:
            inside.append(self.index)

        def __exit__(self, *_: object) -> None:
            inside.pop()

    monkeypatch.setattr(torch.cuda, "device", Selected)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: emptied.append(inside[-1]))
    gc.disable()
    try:
        del node
        free_cached(torch.device("cuda:1"))
    finally:
        gc.enable()
    assert seen() is None
    assert emptied == [1]
    monkeypatch.setattr(torch.xpu, "device", Selected)
    monkeypatch.setattr(torch.xpu, "empty_cache", lambda: emptied.append(inside[-1] + 100))
    free_cached(torch.device("xpu:2"))
    assert emptied == [1, 102]


@pytest.mark.parametrize("device", [None, torch.device("cpu"), torch.device("privateuseone:0"), torch.device("meta")])
def test_devices_that_keep_nothing_are_left_alone(device: torch.device | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: pytest.fail("not this device's cache"))
    free_cached(device)


def test_glibc_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    library = SimpleNamespace(mallopt=lambda name, _value: told.append(name) or 1)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    assert keep_freed_memory()
    assert len(told) == 2


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert not keep_freed_memory()


def test_a_system_without_one_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object) -> None:
        raise TypeError("a name is needed here")  # as on Windows

    monkeypatch.setattr(ctypes, "CDLL", none)
    assert not keep_freed_memory()


@pytest.mark.parametrize(("cpus", "heaps"), [(1, 2), (2, 2), (16, 16)])
def test_threads_share_heaps_one_for_each_cpu(monkeypatch: pytest.MonkeyPatch, cpus: int, heaps: int) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(mallopt=lambda *what: told.append(what)))
    limit_heaps(cpus)
    assert told == [(-8, heaps)]


def test_of_the_cpu_it_is_what_the_system_saw_at_most(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("Name:\tpython\nVmPeak:\t 9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1024 kB\n")
    assert peak_resident_mib(tmp_path / "status") == 2.0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say")
def test_without_proc_the_other_count_is_near(tmp_path: Path) -> None:
    assert peak_resident_mib(tmp_path / "nothing") == pytest.approx(peak_resident_mib(), rel=0.5)


def test_of_cuda_torch_says_and_of_directml_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "max_memory_reserved", lambda device: 3 * 1024 * 1024)
    assert peak_mib(torch.device("cuda", 0)) == 3.0
    assert peak_mib(torch.device("privateuseone", 0)) is None


@pytest.mark.parametrize(
    "text",
    [
        "GET was unable to find an engine to execute this computation",
        "FIND was unable to find an engine to execute this computation",
        "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION",
        "cuFFT error: CUFFT_INTERNAL_ERROR",
    ],
)
def test_what_may_mean_anything_means_out_of_memory_where_a_gpu_is_full(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_out_of_memory(RuntimeError(text))  # CUDA is not used
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for free_mib, full in ((200, True), (20_000, False)):
        free = {0: 30_000, 1: free_mib}
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda index, free=free: (free[index] << 20, 80_000 << 20))
        assert is_out_of_memory(RuntimeError(text)) is full
    assert not is_out_of_memory(ValueError(text))
