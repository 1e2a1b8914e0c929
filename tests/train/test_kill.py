"""kill -9 at any moment costs some steps and nothing else."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.train.runs import assert_bit_equal
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

pytestmark = pytest.mark.usefixtures("forked_programs")

#: The many are for `./run faults`.
KILLS, STEPS = (20, 60) if "VOXMATRIX_FAULT_RUNS" in os.environ else (2, 20)


def start(out: Path, clips: Path, steps: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.train.program", str(out), str(clips), str(steps)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(out: Path, clips: Path, steps: int) -> str:
    process = start(out, clips, steps)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return said


def kill_at_a_random_moment(out: Path, clips: Path, steps: int, chance: random.Random) -> str:
    """Wait for a number of lines, then for part of a second: it may be anywhere, also in the middle of a file."""
    with start(out, clips, steps) as process:
        assert process.stdout is not None
        said = ""
        for _ in range(chance.randint(1, 12)):
            line = process.stdout.readline()
            said += line
            if not line:
                break
        time.sleep(chance.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        return said + process.stdout.read()


@pytest.mark.slow
def test_a_run_killed_at_random_moments_ends_bit_equal_to_one_that_was_not(tmp_path: Path) -> None:
    whole, parts, clips = tmp_path / "whole", tmp_path / "parts", tmp_path / "clips"
    finish(whole, clips, STEPS)
    chance = random.Random(2)
    for _ in range(KILLS):
        said = kill_at_a_random_moment(parts, clips, STEPS, chance)
        assert "Error" not in said, said
        for path in parts.glob("*.ckpt"):  # whatever stands under a name is whole
            read_checkpoint(path)
    said = finish(parts, clips, STEPS)

    assert f"done at step {STEPS}" in said
    assert_bit_equal(parts / "last.ckpt", whole / "last.ckpt")
    assert_bit_equal(parts / "best.ckpt", whole / "best.ckpt")
    assert not [path for path in parts.iterdir() if path.name.endswith(".part")]
    assert torch.load(parts / "last.ckpt", weights_only=True)["global_step"] == STEPS
    recorded = [line.split(",")[0] for line in (parts / "metrics.csv").read_text().splitlines()]
    assert recorded == [line.split(",")[0] for line in (whole / "metrics.csv").read_text().splitlines()]
