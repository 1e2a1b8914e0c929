"""The store: a folder, a real Redis, and a server that speaks S3."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.work.cluster.jobs import Job, audio_alone
from tests.work.cluster.processes import ClusterWorker, RedisServer, free_port, wait_until
from voxmatrix.errors import BadInputError, DamagedFileError, MissingProgramError, UnreachableError, UsageError
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.work.cluster.messages import SharedVoice
from voxmatrix.work.cluster.store import FolderStore, Store, open_store
from voxmatrix.work.cluster.voices import fetch, publish, shared_voice
from voxmatrix.work.unit import Unit

pytestmark = pytest.mark.redis


@pytest.fixture(scope="module")
def s3_server() -> Iterator[dict[str, str]]:
    """The environment for its clients."""
    url = f"http://127.0.0.1:{free_port()}"
    words = [sys.executable, "-m", "moto.server", "--port", url.rpartition(":")[2]]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        try:
            return bool(urllib.request.urlopen(f"{url}/moto-api/").read())
        except urllib.error.URLError:
            return False

    try:
        wait_until(answers)
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
        yield {"AWS_ENDPOINT_URL": url, **keys}
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def bucket(s3_server: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a new bucket."""
    for name, value in s3_server.items():
        monkeypatch.setenv(name, value)
    name = uuid.uuid4().hex
    put = urllib.request.Request(f"{s3_server['AWS_ENDPOINT_URL']}/{name}", method="PUT")
    urllib.request.urlopen(put).close()
    return f"s3://{name}/voxmatrix"


@pytest.fixture(params=["folder", "redis", pytest.param("s3", marks=pytest.mark.s3)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    match request.param:
        case "folder":
            return open_store(str(tmp_path / "shared"), "redis://unused")
        case "s3":
            return open_store(request.getfixturevalue("bucket"), "redis://unused")
        case _:
            server: RedisServer = request.getfixturevalue("redis_server")
            return open_store("", server.url)


@pytest.fixture
def anna(tmp_path: Path) -> Path:
    """A voice in two files."""
    path = tmp_path / "anna.onnx"
    path.write_bytes(b"weights" * 1000)
    path.with_name("anna.onnx.json").write_text("{}")
    return path


def test_what_is_put_can_be_read_until_it_is_deleted(store: Store) -> None:
    store.put("audio/run/task/1.wav", b"one", 60)
    store.put("audio/run/task/2.wav", b"two", 60)

    assert store.get([("audio/run/task/2.wav", 3), ("audio/run/task/3.wav", 3), ("audio/run/task/1.wav", 3)]) == [
        b"two",
        None,
        b"one",
    ]
    assert store.keep(["audio/run/task/1.wav", "audio/run/task/2.wav"], 60)
    store.delete(["audio/run/task/1.wav", "audio/run/task/3.wav"])
    assert not store.keep(["audio/run/task/1.wav", "audio/run/task/2.wav"], 60)


def test_no_more_than_expected_is_read(store: Store) -> None:
    store.put("large", b"x" * 1000, 60)

    assert store.get([("large", 10)]) == [b"x" * 11]


def test_a_voice_is_fetched_once(store: Store, anna: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voxmatrix.work.cluster.voices._PART_BYTES", 1000)  # so that there are several parts
    shared = _published(store, anna)

    fetched = fetch(store, shared)
    store.delete([f"voices/{file.sha256}.{part}" for file in shared.files for part in range(8)])

    assert fetched.read_bytes() == anna.read_bytes()
    assert fetched.with_name("anna.onnx.json").read_text() == "{}"
    assert fetch(store, shared) == fetched


def test_a_damaged_voice_is_not_kept(store: Store, anna: Path) -> None:
    shared = _published(store, anna)
    store.put(f"voices/{shared.files[0].sha256}.0", b"w" * shared.files[0].size, 60)

    with pytest.raises(DamagedFileError, match="damaged on its way"):
        fetch(store, shared)

    store.put(f"voices/{shared.files[0].sha256}.0", anna.read_bytes(), 60)
    assert fetch(store, shared).read_bytes() == anna.read_bytes()


def test_damage_in_the_cache_is_repaired(store: Store, anna: Path) -> None:
    shared = _published(store, anna)
    fetch(store, shared).write_bytes(b"changed")

    assert fetch(store, shared).read_bytes() == anna.read_bytes()


def test_a_new_voice_makes_place_of_those_that_were_long_unused(store: Store, anna: Path) -> None:
    first = fetch(store, _published(store, anna))
    for path, age in ((first.parent, 29), (first.parent.with_name("old"), 31)):
        path.mkdir(exist_ok=True)
        os.utime(path, (time.time() - age * 24 * 3600,) * 2)
    anna.write_bytes(b"trained for longer")

    fetch(store, _published(store, anna))

    assert first.exists()
    assert not first.parent.with_name("old").exists()
    assert len(list(first.parent.parent.iterdir())) == 2


def _card(path: Path) -> VoiceCard:
    files, able = (path, path.with_name("anna.onnx.json")), Capabilities()
    return VoiceCard(id="anna", family="piper", files=files, rate_hz=16000, languages=("en",), capabilities=able)


def _published(store: Store, anna: Path) -> SharedVoice:
    card = _card(anna)
    shared = shared_voice(card)
    publish(store, shared, card.files)
    return shared


def test_a_voice_that_may_not_travel_is_refused(anna: Path) -> None:
    card = replace(_card(anna), capabilities=Capabilities(portable=False))

    with pytest.raises(BadInputError, match="cannot be sent to the workers"):
        shared_voice(card)


def test_a_voice_that_is_not_there_names_the_store(store: Store, anna: Path) -> None:
    shared = shared_voice(_card(anna))

    with pytest.raises(UnreachableError, match=r"does not have the voice anna\.onnx"):
        fetch(store, shared)


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UnreachableError, match="cannot be used"):
        FolderStore(str(tmp_path / "file")).put("audio/1.wav", b"", 60)


def test_a_full_redis_is_named(redis_server: RedisServer) -> None:
    redis_server.client.config_set("maxmemory", "2mb")
    store = open_store("", redis_server.url)

    with pytest.raises(UnreachableError, match="is full") as error:
        for number in range(100):
            store.put(f"audio/{number}", bytes(1_000_000), 60)

    assert "maxmemory" in error.value.remedy


@pytest.mark.parametrize("url", ["nonsense://place", "abfs://place"])
def test_a_url_that_nothing_opens_is_an_error(url: str) -> None:
    with pytest.raises((UsageError, MissingProgramError)):
        open_store(url, "redis://unused")


def test_a_broker_that_is_not_redis_needs_a_store() -> None:
    with pytest.raises(UsageError, match=r"amqp://guest:\*\*@box") as error:
        open_store("", "amqp://guest:guest@box//")
    assert "`store`" in error.value.remedy


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.s3)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store beside the broker."""
    if request.param == "folder":
        return str(tmp_path / "shared")
    url: str = request.getfixturevalue("bucket")
    return url


@pytest.mark.slow
def test_audio_may_travel_beside_the_broker(
    redis_server: RedisServer,
    start_worker: Callable[..., ClusterWorker],
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
    place: str,
) -> None:
    import fsspec

    units = sentences(10)
    start_worker(redis_server.url, "a", store=place)

    job = Job(redis_server.url, voice, tmp_path / "job", units, store=place)

    assert job.end().given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)
    files, root = fsspec.url_to_fs(place)
    files.invalidate_cache()
    assert {path.removeprefix(f"{root}/").split("/")[0] for path in files.find(root)} == {"voices"}
    assert not redis_server.client.keys("voxmatrix:audio*")
