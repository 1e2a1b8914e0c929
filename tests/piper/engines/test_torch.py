"""A checkpoint speaks on any device, in windows where memory is short, and on the CPU when its GPU fails."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.gpus import T4, on
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import Finding, MemoryExhaustedError, NoDeviceError
from voxmatrix.models.device import CPU, SpeakDevice
from voxmatrix.piper.engines import torch as torch_engine
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.torch import MIN_FRAMES, TorchEngine
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint, read_checkpoint
from voxmatrix.vits.decoders.hifigan import Generator

MANNER = SynthesisOptions(length=3.0)
#: Refuses to decode this many frames, by raising.
Guard = Callable[[int], None]


def memory_for(most: int, asked: list[int] | None = None) -> Guard:
    """Memory that holds this many frames."""

    def guard(frames: int) -> None:
        if asked is not None:
            asked.append(frames)
        if frames > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total")

    return guard


@contextmanager
def decoding(guard: Guard) -> Iterator[None]:
    """Whatever is decoded meanwhile asks first."""
    forward = Generator.forward

    def guarded(self: Generator, x: torch.Tensor, *speaker: torch.Tensor | None) -> torch.Tensor:
        guard(x.size(2))
        return forward(self, x, *speaker)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Generator, "forward", guarded)
        yield


@pytest.fixture
def checkpoint(make_checkpoint: Callable[..., Path]) -> Checkpoint:
    return read_checkpoint(make_checkpoint("tiny", 1, "text"))


@pytest.fixture
def gpu_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that computes as the CPU does."""
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    monkeypatch.setattr(torch_engine, "torch_device", lambda gpu, machine: torch.device("cpu"))


def spoken(
    checkpoint: Checkpoint,
    ids: list[int],
    options: SynthesisOptions = MANNER,
    *,
    guard: Guard = lambda frames: None,
    device: SpeakDevice = CPU,
    told: list[Finding] | None = None,
) -> Samples:
    warn = [].append if told is None else told.append
    engine = TorchEngine(checkpoint, 1, device=device, warn=warn)
    (part,) = engine.begin(ids, options, 5).segments
    with decoding(guard):
        return part()


@pytest.mark.parametrize(
    "kind",
    [("tiny", 3, "text"), ("medium", 1, "text"), pytest.param(("high", 1, "text"), marks=pytest.mark.slow)],
    ids=lambda kind: "-".join(map(str, kind)),
)
def test_windows_are_the_whole(make_checkpoint: Callable[..., Path], kind: tuple[Any, ...], ids: list[int]) -> None:
    checkpoint, options = read_checkpoint(make_checkpoint(*kind)), SynthesisOptions(length=3.0, speaker=kind[1] - 1)
    whole_frames: list[int] = []
    whole = spoken(checkpoint, ids, options, guard=memory_for(10_000, whole_frames))
    asked: list[int] = []

    pieces = spoken(checkpoint, ids, options, guard=memory_for(90, asked))

    assert len(whole) == 256 * whole_frames[0] and whole_frames[0] > 150
    assert sum(frames <= 90 for frames in asked) > 3
    assert pieces.shape == whole.shape and np.abs(pieces - whole).max() <= 1e-4


def test_without_the_frames_around_them_windows_would_not_be_the_whole(
    checkpoint: Checkpoint, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = spoken(checkpoint, ids)
    monkeypatch.setattr(Generator, "margin", 0)

    pieces = spoken(checkpoint, ids, guard=memory_for(120))

    assert np.abs(pieces - whole).max() > 1e-3


def test_what_fits_is_decoded_at_once(checkpoint: Checkpoint, ids: list[int]) -> None:
    asked: list[int] = []
    spoken(checkpoint, ids, guard=memory_for(10_000, asked))
    assert len(asked) == 1


def test_when_the_shortest_window_does_not_fit_the_error_says_how_long_and_how_much(
    checkpoint: Checkpoint, ids: list[int]
) -> None:
    asked: list[int] = []

    with pytest.raises(MemoryExhaustedError, match=r"40 symbols and .* frames") as caught:
        spoken(checkpoint, ids, guard=memory_for(10, asked))

    assert caught.value.exit_code == 6 and "2,560 MiB" in caught.value.problem
    assert "export" in caught.value.remedy and "--device" not in caught.value.remedy
    assert min(asked) <= MIN_FRAMES + 2 * 12


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes."),
        RuntimeError("Could not allocate tensor with 4096 bytes. There is not enough GPU video memory available!"),
    ],
    ids=["Python", "the CPU", "DirectML"],
)
def test_every_way_to_run_out_of_memory_is_a_retreat(
    checkpoint: Checkpoint, ids: list[int], error: BaseException
) -> None:
    answers = iter([error])

    def guard(frames: int) -> None:
        for answer in answers:
            raise answer

    assert np.abs(spoken(checkpoint, ids, guard=guard) - spoken(checkpoint, ids)).max() <= 1e-4


def test_text_that_runs_out_of_memory_before_there_are_frames_is_said(
    checkpoint: Checkpoint, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(torch_engine, "_latent", full)
    with pytest.raises(MemoryExhaustedError, match="a sentence of 40 symbols\n"):
        spoken(checkpoint, ids)


@pytest.mark.usefixtures("gpu_is_here")
def test_a_seed_means_the_same_on_a_gpu_and_no_word_is_said(checkpoint: Checkpoint, ids: list[int]) -> None:
    told: list[Finding] = []
    assert np.array_equal(spoken(checkpoint, ids, device=on(T4), told=told), spoken(checkpoint, ids)) and not told


@pytest.mark.usefixtures("gpu_is_here")
def test_a_gpu_that_fails_amid_a_sentence_leaves_the_whole_sentence_to_the_cpu(
    checkpoint: Checkpoint, ids: list[int]
) -> None:
    told: list[Finding] = []
    answers = iter([None, RuntimeError("CUDA error: unspecified launch failure")])

    def guard(frames: int) -> None:
        for answer in answers:
            if answer:
                raise answer
            raise MemoryError  # so that the sentence is in pieces when the GPU fails

    samples = spoken(checkpoint, ids, guard=guard, device=on(T4), told=told)

    assert np.array_equal(samples, spoken(checkpoint, ids))
    assert [finding.severity for finding in told] == ["warning"]
    assert "cuda:1 (Tesla T4) failed" in told[0].problem and "unspecified launch failure" in told[0].problem


@pytest.mark.usefixtures("gpu_is_here")
def test_a_gpu_whose_memory_holds_nothing_leaves_it_to_the_cpu_unless_it_was_demanded(
    checkpoint: Checkpoint, ids: list[int]
) -> None:
    told: list[Finding] = []
    left = [9]

    def guard(frames: int) -> None:
        left[0] -= 1
        if left[0] > 0:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")

    samples = spoken(checkpoint, ids, guard=guard, device=on(T4), told=told)

    assert np.abs(samples - spoken(checkpoint, ids)).max() <= 1e-4
    assert "no memory left to speak a sentence of 40 symbols" in told[0].problem and "`device=cpu`" in told[0].remedy
    with pytest.raises(MemoryExhaustedError, match="cuda:1") as caught:
        spoken(checkpoint, ids, guard=memory_for(0), device=on(T4, required=True))
    assert "`device=cpu`" in caught.value.remedy


@pytest.mark.parametrize("required", [False, True])
def test_a_gpu_that_torch_does_not_see_is_a_warning_or_an_error(
    checkpoint: Checkpoint, ids: list[int], required: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    told: list[Finding] = []
    if required:
        with pytest.raises(NoDeviceError, match="sees 0 CUDA devices"):
            spoken(checkpoint, ids, device=on(T4, required=True), told=told)
    else:
        assert np.array_equal(spoken(checkpoint, ids, device=on(T4), told=told), spoken(checkpoint, ids))
        assert "sees 0 CUDA devices" in told[0].problem


@pytest.mark.gpu
def test_a_real_gpu_speaks_as_the_cpu_does(checkpoint: Checkpoint, ids: list[int]) -> None:
    from voxmatrix.machine.detect import detect
    from voxmatrix.models.device import FoundGpu

    machine = detect().machine
    gpu = next(each for each in machine.gpus if each.kind == "cuda")
    device = SpeakDevice(on=FoundGpu(gpu=gpu, machine=machine), required=True)

    there, here = spoken(checkpoint, ids, device=device), spoken(checkpoint, ids)
    pieces = spoken(checkpoint, ids, device=device, guard=memory_for(120))

    assert there.shape == here.shape and np.abs(there - here).max() <= 1e-3
    assert np.abs(pieces - there).max() <= 1e-4
