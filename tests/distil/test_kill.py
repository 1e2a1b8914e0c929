"""kill -9 at any moment costs some steps and nothing else."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from voxmatrix.text.prompts import sentence_list

KILLS, STEPS = 20, 300


def start(out: Path, text: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.distil.program", str(out), str(text), str(STEPS)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.espeak
@pytest.mark.skipif("VOXMATRIX_FAULT_RUNS" not in os.environ, reason="takes minutes: ./run faults")
def test_a_distillation_killed_at_random_moments_ends_equal_to_one_that_was_not(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(sentence_list("harvard")[:60]), encoding="utf-8")
    whole, parts = tmp_path / "whole" / "fast.onnx", tmp_path / "parts" / "fast.onnx"
    said, _ = start(whole, text).communicate(timeout=600)
    assert said.endswith("done\n"), said
    chance = random.Random(3)
    for _ in range(KILLS):
        process = start(parts, text)
        time.sleep(chance.uniform(1, 8))
        process.kill()
        said, _ = process.communicate()
        assert "Error" not in said and "done" not in said, said
    said, _ = start(parts, text).communicate(timeout=600)
    assert said.endswith("done\n"), said

    assert parts.read_bytes() == whole.read_bytes()
    assert [path.name for path in parts.parent.iterdir()] == [path.name for path in whole.parent.iterdir()]
