"""Downloads continue where they were cut, and are the file that was meant, or nothing."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.loopback import FileServer, file_server
from voxmatrix.download import RemoteFile, download
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError, UsageError

CONTENT = bytes(range(256)) * 5000
FILE = RemoteFile(name="voice.bin", size=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as server:
        server.files["voice.bin"] = CONTENT
        yield server


def test_a_file_is_there_once_and_progress_reaches_its_size(server: FileServer, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path = download(FILE, server.url, tmp_path, lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (FILE.size, FILE.size)
    assert download(FILE, server.url, tmp_path) == path
    assert len(server.asked) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["voice.bin"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, len(CONTENT)), max_size=6))
def test_a_connection_that_is_cut_is_taken_up_again(server: FileServer, tmp_path: Path, cuts: list[int]) -> None:
    server.cut_after[:] = cuts
    for path in tmp_path.iterdir():
        path.unlink()
    assert download(FILE, server.url, tmp_path).read_bytes() == CONTENT


def test_the_next_command_continues_and_a_server_without_ranges_begins_anew(server: FileServer, tmp_path: Path) -> None:
    server.cut_after[:] = [1000, 0, 0, 0]
    with pytest.raises(UnreachableError, match="cannot download") as caught:
        download(FILE, server.url, tmp_path)
    assert "continues where it was" in caught.value.remedy
    assert (tmp_path / "voice.bin.part").stat().st_size == 1000
    server.ranges = False
    server.cut_after.clear()
    assert download(FILE, server.url, tmp_path).read_bytes() == CONTENT
    assert server.asked[-1] == ("voice.bin", "bytes=1000-")


def test_a_link_to_another_disk_stays(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "voice.bin").symlink_to(tmp_path / "disk" / "target.bin")
    assert download(FILE, server.url, tmp_path).read_bytes() == CONTENT
    assert (tmp_path / "voice.bin").is_symlink()
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["target.bin"]


@pytest.mark.parametrize(
    "wrong", [CONTENT[:-1] + b"x", CONTENT + b"more", b"<html>Log in to the hotel's network</html>" * 50_000]
)
def test_another_file_of_that_name_is_refused_and_removed(wrong: bytes, server: FileServer, tmp_path: Path) -> None:
    server.files["voice.bin"] = wrong
    with pytest.raises(DamagedFileError, match="not the file that was expected"):
        download(FILE, server.url, tmp_path)
    assert not list(tmp_path.iterdir())
    server.files["voice.bin"] = CONTENT
    assert download(FILE, server.url, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize(("status", "error"), [(404, BadInputError), (403, UnreachableError), (503, UnreachableError)])
def test_what_the_server_refuses_is_said(
    status: int, error: type[Exception], server: FileServer, tmp_path: Path
) -> None:
    server.status = status
    with pytest.raises(error, match="does not exist" if status == 404 else str(status)):
        download(FILE, server.url, tmp_path)


def test_without_a_network_the_way_without_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="cannot download") as caught:
        download(FILE, "http://127.0.0.1:9", tmp_path, offline="take it from a disk")
    assert caught.value.remedy.endswith("; without a network: take it from a disk")


def test_a_full_disk_is_said_before_anything_is_downloaded(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(UnreachableError, match="MiB are needed"):
        download(FILE, server.url, tmp_path)
    assert not server.asked


@pytest.mark.parametrize(
    "endpoint", ["http://hub.example", "http://192.0.2.1:8080", "http://localhost.example", "HTTP://x"]
)
def test_the_token_is_not_sent_unencrypted(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with pytest.raises(UsageError, match="HF_ENDPOINT is") as caught:
        download(FILE, f"{endpoint}/voices", tmp_path)
    assert "https://" in caught.value.remedy and "hf_secret" not in f"{caught.value.problem} {caught.value.remedy}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_token_is_sent_to_a_mirror_on_this_computer(
    host: str, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = server.url.replace("127.0.0.1", host)
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download(FILE, endpoint, tmp_path)
    assert server.keys == ["Bearer hf_secret"]
