"""Workers as users start them, and what they say about themselves."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from tests.work.cluster.jobs import Job
from tests.work.cluster.processes import LONG_SECONDS, ClusterWorker, RedisServer, free_port, wait_until
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.cluster.members import WorkerHealth, workers_health
from voxmatrix.work.unit import Unit, unit_of

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Start = Callable[..., ClusterWorker]
_COMMAND = ["-m", "voxmatrix_entrypoint", "worker"]
_FELL_BACK = "GPU requested but not available, falling back to CPU"


def _described(folder: Path, gpus: int) -> dict[str, str]:
    """A computer with some RTX 3060, which is not here."""
    card = {"kind": "cuda", "name": "NVIDIA GeForce RTX 3060", "capability": "8.6", "memory_mib": 12288}
    more = {"free_mib": 11000, "driver": "570.86.10"}
    cards = [{"index": n, "uuid": f"GPU-{n}", **card, **more} for n in range(gpus)]
    build = {"version": "2.6.0+cu124", "cuda": "12.4", "kernels": ["sm_86"]}
    machine = {"platform": "linux", "cpus": 4, "memory_mib": 16000, "gpus": cards, "torch": build}
    path = folder / "machine.json"
    path.write_text(json.dumps(machine))
    return {"VOXMATRIX_MACHINE": str(path)}


def _of(server: RedisServer, name: str) -> WorkerHealth:
    found: list[WorkerHealth] = []
    wait_until(lambda: found.extend(each for each in workers_health(server.url) if each.name == name) or found)
    return found[0]


def _run(*words: str, environment: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "voxmatrix_entrypoint", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=LONG_SECONDS,
        check=False,
    )


@pytest.mark.espeak
def test_a_worker_speaks_with_a_voice_that_it_was_sent(
    redis_server: RedisServer, start_worker: Start, tmp_path: Path
) -> None:
    voice = resolve("en_US-heart-student")
    units = [unit_of(f"Sentence number {n}.", voice.digest, Style()) for n in range(3)]
    home = tmp_path / "home of the worker"
    worker = start_worker(
        redis_server.url,
        "real",
        command=[*_COMMAND, "--cluster", redis_server.url],
        environment={"WORKER_ID": "real", "VOXMATRIX_HOME": str(home)},
    )

    job = Job(redis_server.url, voice, tmp_path / "job", units)

    assert job.end().given_up == ()
    assert [path.name for path in home.glob("cache/voices/*/*.onnx")] == ["en_US-heart-student.onnx"]
    assert "Loading TTS model: en_US-heart-student_cpu (device: cpu, GPU available: False)" in worker.log
    health = _of(redis_server, "real")
    assert health.cached_models == ("en_US-heart-student_cpu",)
    assert health.tts_model_loaded
    assert health.audio_seconds_per_second
    assert not redis_server.client.keys("voxmatrix:audio*")
    assert "onnxruntime" in _libraries(worker.child().pid)
    assert "onnxruntime" not in _libraries(worker.node().pid)
    assert "libtorch" not in _libraries(worker.node().pid)
    assert worker.stop() == 0


def _libraries(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def test_workers_json_has_the_documented_fields(redis_server: RedisServer, start_worker: Start) -> None:
    start_worker(redis_server.url, "a")

    answer = _run("workers", "--json", environment={"COORDINATOR_IP": f"127.0.0.1:{redis_server.port}"})

    assert json.loads(answer.stdout) == {
        "workers": [
            {
                "name": "a",
                "status": "ok",
                "device_type": "cpu",
                "gpu_available": False,
                "gpu_count": 0,
                "gpu_memory_free_mb": 0,
                "tts_model_loaded": False,
                "cached_models": [],
                "audio_seconds_per_second": None,
                "busy_with": None,
            }
        ]
    }


def test_a_worker_that_does_not_answer_is_exit_code_8(redis_server: RedisServer, start_worker: Start) -> None:
    for name in ("a-cuda0", "b"):
        start_worker(redis_server.url, name)
    on = {"REDIS_URL": redis_server.url}

    by_computer = _run("workers", "a", "--json", environment=on)
    assert [worker["name"] for worker in json.loads(by_computer.stdout)["workers"]] == ["a-cuda0"]
    assert _run("workers", "--wait", "2", environment=on).stdout.count("idle") == 2
    absent = _run("workers", "c", environment=on)
    assert absent.returncode == 8 and "no worker named c answers" in absent.stderr and "--name c" in absent.stderr


def test_a_worker_prints_the_command_for_a_user_of_its_own() -> None:
    said = _run("worker", "--redis-acl", "--name", "left", "--device", "cpu")
    assert said.stdout.startswith('ACL SETUSER left on ">')
    password = said.stdout.split('"')[1].removeprefix(">")
    assert f"--cluster redis://left:{password}@HOST:6379/0" in said.stderr


def test_a_worker_answers_while_it_speaks(
    redis_server: RedisServer,
    start_worker: Start,
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    start_worker(redis_server.url, "a", seconds=2.0)
    job = Job(redis_server.url, voice, tmp_path / "job", sentences(4))

    seen: list[WorkerHealth] = []
    wait_until(lambda: seen.append(_of(redis_server, "a")) or seen[-1].busy_with)
    health = seen[-1]

    assert health.busy_with and "anna.tones: sentence" in health.busy_with
    assert health.cached_models == ("anna_cpu",)
    assert job.end().given_up == ()


def test_stopping_finishes_the_sentence_in_progress(
    redis_server: RedisServer,
    start_worker: Start,
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    first = start_worker(redis_server.url, "first", seconds=0.5)
    job = Job(redis_server.url, voice, tmp_path / "job", sentences(12))
    job.until(1)

    code = first.stop()
    start_worker(redis_server.url, "second")

    assert code == 0
    assert "Traceback" not in first.log
    assert job.end().given_up == ()


@pytest.mark.parametrize("variables", [{"USE_GPU": "yes"}, {"GPU_ID": "1"}, {"VOXMATRIX_DEVICE": "cuda:1"}])
def test_a_gpu_that_is_not_there_is_a_warning(
    variables: dict[str, str], redis_server: RedisServer, start_worker: Start, tmp_path: Path
) -> None:
    worker = start_worker(
        redis_server.url,
        "w",
        command=[*_COMMAND, "--cluster", redis_server.url, "--name", "w"],
        environment={**variables, **_described(tmp_path, gpus=0)},
    )

    health = _of(redis_server, "w")

    assert _FELL_BACK in worker.log
    assert (health.device_type, health.gpu_available, health.gpu_count) == ("cpu", False, 0)


@pytest.mark.parametrize("variables", [{"USE_GPU": "no"}, {"CUDA_VISIBLE_DEVICES": ""}])
def test_no_gpu_wanted_is_no_warning(variables: dict[str, str], redis_server: RedisServer, start_worker: Start) -> None:
    worker = start_worker(
        redis_server.url,
        "w",
        command=[*_COMMAND, "--cluster", redis_server.url, "--name", "w"],
        environment=variables,
    )

    assert _of(redis_server, "w").device_type == "cpu"
    assert _FELL_BACK not in worker.log


def test_a_computer_with_two_gpus_has_two_workers(
    redis_server: RedisServer, start_worker: Start, tmp_path: Path
) -> None:
    worker = start_worker(
        redis_server.url,
        "w-cuda1",
        command=[*_COMMAND, "--cluster", redis_server.url, "--name", "w"],
        environment=_described(tmp_path, gpus=2),
    )
    wait_until(lambda: f"w-cuda0@{socket.gethostname()} ready" in worker.log)

    found = workers_health(redis_server.url, 5)

    assert [each.name for each in found] == ["w-cuda0", "w-cuda1"]
    assert [(each.device_type, each.gpu_count, each.gpu_memory_free_mb) for each in found] == [("cuda", 1, 11000)] * 2


def test_a_name_is_used_once(redis_server: RedisServer, start_worker: Start) -> None:
    start_worker(redis_server.url, "a")

    answer = _run("worker", "--cluster", redis_server.url, "--name", "a")

    assert answer.returncode == 2
    assert "a worker named a is already running" in answer.stderr


def test_messages_that_are_not_json_are_refused(
    redis_server: RedisServer,
    start_worker: Start,
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    import kombu

    worker = start_worker(redis_server.url, "a")
    with kombu.Connection(redis_server.url) as connection, connection.Producer(serializer="pickle") as producer:
        producer.publish({"task": "voxmatrix.speak"}, routing_key="w.a", headers={"task": "voxmatrix.speak", "id": "1"})
    wait_until(lambda: "Refusing to deserialize" in worker.log or "ContentDisallowed" in worker.log)

    assert Job(redis_server.url, voice, tmp_path / "job", sentences(3)).end().given_up == ()


def test_a_message_that_is_no_batch_does_not_end_the_worker(
    redis_server: RedisServer,
    start_worker: Start,
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    from voxmatrix.work.cluster.broker import SPEAK, cluster_app

    worker = start_worker(redis_server.url, "a")
    cluster_app(redis_server.url).send_task(SPEAK, kwargs={"run": "../..", "units": []}, queue="w.a")
    wait_until(lambda: "ValidationError" in worker.log)

    assert Job(redis_server.url, voice, tmp_path / "job", sentences(3)).end().given_up == ()


def test_flower_shows_device_and_memory(redis_server: RedisServer, start_worker: Start, tmp_path: Path) -> None:
    described = _described(tmp_path, gpus=1)
    command = [*_COMMAND, "--cluster", redis_server.url, "--name", "a"]
    start_worker(redis_server.url, "a", command=command, environment=described)
    port = free_port()
    words = ["-m", "celery", f"--broker={redis_server.url}", "flower", "--address=127.0.0.1", f"--port={port}"]
    flower = subprocess.Popen([sys.executable, *words, "--read_only"], stderr=subprocess.DEVNULL)

    def page() -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/worker/a@{socket.gethostname()}") as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    try:
        wait_until(lambda: "Other statistics" in page())
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", page())
    finally:
        flower.kill()
        flower.wait()

    shown = dict(pairwise(cells))
    assert shown["device_type"] == "cuda"
    assert shown["gpu_memory_free_mb"] == "11000"


def test_heartbeats_say_device_and_memory(redis_server: RedisServer, start_worker: Start) -> None:
    from voxmatrix.work.cluster.broker import cluster_app

    start_worker(redis_server.url, "a")
    events: list[Mapping[str, object]] = []
    app = cluster_app(redis_server.url)
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"worker-heartbeat": events.append})
        for _ in receiver.itercapture(limit=None, timeout=LONG_SECONDS, wakeup=True):
            if events:
                break

    assert events[0]["device"] == "cpu"
    assert isinstance(events[0]["memory_free_mb"], int)


@pytest.mark.parametrize("words", [["workers"], ["worker", "--name", "a"]])
def test_a_password_is_needed_and_never_shown(words: list[str], tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", password="s3cr3t")
    try:
        refused = _run(*words, "--cluster", f"redis://127.0.0.1:{server.port}/0")
        wrong = _run(*words, "--cluster", f"redis://:wr0ng@127.0.0.1:{server.port}/0")
        listed = _run("workers", "--cluster", server.url)
    finally:
        server.close()

    assert (refused.returncode, wrong.returncode, listed.returncode) == (8, 8, 0)
    assert "redis://:PASSWORD@HOST" in refused.stderr
    assert "wr0ng" not in wrong.stderr + wrong.stdout
    assert "s3cr3t" not in listed.stderr + listed.stdout


def test_a_broker_that_is_not_there_is_named() -> None:
    answer = _run("workers", "--cluster", "redis://user:s3cr3t@127.0.0.1:1/0")

    assert answer.returncode == 8
    assert "redis://user:**@127.0.0.1:1/0 cannot be reached" in answer.stderr
    assert "s3cr3t" not in answer.stderr


def test_no_cluster_is_a_usage_error() -> None:
    answer = _run("workers", environment={"REDIS_URL": "", "COORDINATOR_IP": ""})

    assert answer.returncode == 2
    assert "--cluster redis://HOST:6379/0" in answer.stderr
