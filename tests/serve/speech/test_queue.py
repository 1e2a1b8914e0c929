"""A few answers are computed at once on the CPU, many on a GPU, and none overtakes another."""

import asyncio

import pytest

from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.metrics import ServerMetrics
from voxmatrix.serve.speech.queue import MAX_CONCURRENT, MAX_CONCURRENT_ON_GPU, SpeechQueue


class Answers:
    """Answers that compute until they are told to end."""

    def __init__(self, queue: SpeechQueue, voice: str, count: int) -> None:
        self.begun: list[int] = []
        self._ends = [asyncio.Event() for _ in range(count)]
        self._tasks = [asyncio.create_task(self._compute(queue, voice, number)) for number in range(count)]

    async def _compute(self, queue: SpeechQueue, voice: str, number: int) -> None:
        async with queue.slot(voice):
            self.begun.append(number)
            await self._ends[number].wait()

    async def end(self, number: int) -> None:
        """End one, and let others begin."""
        self._ends[number].set()
        await self._tasks[number]
        await settled()


async def settled() -> None:
    """Let everything happen that can."""
    for _ in range(20):
        await asyncio.sleep(0)


def queue_of(*, most_waiting: int = 500) -> SpeechQueue:
    return SpeechQueue(most_waiting, ServerMetrics(), lambda voice: voice.startswith("gpu"))


@pytest.mark.parametrize(("voice", "most"), [("cpu", MAX_CONCURRENT), ("gpu", MAX_CONCURRENT_ON_GPU)])
def test_answers_are_computed_in_order_and_no_more_than_the_device_can(voice: str, most: int) -> None:
    async def run() -> None:
        answers = Answers(queue_of(), voice, most + 3)
        await settled()
        assert answers.begun == list(range(most))
        for number in range(3):
            await answers.end(number)
            assert answers.begun == list(range(most + number + 1))

    asyncio.run(run())


def test_answers_of_the_cpu_and_of_a_gpu_do_not_wait_for_each_other() -> None:
    async def run() -> None:
        queue = queue_of()
        slow, fast = Answers(queue, "cpu", MAX_CONCURRENT + 1), Answers(queue, "gpu", 5)
        await settled()
        assert len(slow.begun) == MAX_CONCURRENT and fast.begun == list(range(5))

    asyncio.run(run())


def test_too_many_for_a_voice_are_sent_away_with_the_time_to_come_back() -> None:
    async def run() -> None:
        queue = queue_of(most_waiting=2)
        waiting = Answers(queue, "cpu", MAX_CONCURRENT + 2)
        await settled()
        with pytest.raises(ApiError) as caught:
            queue.admit("cpu")
        assert caught.value.status_code == 429 and len(waiting.begun) == MAX_CONCURRENT
        queue.admit("gpu")

    asyncio.run(run())
