"""A checkpoint speaks on any device, in windows where memory is short."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.torch import MIN_FRAMES, TorchEngine, speaking_generator
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

    def guarded(self: Generator, x: torch.Tensor, *others: torch.Tensor | None) -> torch.Tensor:
        guard(x.size(2))
        return forward(self, x, *others)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Generator, "forward", guarded)
        yield


@pytest.fixture
def checkpoint(make_checkpoint: Callable[..., Path]) -> Checkpoint:
    return read_checkpoint(make_checkpoint("tiny", 1, "text"))


def spoken(
    checkpoint: Checkpoint,
    ids: list[int],
    options: SynthesisOptions = MANNER,
    *,
    guard: Guard = lambda frames: None,
) -> Samples:
    engine = TorchEngine(speaking_generator(checkpoint), torch.device("cpu"), "the CPU")
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

    monkeypatch.setattr(TorchEngine, "_latent", full)
    with pytest.raises(MemoryExhaustedError, match="a sentence of 40 symbols\n"):
        spoken(checkpoint, ids)
