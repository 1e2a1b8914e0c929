"""Where memory runs out a sentence is decoded in halves, quarters …, and what is said when nothing fits."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
import torch

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import MemoryExhaustedError
from voxmatrix.piper.engines import chunking
from voxmatrix.piper.engines.chunking import ChunkedDecoder, SentenceLength

SIZE = SentenceLength(40, 100)


def make(least: int = 4) -> ChunkedDecoder:
    return ChunkedDecoder(least, "cuda:0 (T4)", "set --device cpu")


def up_to(most: int, asked: list[tuple[int, int]], error: BaseException | None = None) -> Callable[[int, int], Samples]:
    """A decoder whose memory holds `most` places."""

    def decode(start: int, end: int) -> Samples:
        asked.append((start, end))
        if end - start > most:
            raise error or RuntimeError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has")
        return np.arange(start, end, dtype=np.float32)

    return decode


def test_what_fits_is_decoded_in_one_go() -> None:
    asked: list[tuple[int, int]] = []

    samples = make().decode(up_to(100, asked), 0, 100, SIZE)

    assert samples.tolist() == list(range(100)) and asked == [(0, 100)]


@pytest.mark.parametrize("most", [4, 7, 25, 49, 99])
@pytest.mark.parametrize(("start", "end"), [(0, 100), (13, 113), (0, 5)])
def test_what_does_not_fit_is_halved_until_it_does_and_nothing_is_lost(most: int, start: int, end: int) -> None:
    asked: list[tuple[int, int]] = []

    samples = make().decode(up_to(most, asked), start, end, SIZE)

    assert samples.tolist() == list(range(start, end))
    done = [(a, b) for a, b in asked if b - a <= most]
    assert len(done) <= -(-(end - start) // max(4, most // 2 + 1))


def test_a_length_that_did_not_fit_is_not_tried_again() -> None:
    saved, asked = make(), []
    saved.decode(up_to(30, asked), 0, 100, SIZE)
    asked.clear()

    saved.decode(up_to(30, asked), 0, 100, SIZE)

    assert asked == [(0, 25), (25, 50), (50, 75), (75, 100)]


def test_when_the_least_does_not_fit_the_error_says_all_that_is_known() -> None:
    asked: list[tuple[int, int]] = []

    with pytest.raises(MemoryExhaustedError, match=r"cuda:0 \(T4\)") as caught:
        make().decode(up_to(3, asked), 0, 100, SIZE)

    assert min(end - start for start, end in asked) == 4
    assert "40 symbols and 100 frames" in caught.value.problem and "2,560 MiB" in caught.value.problem
    assert caught.value.remedy == "set --device cpu" and caught.value.exit_code == 6


def test_an_amount_that_is_not_known_is_not_made_up() -> None:
    with pytest.raises(MemoryExhaustedError) as caught:
        make().decode(up_to(3, [], MemoryError()), 0, 100, SIZE)

    assert "MiB" not in caught.value.problem


@pytest.mark.parametrize(
    "error", [ValueError("no"), RuntimeError("CUDA error: device-side assert"), KeyboardInterrupt()]
)
def test_other_errors_come_out_as_they_are_at_once(error: BaseException) -> None:
    asked: list[tuple[int, int]] = []

    with pytest.raises(type(error)):
        make().decode(up_to(50, asked, error), 0, 100, SIZE)
    with pytest.raises(type(error)):
        make().whole(lambda: up_to(50, asked, error)(0, 100), SIZE)

    assert len(asked) == 2


def test_what_cannot_be_cut_is_tried_once_more_and_no_longer() -> None:
    answers = iter([MemoryError(), None, MemoryError(), MemoryError(), None])

    def work() -> str:
        answer = next(answers)
        if answer:
            raise answer
        return "done"

    assert make().whole(work, SentenceLength(40)) == "done"
    with pytest.raises(MemoryExhaustedError, match="40 symbols\n"):
        make().whole(work, SentenceLength(40))


def test_memory_is_freed_when_the_error_that_held_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[bool] = []
    seen: list[object] = []

    class Big:
        pass

    def decode(start: int, end: int) -> Samples:
        import weakref

        big = Big()  # a tensor in a frame that the error's traceback holds
        seen.append(weakref.ref(big))
        if end - start > 50:
            raise MemoryError
        return np.zeros(end - start, np.float32)

    monkeypatch.setattr(chunking, "free_cached", lambda device: alive.append(seen[-1]() is not None))  # type: ignore[operator]
    make().decode(decode, 0, 100, SIZE)

    assert alive == [False]


def test_the_device_whose_memory_it_is_gives_back_its_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[torch.device | None] = []
    monkeypatch.setattr(chunking, "free_cached", freed.append)

    ChunkedDecoder(4, "", "", torch.device("cuda:1")).decode(up_to(50, []), 0, 100, SIZE)

    assert freed == [torch.device("cuda:1")]


def test_who_is_short_of_memory_works_alone() -> None:
    saved, inside, most = make(), [0], [0]
    lock = threading.Lock()

    def decode(start: int, end: int) -> Samples:
        if end - start > 25:
            raise MemoryError
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        threading.Event().wait(0.002)
        with lock:
            inside[0] -= 1
        return np.arange(start, end, dtype=np.float32)

    found: list[list[float]] = []
    threads = [
        threading.Thread(target=lambda: found.append(saved.decode(decode, 0, 100, SIZE).tolist())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] and found == [list(range(100))] * 4
