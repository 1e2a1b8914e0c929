"""Several processes train one voice as one process would, shown with processes on the CPU."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.train.runs import content, rows
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate
from voxmatrix.train.step.distributed import Distributed

pytestmark = pytest.mark.usefixtures("forked_programs")

ROOT = Path(__file__).parents[3]


def start(out: Path, clips: Path, steps: int, devices: int, **variables: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.train.program", *map(str, (out, clips, steps, 0, devices))]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes)


def train(out: Path, clips: Path, steps: int, devices: int) -> str:
    """Train, and return what was complained about. The processes are started here, as a cluster would start them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "NODE_RANK": "0"} if devices > 1 else {}
    variables = [{**shared, "LOCAL_RANK": str(rank)} if shared else {} for rank in range(devices)]
    programs = [start(out, clips, steps, devices, **each) for each in variables]
    complaints = [program.communicate(timeout=300)[1] for program in programs]
    assert [program.returncode for program in programs] == [0] * devices, complaints
    return "".join(complaints)


@pytest.mark.slow
def test_two_processes_learn_what_one_with_twice_the_batch_learns_and_either_goes_on_for_the_other(
    tmp_path: Path,
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    train(one, tmp_path / "clips", 12, devices=1)
    train(two, tmp_path / "clips", 10, devices=2)  # where the other one is validated, too
    said = train(two, tmp_path / "clips", 12, devices=2)
    assert "distributed" not in said  # nobody but us talks

    assert_alike(two, one)
    assert content(two / "last.ckpt")["voxmatrix"]["recipe"] == content(one / "last.ckpt")["voxmatrix"]["recipe"]
    for out in (one, two):
        train(out, tmp_path / "clips", 14, devices=1)
    assert_alike(two, one)


def assert_alike(out: Path, other: Path) -> None:
    for ours, theirs in zip(rows(out), rows(other), strict=True):
        assert ours["step"] == theirs["step"]
        for name in (*LOSSES, "validation_mel"):
            assert float(ours[name] or 0) == pytest.approx(float(theirs[name] or 0), abs=1e-3), (ours["step"], name)


@pytest.mark.slow
def test_a_stop_of_the_leading_process_saves_and_ends_all(tmp_path: Path) -> None:
    out = tmp_path / "run"
    program = start(out, tmp_path / "clips", 10_000, devices=2)
    while program.poll() is None and not (out / "last.ckpt").exists():
        time.sleep(0.1)
    program.send_signal(signal.SIGTERM)
    said, complaints = program.communicate(timeout=60)
    assert program.returncode == 130, complaints
    assert "InterruptedRunError: stopped after step" in said
    stopped = content(out / "last.ckpt")["global_step"]
    assert f"step {stopped}" in said


def test_rows_are_shared_out_without_loss_also_when_there_are_fewer_than_processes(prepared: PreparedSet) -> None:
    dataset = ClipDataset(prepared.clips)
    batch: Batch = Collate(())([dataset[number] for number in range(3)])
    shares = [Distributed(rank=rank, count=5).share(batch) for rank in range(5)]
    assert sum(share.size.clips for share in shares) == 3
    assert torch.equal(torch.cat([share.wave for share in shares]), batch.wave)
    assert Distributed().share(batch) is batch
    assert Distributed().any(True)
    assert not Distributed().any(False)
