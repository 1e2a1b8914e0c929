"""docker/cluster.yaml and scripts/distributed, as docs/deploy.md says to type them: a whole cluster in containers."""

import base64
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from re import findall

import pytest
import yaml

from tests.images.containers import docker
from tools import matrix

SCRIPTS = matrix.ROOT / "scripts" / "distributed"
FILE = matrix.ROOT / "docker" / "cluster.yaml"
IMAGE = "voxmatrix:cpu-cluster"
PATIENCE_SECONDS = 600
TEXT = "\n\n".join(
    f"# Chapter {n}\n\n" + " ".join(f"Line {k} of chapter {n} is read." for k in range(8)) for n in (1, 2)
)


def test_every_service_is_hardened_and_none_pulls_its_image() -> None:
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    assert set(services) == {"redis", "worker", "gpu-worker", "flower", "coordinator"}
    for service in services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["user"].endswith(":0")
        assert service["pull_policy"] == "never"
    assert "noeviction" in services["redis"]["command"][2]
    assert "--read_only" in services["flower"]["command"]
    for name in ("worker", "gpu-worker"):
        assert services[name]["stop_grace_period"] == "60s"
    assert "deploy" in services["gpu-worker"] and "deploy" not in services["worker"]


@pytest.mark.docker
def test_without_a_password_compose_says_what_to_type() -> None:
    words = ["docker", "compose", "--file", str(FILE), "config"]
    without = {name: value for name, value in os.environ.items() if name != "REDIS_PASSWORD"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=without)
    assert done.returncode
    assert "scripts/distributed/start-coordinator.sh" in done.stderr


@pytest.mark.parametrize(
    ("script", "variables", "said"),
    [
        ("start-worker.sh", {}, "neither COORDINATOR_IP nor REDIS_URL is set"),
        ("start-worker.sh", {"COORDINATOR_IP": "box", "TORCH_VERSION": "cuda999"}, "no row has the torch cuda999"),
        ("build-worker-image.sh", {"TORCH_VERSION": "cuda999"}, "no row has the torch cuda999"),
    ],
)
def test_what_is_missing_is_named_before_anything_is_started(script: str, variables: dict[str, str], said: str) -> None:
    others = {name: value for name, value in os.environ.items() if name not in ("COORDINATOR_IP", "REDIS_URL")}
    done = subprocess.run([SCRIPTS / script], env=others | variables, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr


@dataclass(frozen=True)
class Cluster:
    """A cluster of its own, in a copy of the files that are needed, where a password is kept as on any coordinator."""

    root: Path
    books: Path
    name: str
    address: str

    @property
    def password(self) -> str:
        return (self.root / "docker" / ".env").read_text().strip().removeprefix("REDIS_PASSWORD=")

    def coordinator(self, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run start-coordinator.sh in the folder of books."""
        return self._run(self.root / "scripts" / "distributed" / "start-coordinator.sh", *words, **variables)

    def worker(self, name: str, **variables: str) -> str:
        """Run start-worker.sh; the name of its container."""
        named = f"{self.name}-{name}"
        shared = {"REDIS_PASSWORD": self.password, "TORCH_VERSION": "cpu", "WORKER_ID": named}
        done = self._run(SCRIPTS / "start-worker.sh", **shared, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return f"voxmatrix-worker-{named}"

    def _run(self, *words: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        ours = {"COMPOSE_PROJECT_NAME": self.name, "COORDINATOR_IP": self.address}
        return subprocess.run(
            words,
            cwd=self.books,
            env=os.environ | ours | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A running coordinator."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(SCRIPTS, root / "scripts" / "distributed")
    (root / "docker").mkdir()
    shutil.copy(FILE, root / "docker")
    books = tmp_path_factory.mktemp("books")
    (books / "book.md").write_text(TEXT, encoding="utf-8")
    gateway = docker("network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}").stdout.strip()
    found = Cluster(root=root, books=books, name=f"vox{uuid.uuid4().hex[:8]}", address=gateway)
    try:
        started = found.coordinator()
        assert started.returncode == 0, started.stderr
        yield found
    finally:
        workers = docker("ps", "--all", "--quiet", "--filter", f"name=voxmatrix-worker-{found.name}").stdout.split()
        if workers:
            docker("rm", "--force", *workers)
        subprocess.run(
            ["docker", "compose", "--project-name", found.name, "down", "--volumes"], check=False, capture_output=True
        )


@pytest.fixture
def workers(cluster: Cluster) -> list[str]:
    """Three workers, of which one is slowed 20 times."""
    started = [cluster.worker("a", USE_GPU="yes"), cluster.worker("b", CUDA_VISIBLE_DEVICES=""), cluster.worker("c")]
    docker("update", "--cpus", "0.05", started[2])
    return started


@pytest.mark.docker
@pytest.mark.cluster
def test_the_sbom_lists_what_a_cluster_adds() -> None:
    listed = json.loads(docker("run", "--rm", "--entrypoint", "cat", IMAGE, "/opt/voxmatrix/sbom.cdx.json").stdout)
    assert listed["metadata"]["component"]["name"] == "voxmatrix:cpu-cluster"
    assert {"celery", "flower", "redis-server", "torch"} <= {component["name"] for component in listed["components"]}


@pytest.mark.docker
@pytest.mark.cluster
@pytest.mark.slow
def test_a_cluster_as_the_guide_says(cluster: Cluster, workers: list[str], tmp_path: Path) -> None:
    _redis_refuses_strangers(cluster)
    _a_gpu_that_is_not_there_is_a_warning(workers[0])
    _flower_shows_device_and_memory(cluster)

    made = cluster.coordinator("book.md", "--out", "book.m4b", NUM_WORKERS="3")

    assert made.returncode == 0, made.stdout + made.stderr
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "book.md").write_text(TEXT, encoding="utf-8")
    mounted = ("--user", f"{os.getuid()}:0", "--volume", f"{alone}:/data")
    docker("run", "--rm", *mounted, IMAGE, "book", "book.md", "--out", "book.m4b")
    for name in ("book.m4b", "book.manifest.json"):
        assert (alone / name).read_bytes() == (cluster.books / name).read_bytes()
    assert _health(workers[0])["cached_models"] == ["en_US-heart-student_cpu"]
    assert "Loading TTS model: en_US-heart-student_cpu (device: cpu, GPU available: False)" in _log(workers[0])
    assert docker("stop", workers[1]).returncode == 0
    assert docker("inspect", "--format", "{{.State.ExitCode}}", workers[1]).stdout.strip() == "0"


def _redis_refuses_strangers(cluster: Cluster) -> None:
    words = ("exec", f"{cluster.name}-redis-1", "redis-cli", "ping")
    assert "NOAUTH" in docker(*words).stdout
    assert cluster.password not in docker("top", f"{cluster.name}-redis-1", "-o", "pid,args").stdout


def _a_gpu_that_is_not_there_is_a_warning(worker: str) -> None:
    assert "GPU requested but not available, falling back to CPU" in _log(worker)


def _flower_shows_device_and_memory(cluster: Cluster) -> None:
    address = f"http://{cluster.address}:5555"
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(address)
    name = f"{cluster.name}-a"
    credentials = base64.b64encode(f"voxmatrix:{cluster.password}".encode()).decode()
    asked = urllib.request.Request(f"{address}/worker/{name}@{name}", headers={"Authorization": f"Basic {credentials}"})
    with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
        cells = dict(pairwise(findall(r"<td[^>]*>([^<]*)</td>", answer.read().decode())))
    assert (cells["device_type"], cells["gpu_memory_free_mb"]) == ("cpu", "0")


def _health(worker: str) -> dict[str, object]:
    said = docker("exec", worker, "voxmatrix", "workers", worker.removeprefix("voxmatrix-worker-"), "--json").stdout
    found: dict[str, object] = json.loads(said)["workers"][0]
    return found


def _log(worker: str) -> str:
    done = docker("logs", worker)
    return done.stdout + done.stderr
