"""What many threads ask for is computed together, in the order in which it came, and each has its own result."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from voxmatrix.inference.batcher import Batcher, Request

Job = Request[int, str]
SECONDS = 30  # until a test gives up; nothing waits for it that works


class Network:
    """Computes nothing until it is told to, and remembers its batches."""

    def __init__(self, fail: Callable[[Sequence[int]], Exception | None] = lambda items: None) -> None:
        self.batches: list[list[int]] = []
        self.begun = threading.Semaphore(0)
        self._go = threading.Semaphore(0)
        self._fail = fail

    def __call__(self, requests: Sequence[Job]) -> None:
        self.batches.append([one.item for one in requests])
        self.begun.release()
        assert self._go.acquire(timeout=SECONDS)
        if error := self._fail(self.batches[-1]):
            raise error
        for one in requests:
            one.result.set_result(f"sound {one.item}")

    def finish(self, batches: int = 1) -> None:
        """Let it compute some batches."""
        self._go.release(batches)


def busy(network: Network, batcher: "Batcher[int, str]") -> Job:
    """A request that is being computed."""
    first = batcher.submit(0)
    assert network.begun.acquire(timeout=SECONDS)
    return first


def test_a_request_that_is_alone_does_not_wait_for_others() -> None:
    network = Network()
    with Batcher(network, limit=8) as batcher:
        first = busy(network, batcher)
        assert network.batches == [[0]]
        network.finish()
        assert first() == "sound 0"


def test_64_clients_are_served_in_the_order_in_which_they_came_and_wait_for_a_bounded_number_of_batches() -> None:
    network = Network()
    with Batcher(network, limit=16) as batcher, ThreadPoolExecutor(64) as clients:
        first = busy(network, batcher)
        requests = [batcher.submit(number) for number in range(1, 65)]
        answers = [clients.submit(request) for request in requests]
        network.finish(5)
        assert [answer.result(SECONDS) for answer in answers] == [f"sound {number}" for number in range(1, 65)]
        assert first() == "sound 0"
    assert network.batches == [[0], *(list(range(start, start + 16)) for start in range(1, 65, 16))]


def test_nobody_is_overtaken_by_a_client_that_asks_all_the_time() -> None:
    network = Network()
    with Batcher(network, limit=2) as batcher:
        busy(network, batcher)
        eager = [batcher.submit(number) for number in (1, 2, 3)]
        patient = batcher.submit(9)
        network.finish(2)
        assert eager[1]() == "sound 2"
        batcher.submit(4)
        network.finish(1)
        assert patient() == "sound 9"
        network.finish(1)
    assert network.batches == [[0], [1, 2], [3, 9], [4]]


def test_a_batch_is_no_larger_than_its_limit_except_for_a_single_request() -> None:
    network = Network()
    with Batcher(network, limit=10, size=lambda item: item) as batcher:
        busy(network, batcher)
        last = [batcher.submit(number) for number in (4, 6, 1, 50, 3)][-1]
        network.finish(5)
        last()
    assert network.batches == [[0], [4, 6], [1], [50], [3]]


def test_what_is_cancelled_while_it_waits_is_not_computed_and_who_waits_for_it_is_told() -> None:
    network = Network()
    with Batcher(network, limit=8) as batcher, ThreadPoolExecutor(1) as client:
        first = busy(network, batcher)
        unwanted, wanted = batcher.submit(1), batcher.submit(2)
        waiting = client.submit(unwanted)
        unwanted.cancel()
        first.cancel()  # too late
        with pytest.raises(CancelledError):
            waiting.result(SECONDS)
        network.finish(2)
        assert (first(), wanted()) == ("sound 0", "sound 2")
    assert network.batches == [[0], [2]]


def test_an_error_reaches_only_the_request_that_causes_it() -> None:
    network = Network(lambda items: ValueError("poison") if 5 in items else None)
    with Batcher(network, limit=8) as batcher:
        busy(network, batcher)
        requests = [batcher.submit(number) for number in range(1, 9)]
        network.finish(20)
        assert [one() for one in requests if one.item != 5] == [f"sound {n}" for n in range(1, 9) if n != 5]
        with pytest.raises(ValueError, match="poison"):
            requests[4]()
    assert network.batches[1:4] == [list(range(1, 9)), [1, 2, 3, 4], [5, 6, 7, 8]]


def test_results_that_are_ready_before_an_error_are_kept() -> None:
    computed: list[list[int]] = []

    def compute(requests: Sequence[Job]) -> None:
        computed.append([one.item for one in requests])
        requests[0].result.set_result("sound")
        if len(requests) > 1:
            raise RuntimeError("lost")

    entered = threading.Event()
    with Batcher(lambda requests: (entered.wait(SECONDS), compute(requests))[1], limit=8) as batcher:
        requests = [batcher.submit(number) for number in range(4)]
        entered.set()
        assert {one() for one in requests} == {"sound"}
    assert len([item for batch in computed for item in batch]) > 4


def test_closing_ends_the_current_batch_and_cancels_the_others() -> None:
    network = Network()
    batcher = Batcher(network, limit=8)
    first = busy(network, batcher)
    second = batcher.submit(1)
    with ThreadPoolExecutor(1) as closer:
        closing = closer.submit(batcher.close)
        with pytest.raises(CancelledError):
            second()
        network.finish()
        closing.result(SECONDS)
    assert first() == "sound 0"
    with pytest.raises(CancelledError):
        batcher.submit(2)()
