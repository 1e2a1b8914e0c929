"""Locked files from an index: the best one for this Python, checked; all else is left to pip."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.tags import sys_tags

from tests.loopback import FileServer, file_server
from tools.locks import from_index
from tools.locks.pins import Pin

BEST = str(next(iter(sys_tags())))
#: Files by name → content; the second would do here as well.
FILES = {
    f"some-1-{BEST}.whl": b"the best",
    "some-1-py3-none-any.whl": b"any",
    "some-1-cp27-cp27m-win32.whl": b"another Python's",
    "some-1.tar.gz": b"the source",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with file_server() as server:
        values = {".index-url": [f"{server.url}/simple"]}
        monkeypatch.setattr(from_index, "pip_values", lambda key: values.get(key, []))
        offer(server, FILES)
        yield server


def offer(server: FileServer, files: dict[str, bytes]) -> None:
    page = [
        {"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": digest(content)}}
        for name, content in files.items()
    ]
    server.files["simple/some/"] = json.dumps({"files": page}).encode()
    server.files |= {f"files/{name}": content for name, content in files.items()}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def pin(*contents: bytes, name: str = "some") -> Pin:
    return Pin(name=name, version="1", hashes=frozenset(f"sha256:{digest(content)}" for content in contents))


@pytest.mark.parametrize(
    ("locked", "chosen"),
    [
        (FILES.values(), f"some-1-{BEST}.whl"),
        ([b"any", b"another Python's", b"the source"], "some-1-py3-none-any.whl"),
        ([b"another Python's", b"the source"], "some-1.tar.gz"),
    ],
)
def test_the_best_locked_file_for_this_python_is_taken(
    server: FileServer, tmp_path: Path, locked: list[bytes], chosen: str
) -> None:
    assert from_index.download([pin(*locked)], tmp_path) == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {chosen: FILES[chosen]}


def test_what_the_index_does_not_have_is_left(server: FileServer, tmp_path: Path) -> None:
    for unknown in (pin(b"never uploaded"), pin(b"another Python's"), pin(b"any", name="other")):
        assert from_index.download([unknown, pin(b"any")], tmp_path) == [unknown]
    server.files["simple/some/"] = b"<html>an index without JSON</html>"
    assert from_index.download([pin(b"any")], tmp_path) == [pin(b"any")]


def test_a_file_with_another_content_than_its_hash_is_not_kept(server: FileServer, tmp_path: Path) -> None:
    server.files["files/some-1-py3-none-any.whl"] = b"changed"
    assert from_index.download([pin(b"any")], tmp_path) == [pin(b"any")]
    assert list(tmp_path.iterdir()) == []


def test_a_connection_that_ends_early_leaves_nothing(server: FileServer, tmp_path: Path) -> None:
    server.cut_after = [10_000, 2]  # the page is whole, and its file is not
    assert from_index.download([pin(b"any")], tmp_path) == [pin(b"any")]
    assert list(tmp_path.iterdir()) == []
