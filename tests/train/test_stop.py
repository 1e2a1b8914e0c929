"""SIGTERM and Ctrl-C save the run and report where; repeated ones are the same request."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from tests.train.runs import assert_bit_equal
from voxmatrix.train.stop import StopRequest

pytestmark = pytest.mark.usefixtures("forked_programs")


def start(out: Path, clips: Path, steps: int, slow_seconds: float = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.train.program", str(out), str(clips), str(steps), str(slow_seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    said = ""
    while words not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    return said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_the_run_which_goes_on_as_if_it_had_not_been_stopped(
    tmp_path: Path, number: signal.Signals
) -> None:
    out, whole, clips = tmp_path / "run", tmp_path / "whole", tmp_path / "clips"
    process = start(out, clips, 500)
    wait_for(process, "step 1/500")
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 130, said
    assert f"saved {out / 'last.ckpt'}" in said
    assert "run the same command again" in said
    step = torch.load(out / "last.ckpt", weights_only=True)["global_step"]
    assert step >= 1
    for folder in (out, whole):
        said, _ = start(folder, clips, step + 2).communicate(timeout=120)
        assert f"done at step {step + 2}" in said
    assert_bit_equal(out / "last.ckpt", whole / "last.ckpt")


def test_a_step_of_a_minute_does_not_keep_docker_stop_waiting(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(out, tmp_path / "clips", 500, slow_seconds=60)
    wait_for(process, "0 of 500 steps done")
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=30)  # docker stop gives ten; a busy machine that tests may need more

    assert process.returncode == 130, said
    assert "stopped after step 0" in said
    assert torch.load(out / "last.ckpt", weights_only=True)["global_step"] == 0


def test_a_second_signal_is_the_same_request_and_costs_nothing(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(out, tmp_path / "clips", 500, slow_seconds=60)
    wait_for(process, "0 of 500 steps done")
    time.sleep(1)
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
    said, _ = process.communicate(timeout=30)

    assert process.returncode == 130, said
    assert f"stopped after step 0; saved {out / 'last.ckpt'}" in said
    assert (out / "last.ckpt").exists()


def test_the_handlers_are_those_of_before_when_the_training_is_over() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    stop = StopRequest()
    with stop.listening(lambda: 0):
        assert signal.getsignal(signal.SIGTERM) != before[0]
        assert not stop.requested
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_a_signal_is_seen_and_an_answer_in_time_keeps_the_watcher_from_acting() -> None:
    stop = StopRequest()
    acted: list[str] = []
    # The lock is held, as when the loop saves: the watcher waits for it, however slow this machine is.
    with stop.listening(lambda: acted.append("saved") or 1, grace_seconds=0.2), stop.lock:  # type: ignore[func-returns-value]
        signal.raise_signal(signal.SIGINT)
        while not stop.requested:
            time.sleep(0.01)
        time.sleep(0.4)
        stop.acknowledge()
    assert not acted


def test_after_the_block_a_repeated_signal_does_not_interrupt_the_end_of_the_command() -> None:
    stop = StopRequest()
    # At the end of the grace, the watcher would end this process.
    with stop.listening(lambda: 0, grace_seconds=600):
        signal.raise_signal(signal.SIGINT)
        while not stop.requested:
            time.sleep(0.01)
    signal.raise_signal(signal.SIGINT)  # a KeyboardInterrupt would fail this test


def test_outside_the_main_thread_nothing_is_installed() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def body() -> None:
        with StopRequest().listening(lambda: 0):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [before]
