"""A GPU works until it fails; then the CPU does the same work again, and says why. A required one ends the command."""

import threading

import pytest

from tests.models.gpus import T4, on
from voxmatrix.errors import BadInputError, Finding, MemoryExhaustedError, MissingProgramError, NoDeviceError
from voxmatrix.inference.cpu_fallback import WithCpuFallback
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice


def never(gpu: FoundGpu) -> str:
    raise AssertionError(f"{gpu} was not chosen")


def placed(device: SpeakDevice, told: list[Finding], gpu_error: Exception | None = None) -> WithCpuFallback[str]:
    def to_gpu(gpu: FoundGpu) -> str:
        if gpu_error:
            raise gpu_error
        return f"on {gpu.gpu.device}"

    return WithCpuFallback(device, to_gpu, lambda: "on the CPU", told.append)


def test_the_cpu_works_without_a_word() -> None:
    told: list[Finding] = []
    assert WithCpuFallback(CPU, never, lambda: "on the CPU", told.append).do(str.upper) == "ON THE CPU" and not told


def test_a_gpu_works() -> None:
    told: list[Finding] = []
    held = placed(on(T4), told)
    assert held.do(str.upper) == "ON CUDA:1" and held.device == on(T4) and not told


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA error: no kernel image is available\nmore"),
        MissingProgramError("CUDA error: no kernel image is available", "install"),
        AssertionError("CUDA error: no kernel image is available"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_gpu_that_cannot_be_opened_costs_a_warning_with_the_reason(error: Exception) -> None:
    told: list[Finding] = []

    held = placed(on(T4), told, error)

    assert held.do(str.upper) == "ON THE CPU" and held.device == CPU
    (finding,) = told
    assert finding.severity == "warning" and finding.remedy in (
        "install",
        "run voxmatrix doctor to see why, or set `device=cpu`",
    )
    assert finding.problem == (
        "cuda:1 (Tesla T4) failed, falling back to the CPU: CUDA error: no kernel image is available"
    )


def test_work_that_a_gpu_fails_at_is_done_again_on_the_cpu_which_stays() -> None:
    told: list[Finding] = []
    held, tried = placed(on(T4), told), []

    def work(where: str) -> str:
        tried.append(where)
        if "cuda" in where:
            raise MemoryExhaustedError("cuda:1 has no memory left", "set `device=cpu`")
        return where

    assert [held.do(work), held.do(work)] == ["on the CPU", "on the CPU"]
    assert tried == ["on cuda:1", "on the CPU", "on the CPU"]
    assert len(told) == 1 and "no memory left" in told[0].problem


def test_what_is_wrong_with_the_work_itself_comes_out_as_it_is() -> None:
    told: list[Finding] = []

    def work(where: str) -> str:
        raise IndexError("id 9999")

    with pytest.raises(IndexError, match="9999"):
        placed(on(T4), told).do(work)


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (RuntimeError("CUDA error: unspecified launch failure"), NoDeviceError, 4),
        (RuntimeError(""), NoDeviceError, 4),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.50 GiB."), MemoryExhaustedError, 6),
        (MissingProgramError("torch-directml is not installed", "install it"), MissingProgramError, 7),
        (BadInputError("wrong", ""), BadInputError, 3),
    ],
    ids=["fails", "without a word", "memory", "missing", "ours"],
)
def test_a_demanded_gpu_that_fails_is_an_error_and_never_the_cpu(
    error: Exception, kind: type[NoDeviceError], code: int
) -> None:
    told: list[Finding] = []

    def work(where: str) -> str:
        raise error

    with pytest.raises(kind) as opening:
        placed(on(T4, required=True), told, error)
    with pytest.raises(kind) as working:
        placed(on(T4, required=True), told).do(work)

    assert opening.value.exit_code == working.value.exit_code == code
    assert opening.value.problem and not told


def test_a_gpu_does_one_thing_at_a_time_and_fails_once() -> None:
    told: list[Finding] = []
    held, inside, most = placed(on(T4), told), [0], [0]
    done: list[str] = []

    def work(where: str) -> str:
        if "cuda" not in where:
            return where
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        threading.Event().wait(0.002)
        inside[0] -= 1
        if len(done) > 3:
            raise RuntimeError("CUDA error")
        return where

    threads = [threading.Thread(target=lambda: done.append(held.do(work))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] and len(done) == 16 and len(told) == 1 and held.device == CPU
