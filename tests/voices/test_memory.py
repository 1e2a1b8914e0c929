"""What open voices take is measured: without libraries, with their processes, and on a GPU as their cards say."""

import os
import subprocess
import sys
from collections.abc import Collection
from typing import Any

import pytest

from voxmatrix.models.device import CPU
from voxmatrix.voices.memory import VoiceMemory, resident_mib_with


class Card:
    memory_mib = 100.0


class Voice:
    card = Card()

    def __init__(self, *processes: int) -> None:
        self.processes = processes


class OnGpu:
    on = object()


class Computer:
    """Processes and their memory; that of this process is `own`."""

    def __init__(self) -> None:
        self.own = 500.0
        self.others: dict[int, float] = {}

    def __call__(self, processes: Collection[int]) -> tuple[float, float]:
        return self.own, sum(self.others.get(one, 0.0) for one in processes)


@pytest.fixture
def computer() -> Computer:
    return Computer()


def used(memory: VoiceMemory, *voices: Any, device: Any = CPU) -> float:
    return memory.used_mib([(voice, device) for voice in voices])


def test_what_the_process_took_before_any_voice_does_not_count(computer: Computer) -> None:
    memory = VoiceMemory(computer)
    computer.own += 245
    assert used(memory, Voice()) == 245


def test_libraries_that_the_first_voice_of_a_kind_loads_do_not_count(computer: Computer) -> None:
    memory: Any = VoiceMemory(computer)
    with memory.loading_libraries(Card(), CPU):
        computer.own += 400
    assert used(memory, Voice()) == 100
    computer.own += 150
    assert used(memory, Voice(), Voice()) == 250


def test_a_voice_that_takes_less_than_estimated_leaves_nothing_to_libraries(computer: Computer) -> None:
    memory: Any = VoiceMemory(computer)
    with memory.loading_libraries(Card(), CPU):
        computer.own += 60
    assert used(memory, Voice()) == 60


def test_what_preparing_the_first_voice_has_left_in_the_heap_is_no_library(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def free(device: None) -> None:
        computer.own -= 200

    monkeypatch.setattr("voxmatrix.voices.memory.free_cached", free)
    memory: Any = VoiceMemory(computer)
    with memory.loading_libraries(Card(), CPU):
        computer.own += 350
    assert used(memory, Voice()) == 100


def test_a_process_counts_once_however_many_voices_share_it(computer: Computer) -> None:
    memory = VoiceMemory(computer)
    computer.others = {7: 3000.0, 8: 10.0, 9: 5000.0}
    assert used(memory, Voice(7), Voice(7, 8), Voice(1)) == 3010


def test_on_a_gpu_the_estimate_counts(computer: Computer) -> None:
    memory: Any = VoiceMemory(computer)
    with memory.loading_libraries(Card(), OnGpu()):
        computer.own += 2500
    assert used(memory, Voice(), Voice(), device=OnGpu()) == 200


def test_where_the_system_hides_the_memory_estimates_are_all_there_is() -> None:
    memory = VoiceMemory(lambda processes: None)
    assert used(memory, Voice(), Voice()) == 200


def test_the_memory_of_this_process_and_of_others_is_found() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        try:
            found = resident_mib_with([child.pid])
        finally:
            child.communicate(b"\n")
    assert found is not None
    own, others = found
    assert own > 10
    assert 0 < others < own + 100
    assert resident_mib_with([child.pid]) == (pytest.approx(own, rel=0.5), 0.0)
    assert resident_mib_with([os.getpid()]) is not None
