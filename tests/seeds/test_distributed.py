"""S4: the command lines of the fifth seed, distributed mode, as they are typed here. Docker is a recorder of words."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.conftest import Type
from tools import matrix

_RECORDER = '#!/bin/sh\necho "$(basename "$0") $*" >>"$TYPED"\n'


@pytest.fixture
def scripts(tmp_path: Path) -> Callable[..., str]:
    """Runs a line of the guide in a copy of the checkout, and returns what was typed of `docker` and `./run`."""
    root, programs = tmp_path / "checkout", tmp_path / "bin"
    shutil.copytree(matrix.ROOT / "scripts", root / "scripts")
    (root / "docker").mkdir()
    shutil.copy(matrix.ROOT / "docker" / "cluster.yaml", root / "docker")
    shutil.copy(matrix.ROOT / "docker" / "images.toml", root / "docker")
    for name in ("app", "tools"):
        (root / name).symlink_to(matrix.ROOT / name)
    programs.mkdir()
    for path in (programs / "docker", programs / "nvidia-smi", root / "run"):
        path.write_text(_RECORDER)
        path.chmod(0o755)

    def run(line: str) -> str:
        log = tmp_path / "typed"
        log.write_text("")
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "TYPED": str(log)}
        done = subprocess.run(
            ["bash", "-ec", line], cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return log.read_text()

    return run


#: The seed's lines have no password, and its image is the one that was built last: ours is said, or recommended.
_OURS = "REDIS_PASSWORD=secret TORCH_VERSION=cuda124"


@pytest.mark.parametrize(
    ("line", "name", "flags"),
    [
        ("COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh", "", "--gpus all --env USE_GPU=auto"),
        *(
            (
                f"GPU_ID={n} USE_GPU=yes COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh",
                f"-gpu{n}",
                f'--gpus "device={n}" --env USE_GPU=yes',
            )
            for n in (0, 1)
        ),
        *(
            (
                f"GPU_ID={n} WORKER_ID=w1_gpu{n} COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh",
                f"w1_gpu{n}",
                f'--gpus "device={n}" --env USE_GPU=auto',
            )
            for n in (0, 1, 2)
        ),
        ("USE_GPU=no COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh", "", "--env USE_GPU=no"),
        (
            "USE_GPU=no WORKER_ID=test_cpu COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh",
            "test_cpu",
            "--env USE_GPU=no",
        ),
        (
            'CUDA_VISIBLE_DEVICES="" COORDINATOR_IP=192.168.1.10 ./scripts/distributed/start-worker.sh',
            "",
            "--env USE_GPU=no",
        ),
    ],
)
def test_a_worker_is_started(line: str, name: str, flags: str, scripts: Callable[..., str]) -> None:
    started = next(each for each in scripts(f"export {_OURS}; {line}").splitlines() if " run --detach" in each)
    assert f"{flags} --read-only" in started
    named = name if name[:1].isalpha() else f"{socket.gethostname()}{name}"
    assert f"--name voxmatrix-worker-{named} " in started and f"--env WORKER_ID={named} " in started
    assert started.endswith("voxmatrix:cuda-cluster worker")
    assert "secret" not in started


def test_the_coordinator_waits_for_its_workers(scripts: Callable[..., str]) -> None:
    """`./start-coordinator.sh`, and `NUM_WORKERS=3 ./start-coordinator.sh`."""
    assert "up --detach --wait redis flower" in scripts("./scripts/distributed/start-coordinator.sh")
    said = scripts("NUM_WORKERS=3 ./scripts/distributed/start-coordinator.sh book.md --out book.m4b")
    assert "run --rm coordinator workers --wait 3" in said
    assert "run --rm coordinator book book.md --out book.m4b" in said


@pytest.mark.parametrize(
    ("torch", "row"), [("cpu", "cpu"), ("cuda124", "cuda"), ("cuda130", "cuda13"), ("cuda12.8", "blackwell")]
)
def test_the_image_of_workers_is_built(torch: str, row: str, scripts: Callable[..., str]) -> None:
    said = scripts(f"TORCH_VERSION={torch} ./scripts/distributed/build-worker-image.sh")
    assert f"run build-{row} cluster-{row}" in said


@pytest.mark.parametrize(
    ("variables", "machine", "devices"),
    [
        ({"CUDA_VISIBLE_DEVICES": "0"}, "rtx-3090", [("auto", None)]),
        ({"USE_GPU": "yes", "GPU_ID": "1"}, "two-different-gpus", [("gpu", 1)]),
        ({"USE_GPU": "no"}, "rtx-3090", [("cpu", None)]),
        ({}, "eight-h100", [("cuda", n) for n in range(8)]),
        ({}, "no-gpu", [("auto", None)]),
    ],
    ids=str,
)
def test_a_worker_in_a_container_of_ones_own(
    variables: dict[str, str],
    machine: str,
    devices: list[tuple[str, int | None]],
    typed: Type,
    worked: list[Any],
    on: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`docker run -d --gpus device=0 -e REDIS_URL=… -e WORKER_ID=worker_gpu0 -e CUDA_VISIBLE_DEVICES=0 …`."""
    on(machine)
    monkeypatch.setenv("REDIS_URL", "redis://192.168.1.10:6379/0")
    monkeypatch.setenv("WORKER_ID", "worker_gpu0")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    typed("worker")
    assert [(one.request.kind, one.request.index) for one in worked] == devices
    assert all(one.name.startswith("worker_gpu0") and "192.168.1.10:6379/0" in one.broker for one in worked)


def test_the_gpu_is_looked_for_in_the_container(typed: Type, on: Callable[[str], None]) -> None:
    """`nvidia-smi`, `docker run --gpus all nvidia/cuda nvidia-smi`, `docker exec … torch.cuda.is_available()`."""
    on("no-gpu")
    assert "the CPU is used" in typed("doctor", "--no-smoke")
    on("rtx-3090")
    assert "RTX 3090" in typed("doctor", "--no-smoke")
