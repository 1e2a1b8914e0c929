"""Sentences side by side: in order, no further ahead than meant, and nothing goes on when nobody listens."""

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError

import numpy as np
import pytest

from voxmatrix.models.family import Utterance
from voxmatrix.speak.prefetch import prefetch
from voxmatrix.text.spoken import SpokenText


def numbered(numbers: Iterable[int]) -> Iterator[SpokenText]:
    return (SpokenText(str(number), str(number)) for number in numbers)


def number_of(text: SpokenText) -> int:
    return int(text.text)


def sound(number: int) -> np.ndarray:
    return np.full(3, number, np.float32)


def test_sentences_come_out_in_the_order_in_which_they_went_in() -> None:
    gates = [threading.Event() for _ in range(12)]

    def begin(text: SpokenText) -> Utterance:
        number = number_of(text)

        def part(half: int) -> np.ndarray:
            if number % 3 == 0:
                gates[number + 1].wait(20)  # the next sentence is ready before this one
            gates[number].set()
            return np.array([number, half], np.float32)

        return Utterance(segments=[lambda: part(0), lambda: part(1)])

    heard = list(prefetch(numbered(range(12)), begin, workers=4))

    assert [number_of(item) for item, *_ in heard] == list(range(12))
    assert all(samples.tolist() == [number_of(item), 0, number_of(item), 1] for item, _, samples in heard)


def test_the_first_sentence_is_heard_before_the_text_has_ended() -> None:
    more = threading.Event()

    def text() -> Iterator[int]:
        yield 1
        assert more.wait(20)
        yield 2

    heard = prefetch(numbered(text()), lambda text: Utterance(segments=[lambda: sound(number_of(text))]), workers=2)

    assert number_of(next(heard)[0]) == 1  # the second has not been written yet
    more.set()
    assert [number_of(item) for item, *_ in heard] == [2]


def test_a_long_text_is_not_drawn_far_ahead() -> None:
    drawn: list[int] = []

    def text() -> Iterator[int]:
        for number in range(1000):
            drawn.append(number)
            yield number

    heard = prefetch(numbered(text()), lambda text: Utterance(segments=[lambda: sound(number_of(text))]), workers=2)
    for _ in range(5):
        next(heard)
    heard.close()

    assert len(drawn) <= 5 + 2 + 3  # heard, waiting, and one in the hand


@pytest.mark.parametrize("where", ["text", "begin", "part"])
def test_an_error_comes_where_its_sentence_is_due(where: str) -> None:
    def text() -> Iterator[int]:
        yield from (0, 1)
        if where == "text":
            raise RuntimeError("text")
        yield 2

    def part(number: int) -> np.ndarray:
        if where == "part" and number == 2:
            raise RuntimeError("part")
        return sound(number)

    def begin(text: SpokenText) -> Utterance:
        number = number_of(text)
        if where == "begin" and number == 2:
            raise RuntimeError("begin")
        return Utterance(segments=[lambda: part(number)])

    heard = prefetch(numbered(text()), begin, workers=2)

    assert [number_of(next(heard)[0]), number_of(next(heard)[0])] == [0, 1]
    with pytest.raises(RuntimeError, match=where):
        next(heard)


def test_nothing_goes_on_when_nobody_listens() -> None:
    begun: list[int] = []
    before = threading.active_count()

    def begin(text: SpokenText) -> Utterance:
        number = number_of(text)
        begun.append(number)
        return Utterance(segments=[lambda: sound(number)])

    heard = prefetch(numbered(range(10_000)), begin, workers=2)
    next(heard)
    heard.close()
    for thread in threading.enumerate():
        if thread.name == "text":
            thread.join(20)

    assert len(begun) < 20
    assert threading.active_count() <= before


def test_what_waits_for_a_gpu_is_cancelled_when_nobody_wants_it_any_more() -> None:
    computing: list[threading.Event] = [threading.Event() for _ in range(4)]
    cancelled: list[int] = []

    def begin(text: SpokenText) -> Utterance:
        number = number_of(text)

        def segment() -> np.ndarray:
            assert computing[number].wait(20)  # the batch before it does not end
            raise CancelledError

        def cancel() -> None:
            cancelled.append(number)
            computing[number].set()

        return Utterance(segments=[segment], cancel=cancel)

    class LeftError(Exception):
        pass

    def check() -> None:
        raise LeftError

    with pytest.raises(LeftError):
        list(prefetch(numbered(range(4)), begin, workers=4, check=check))

    assert sorted(cancelled)[0] == 0 and all(computing[number].is_set() for number in cancelled)


def test_no_sentence_is_no_sound() -> None:
    assert list(prefetch([], lambda _: Utterance(), workers=2)) == []


def test_an_interruption_does_not_wait_for_running_computations() -> None:
    running, release = threading.Event(), threading.Event()

    def begin(text: SpokenText) -> Utterance:
        number = number_of(text)

        def compute() -> np.ndarray:
            if number:
                running.set()
                assert release.wait(60)
            return np.zeros(1, np.float32)

        return Utterance(segments=[compute])

    computed = prefetch(numbered(range(2)), begin, workers=1)
    next(computed)
    assert running.wait(60)
    with pytest.raises(KeyboardInterrupt):
        computed.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    release.set()
