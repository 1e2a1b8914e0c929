"""Voices of engines over a cluster: workers that have the engine speak to the same bytes; others are left out."""

import json
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import psutil
import pytest

from tests.external.test_hearing import SENTENCES, WhisperModel
from tests.toys.engines import install_engine, install_pack, make_weights, write_toy_voice
from tests.work.cluster.jobs import END_SECONDS, Job, audio_alone
from tests.work.cluster.processes import ClusterWorker, RedisServer, wait_until
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.voices.clone import keep_recording
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.executor import UnitSpoken
from voxmatrix.work.unit import unit_of

pytestmark = [pytest.mark.redis, pytest.mark.slow]

STYLE = Style(seed=7)
ONE_THREAD = ("--device", "cpu", "--threads", "1")


@pytest.fixture
def voice() -> VoiceCard:
    install_engine()
    sha256 = keep_recording(np.random.default_rng(1).standard_normal(48_000 * 4).astype(np.float32) / 10)
    return resolve(write_toy_voice("me", reference={"sha256": sha256}))


def worker_home(folder: Path, *, lock: str | None) -> dict[str, str]:
    """The home of a worker, which has the engine with this lock, or not at all."""
    if lock is not None:
        shutil.copytree(home() / "engines", folder / "engines", symlinks=True)
        (folder / "engines" / "toy" / "lock.txt").write_text(lock)
    return {"VOXMATRIX_HOME": str(folder)}


def test_workers_with_the_engine_speak_the_same_bytes_and_others_are_left_out(
    redis_server: RedisServer, start_worker: Callable[..., ClusterWorker], voice: VoiceCard, tmp_path: Path
) -> None:
    texts = [f"This is sentence number {number}." for number in range(12)]
    workers: dict[str, ClusterWorker] = {}
    for name, lock in (("a", "nothing\n"), ("b", "nothing\n"), ("none", None), ("other", "something else\n")):
        given = {**worker_home(tmp_path / f"home-{name}", lock=lock), "WORKER_ID": name}
        command = ["-m", "voxmatrix_entrypoint", "worker", "--cluster", redis_server.url, "--device", "cpu"]
        workers[name] = start_worker(redis_server.url, name, command=command, environment=given)

    units = [unit_of(text, voice.digest, STYLE) for text in texts]
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    assert job.end().given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)
    speakers = {event.worker for event in job.events if isinstance(event, UnitSpoken)}
    assert speakers <= {"a", "b"} and speakers
    assert "the engine toy is not installed" in workers["none"].log
    assert "has another version of what speaks toy/me" in workers["other"].log


def test_a_book_is_heard_and_repaired_over_a_cluster_as_it_is_alone(
    redis_server: RedisServer,
    start_worker: Callable[..., ClusterWorker],
    voice: VoiceCard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (home() / "engines" / "toy" / "SKIPPED").write_text("bell")
    module = ModuleType("faster_whisper")
    module.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    (tmp_path / "book.md").write_text("# One\n\n" + "\n\n".join(SENTENCES), encoding="utf-8")
    for name in ("a", "b"):
        given = {**worker_home(tmp_path / f"home-{name}", lock="nothing\n"), "WORKER_ID": name}
        command = ["-m", "voxmatrix_entrypoint", "worker", "--cluster", redis_server.url, "--device", "cpu"]
        start_worker(redis_server.url, name, command=command, environment=given)

    made = []
    for name, more in (("alone", ["--parallel-voices", "1"]), ("many", ["--cluster", redis_server.url])):
        out = tmp_path / f"{name}.flac"
        words = ["book", str(tmp_path / "book.md"), "--voice", "toy/me", "--seed", "1", "--out", str(out), *more]
        assert main.run(words) == 0
        made.append(json.loads(out.with_suffix(".manifest.json").read_text()))

    alone, many = made
    assert alone["checked"]["repaired"] > 0 and alone["checked"] == many["checked"]
    assert [unit["audio_sha256"] for unit in alone["units"]] == [unit["audio_sha256"] for unit in many["units"]]


@pytest.mark.engines
def test_a_book_by_vibevoice_is_the_same_alone_and_over_two_workers_of_which_one_is_killed(
    redis_server: RedisServer, start_worker: Callable[..., ClusterWorker], tmp_path: Path
) -> None:
    engine = install_pack()
    digest = make_weights(engine, "vibevoice-1-5b", "vibevoice")
    write_toy_voice("big", engine="hf", language="en", weights={"vibevoice-1-5b": digest})
    sentences = [f"This is sentence number {number} of the book." for number in range(60)]
    (tmp_path / "book.md").write_text("# One\n\n" + "\n\n".join(sentences), encoding="utf-8")
    workers = {}
    for name in ("a", "b"):
        shutil.copytree(home() / "engines", tmp_path / name / "engines", symlinks=True)
        given = {"VOXMATRIX_HOME": str(tmp_path / name), "WORKER_ID": name}
        command = ["-m", "voxmatrix_entrypoint", "worker", "--cluster", redis_server.url, *ONE_THREAD]
        workers[name] = start_worker(redis_server.url, name, command=command, environment=given, wait=False)
    for worker in workers.values():
        wait_until(worker.ready, END_SECONDS)
    killed: list[psutil.Process] = []
    ended: list[psutil.Process] = []

    def kill_one() -> None:
        """As soon as ten sentences have come. Its engine ends by itself."""
        wait_until(lambda: len(list(home().glob("jobs/*/audio/*/*.flac"))) >= 10, END_SECONDS)
        for process in workers["a"].everything():
            (ended if "wire.py" in " ".join(process.cmdline()) else killed).append(process)
        for process in killed:
            process.kill()

    words = ["book", str(tmp_path / "book.md"), "--voice", "hf/big", "--seed", "1", "--judge", "none"]
    killer = threading.Thread(target=kill_one)
    killer.start()
    assert main.run([*words, "--cluster", redis_server.url, "--out", str(tmp_path / "many.flac")]) == 0
    killer.join()
    alone = ["--parallel-voices", "1", *ONE_THREAD, "--out", str(tmp_path / "alone.flac")]
    assert main.run([*words, *alone]) == 0

    assert killed and len(ended) == 1 and not psutil.wait_procs([*killed, *ended], 20)[1]
    many, one = (json.loads((tmp_path / f"{name}.manifest.json").read_text()) for name in ("many", "alone"))
    assert len(many["units"]) == 61  # with the title
    assert [unit["audio_sha256"] for unit in many["units"]] == [unit["audio_sha256"] for unit in one["units"]]
    assert len({unit["audio_sha256"] for unit in one["units"]}) == 61
    sounds = [(tmp_path / name / "01 One.flac").read_bytes() for name in ("many", "alone")]
    assert sounds[0] == sounds[1]
    weights = {"vibevoice-1-5b": {"sha256": digest, "revision": "0" * 40}}
    told = {"engine": "hf", "lock_sha256": engine.lock_sha256, "weights": weights, "computed": ["cpu float32 sdpa"]}
    assert many["voice"] | told == many["voice"] and one["voice"] | told == one["voice"]
