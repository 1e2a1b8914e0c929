"""Two SIGTERMs close together, as `timeout docker run … train` sends them, to a real training at random moments."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[2]
INTERRUPTED = 130
#: Moments to try; more on request: VOXMATRIX_TEST_ROUNDS=20.
ROUNDS = int(os.environ.get("VOXMATRIX_TEST_ROUNDS", "3"))
LONG = 100_000  # steps


def start(out: Path, home: Path, steps: int) -> "subprocess.Popen[str]":
    words = ["train", str(ROOT / "samples" / "en"), "--out", str(out), "--quality", "tiny", "--max-steps", str(steps)]
    words += ["--batch-size", "2", "--accumulation", "1", "--device", "cpu", "--phonemes", "text", "--workers", "0"]
    words += ["--threads", "1"]
    return subprocess.Popen(
        [sys.executable, "-m", "voxmatrix_entrypoint", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "VOXMATRIX_HOME": str(home), "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )


def to_the_process(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)


def to_its_group(process: "subprocess.Popen[str]") -> None:
    os.killpg(process.pid, signal.SIGTERM)


def stopped(out: Path, home: Path, chance: random.Random, send: Callable[["subprocess.Popen[str]"], None]) -> str:
    """Train, send two signals up to half a second apart at a random moment of the steps, and return the output."""
    with start(out, home, LONG) as process:
        assert process.stdout is not None
        output = ""
        while "steps done" not in output:
            line = process.stdout.readline()
            assert line, output
            output += line
        time.sleep(chance.random() * 4)
        send(process)
        time.sleep(chance.choice([0, chance.random() * 0.5]))
        send(process)
        output += process.communicate(timeout=120)[0]
    assert process.returncode == INTERRUPTED, output
    return output


@pytest.mark.slow
@pytest.mark.usefixtures("forked_programs")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program receives")
@pytest.mark.parametrize("send", [to_the_process, to_its_group])
def test_two_signals_at_random_moments_save_the_run_and_the_same_command_continues_it(
    tmp_path: Path, send: Callable[["subprocess.Popen[str]"], None]
) -> None:
    chance = random.Random(f"{send.__name__} {ROUNDS}")
    out, step = tmp_path / "run", 0
    for _ in range(ROUNDS):
        output = stopped(out, tmp_path / "home", chance, send)
        assert f"{step} of {LONG} steps done" in output
        assert "Traceback" not in output
        found = re.search(rf"stopped after step (\d+); saved {re.escape(str(out / 'last.ckpt'))}", output)
        assert found, output
        assert int(found[1]) >= step
        step = int(found[1])
        assert torch.load(out / "last.ckpt", weights_only=True)["global_step"] == step


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program receives")
def test_two_signals_before_the_first_step_are_one_interruption_without_a_traceback(tmp_path: Path) -> None:
    with start(tmp_path / "run", tmp_path / "home", LONG) as process:
        time.sleep(1.5)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        output = process.communicate(timeout=120)[0]
    assert process.returncode == INTERRUPTED, output
    assert "Traceback" not in output
