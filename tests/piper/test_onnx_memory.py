"""An ONNX voice on a GPU, and short of memory: shorter pieces, the CPU in its place, or an error that says all."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.gpus import T4, on
from voxmatrix.errors import BadInputError, Finding, MemoryExhaustedError, NoDeviceError
from voxmatrix.inference.session import open_session
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice
from voxmatrix.piper.engines import networks
from voxmatrix.piper.engines.base import Engine, SynthesisOptions
from voxmatrix.piper.engines.onnx import MIN_SAMPLES, SEGMENT_SAMPLES, SplitModelEngine, WholeModelEngine, open_onnx

MANNER = SynthesisOptions(noise=0.0, noise_w=0.0, length=5.0)
RuntimeException = type("RuntimeException", (Exception,), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"})
NO_MEMORY = "[ONNXRuntimeError] : 6 : Failed to allocate memory for requested buffer of size 2097152"


def spoken(
    engine: Engine, ids: list[int], options: SynthesisOptions = MANNER, seed: int | None = None
) -> tuple[np.ndarray, int]:
    parts = engine.begin(ids, options, seed).segments
    return np.concatenate([part() for part in parts]), len(parts)


class Gpu:
    """A GPU that computes as the CPU does, until it shall not."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.runs = 0

    def open(self, gpu: FoundGpu, path: Path, model: bytes | None = None, *, optimised: bool = False) -> Any:
        self._session = open_session(path, model, optimised=optimised)
        return self

    def run(self, outputs: Any, inputs: Any) -> Any:
        self.runs += 1
        if self.error:
            raise self.error
        return self._session.run(outputs, inputs)

    def get_inputs(self) -> Any:
        return self._session.get_inputs()

    def get_outputs(self) -> Any:
        return self._session.get_outputs()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    made = Gpu()
    monkeypatch.setattr("voxmatrix.inference.provider.open_gpu_session", made.open)
    return made


@pytest.fixture
def voice(make_onnx: Callable[..., Path]) -> Path:
    return make_onnx("tiny", 1, "text")


class Cpu:
    """The CPU, with memory for this many frames of speech."""

    def __init__(self, frames: int, error: Exception) -> None:
        self.asked: list[int] = []
        self._frames = frames
        self._error = error

    def open(self, path: Path, model: bytes | None = None, **options: Any) -> Any:
        session, cpu = open_session(path, model, **options), self

        class Network:
            def run(self, outputs: Any, inputs: Any) -> Any:
                made = session.run(outputs, inputs)
                if outputs == ["output"]:
                    cpu.asked.append(made[0].size // 256)
                    if cpu.asked[-1] > cpu._frames:
                        raise cpu._error
                return made

        return Network()


@pytest.mark.parametrize("error", [RuntimeException(NO_MEMORY), MemoryError()], ids=["onnxruntime", "Python"])
def test_shorter_pieces_say_the_same(
    voice: Path, ids: list[int], error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = spoken(WholeModelEngine(voice, 1), ids)
    cpu = Cpu(16, error)
    monkeypatch.setattr(networks, "open_session", cpu.open)
    shorter, _ = spoken(open_onnx(voice, 1), ids)

    assert sum(frames <= 16 for frames in cpu.asked) > len(whole) / (16 * 256)
    assert shorter.shape == whole.shape and np.abs(shorter - whole).max() <= 1e-6


def test_when_the_shortest_piece_does_not_fit_the_error_says_how_long_and_how_much(
    voice: Path, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = Cpu(0, RuntimeException(NO_MEMORY))
    monkeypatch.setattr(networks, "open_session", cpu.open)
    with pytest.raises(
        MemoryExhaustedError, match=r"the CPU .* 40 symbols and [0-9,]+ frames; allocating 2 MiB"
    ) as caught:
        spoken(open_onnx(voice, 1), ids)

    assert "`threads=1`" in caught.value.remedy
    assert min(cpu.asked) <= MIN_SAMPLES // 256 + 2 * 2


def test_a_text_that_fills_the_memory_is_said(voice: Path, ids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_onnx(voice, 1)

    def full(*_: Any) -> Any:
        raise RuntimeException("std::bad_alloc")

    monkeypatch.setattr(networks.Network, "run_timed", full)
    with pytest.raises(MemoryExhaustedError, match="a sentence of 40 symbols\n"):
        engine.begin(ids, MANNER)


def test_a_voice_that_does_not_fit_is_no_damaged_file(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    def full(*_: Any, **__: Any) -> Any:
        raise RuntimeException("Exception during initialization: std::bad_alloc")

    monkeypatch.setattr(onnxruntime, "InferenceSession", full)
    with pytest.raises(MemoryExhaustedError, match="no memory left to load"):
        open_session(voice)


def test_the_next_sentence_begins_while_the_gpu_computes(voice: Path, ids: list[int], gpu: Gpu) -> None:
    engine = open_onnx(voice, 1, device=on(T4, required=True))
    computing, begun = threading.Event(), threading.Event()
    run = gpu.run

    def slow(outputs: Any, inputs: Any) -> Any:
        computing.set()
        assert begun.wait(60)
        return run(outputs, inputs)

    (part,) = engine.begin(ids, MANNER).segments
    gpu.run = slow  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as pool:
        spoken_meanwhile = pool.submit(part)
        assert computing.wait(60)
        assert engine.begin(ids, MANNER).segments
        begun.set()
        assert len(spoken_meanwhile.result(60))


@pytest.mark.parametrize("kind", ["pieces", "whole"])
def test_a_gpu_says_what_the_cpu_says(voice: Path, ids: list[int], gpu: Gpu, kind: str) -> None:
    told: list[Finding] = []

    def opened(device: SpeakDevice) -> Engine:
        if kind == "pieces":
            return open_onnx(voice, 1, device=device, warn=told.append)
        return WholeModelEngine(voice, 1, device=device, warn=told.append)

    there, count = spoken(opened(on(T4)), ids, SynthesisOptions(length=5.0), 3)
    here, _ = spoken(opened(CPU), ids, SynthesisOptions(length=5.0), 3)

    assert len(there) > 2 * SEGMENT_SAMPLES and count == 1  # a GPU computes long segments
    assert gpu.runs == 1 and not told
    assert there.shape == here.shape and np.abs(there - here).max() <= 1e-5  # seeds mean the same


@pytest.mark.parametrize("kind", ["pieces", "whole"])
@pytest.mark.parametrize("error", [RuntimeException("CUDA failure 719: unspecified"), RuntimeException(NO_MEMORY)])
def test_a_gpu_that_fails_leaves_its_work_to_the_cpu(
    voice: Path, ids: list[int], gpu: Gpu, kind: str, error: Exception
) -> None:
    told: list[Finding] = []
    engine: Engine = (
        open_onnx(voice, 1, device=on(T4), warn=told.append)
        if kind == "pieces"
        else WholeModelEngine(voice, 1, device=on(T4), warn=told.append)
    )
    before, _ = spoken(engine, ids)
    gpu.error = error

    amid, _ = spoken(engine, ids)
    runs = gpu.runs
    after, count = spoken(engine, ids)

    assert isinstance(engine, SplitModelEngine if kind == "pieces" else WholeModelEngine)
    assert np.abs(amid - before).max() <= 1e-6 and np.abs(after - before).max() <= 1e-6
    assert gpu.runs == runs and (count > 1) == (kind == "pieces")  # the CPU, in its short pieces, from then on
    assert [finding.severity for finding in told] == ["warning"]
    assert "cuda:1 (Tesla T4)" in told[0].problem
    assert ("memory" if "memory" in str(error) else "CUDA failure 719") in told[0].problem


def test_a_demanded_gpu_that_fails_is_an_error(voice: Path, ids: list[int], gpu: Gpu) -> None:
    engine = open_onnx(voice, 1, device=on(T4, required=True))
    gpu.error = RuntimeException("CUDA failure 719: unspecified")
    with pytest.raises(NoDeviceError, match="CUDA failure 719"):
        spoken(engine, ids)
    gpu.error = RuntimeException(NO_MEMORY)
    with pytest.raises(MemoryExhaustedError, match="cuda:1") as caught:
        spoken(engine, ids)
    assert "`device=cpu`" in caught.value.remedy


@pytest.mark.parametrize("required", [False, True])
def test_a_gpu_that_onnxruntime_cannot_use_is_a_warning_or_an_error(
    voice: Path, ids: list[int], required: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    told: list[Finding] = []
    if required:
        with pytest.raises(NoDeviceError, match="has no provider for cuda:1"):
            open_onnx(voice, 1, device=on(T4, required=True), warn=told.append)
        return
    engine = open_onnx(voice, 1, device=on(T4), warn=told.append)

    assert np.array_equal(spoken(engine, ids)[0], spoken(open_onnx(voice, 1), ids)[0])
    assert len(told) == 1 and "has no provider" in told[0].problem


def test_what_is_wrong_with_a_sentence_is_said_as_ever(voice: Path, gpu: Gpu) -> None:
    with pytest.raises(BadInputError, match="cannot speak this sentence"):
        spoken(open_onnx(voice, 1, device=on(T4, required=True)), [1, 0, 9999, 0, 2])


@pytest.mark.skipif(sys.platform != "linux", reason="limits of an address space are Linux's")
def test_a_process_whose_memory_ends_says_so_in_our_words(voice: Path) -> None:
    """No stand-in: the address space of a real process ends while it speaks an endless sentence."""
    program = """
import resource, sys
from pathlib import Path
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import open_onnx
engine = open_onnx(Path(sys.argv[1]), 1)
options = SynthesisOptions(noise=0.0, noise_w=0.0)
[part() for part in engine.begin([1, 2, 3], options).segments]
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (20 << 20), resource.RLIM_INFINITY))
try:
    engine.begin([5] * 6000, options).segments
except MemoryExhaustedError as error:
    print(error.problem)
"""
    command = [sys.executable, "-c", program, str(voice)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "the CPU has no memory left to speak a sentence of 6,000 symbols" in done.stdout, done.stderr
