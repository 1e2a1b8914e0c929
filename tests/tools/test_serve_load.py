"""A small version of `./run bench -- serve-load`. Times and memory are its claims, not those of a test."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.espeak
def test_many_clients_get_whole_answers_or_are_told_when_to_come_again() -> None:
    command = [sys.executable, "-m", "tools.bench.serve_load", "--requests", "60", "--settled", "20", "--seconds", "4"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=300)
    figures = json.loads(done.stdout)
    assert figures["answers"]["complete"] > 0
    assert set(figures["answers"]) <= {"complete", "429 with Retry-After", "left"}
    before, after = figures["threads_and_files_before_and_after"]
    assert after["processes"] <= before["processes"]
    assert after["files"] <= before["files"] + 4
