"""Public checkpoints are listed, downloaded with their licence, and trained further by their names."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.loopback import FileServer, file_server
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import DamagedFileError
from voxmatrix.piper.checkpoints import checkpoints, parse_list, place_of

_COMMIT = "0123456789abcdef0123456789abcdef01234567"
_DATASET = "datasets/rhasspy/piper-checkpoints"
_LIST = f"api/{_DATASET}?blobs=true"
_FREE, _BOUND = "en_US-free-medium", "de_DE-streng-low"


@pytest.fixture
def hub(make_checkpoint: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """HF_ENDPOINT leads to it: two checkpoints of one voice, one of another, which may not be used for everything."""
    content = make_checkpoint().read_bytes()
    files = {
        "README.md": b"about",
        "en/en_US/free/medium/epoch=99-step=1000.ckpt": b"an older one",
        "en/en_US/free/medium/epoch=200-step=20000.ckpt": content,
        "en/en_US/free/medium/MODEL_CARD": b"* License: CC0\n",
        "de/de_DE/streng/low/epoch=1-step=2.ckpt": content,
        "de/de_DE/streng/low/MODEL_CARD": b"* License: CC BY-NC-SA 4.0\n",
        "other/place.ckpt": content,
    }
    siblings = [
        {
            "rfilename": name,
            "size": len(data),
            "lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} if name.endswith(".ckpt") else None,
        }
        for name, data in files.items()
    ]
    with file_server() as server:
        server.files = {
            f"{_DATASET}/resolve/{_COMMIT}/{name}".replace("=", "%3D"): data for name, data in files.items()
        }
        server.files[_LIST] = json.dumps({"sha": _COMMIT, "siblings": siblings}).encode()
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield server


def test_they_are_listed_by_words_and_language_and_asked_for_once_a_day(
    hub: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [*checkpoints()] == [_BOUND, _FREE]
    assert checkpoints()[_FREE].file.name == "epoch=200-step=20000.ckpt"
    assert main.run(["voices", "search", "--checkpoints", "free", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["checkpoints"]
    assert (found["name"], found["language"], found["quality"], found["path"]) == (_FREE, "en-us", "medium", None)
    assert main.run(["voices", "search", "--checkpoints", "--language", "de"]) == 0
    assert capsys.readouterr().out.startswith(_BOUND)
    assert [name for name, _ in hub.asked] == [_LIST]


def test_one_is_downloaded_and_says_where_it_is_from(hub: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "download", _FREE, "--checkpoint"]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(place_of(_FREE)) and "licence CC0" in said.err
    assert hashlib.sha256(place_of(_FREE).read_bytes()).hexdigest() == checkpoints()[_FREE].file.sha256
    about = json.loads((home() / "checkpoints" / f"{_FREE}.ckpt.source.json").read_text())
    assert about["license"] == "CC0" and _COMMIT in about["source"]
    hub.files.clear()
    assert main.run(["voices", "download", _FREE, "--checkpoint"]) == 0  # it is there


def test_a_licence_that_restricts_is_accepted_first(hub: FileServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "download", _BOUND, "--checkpoint"]) == 2
    assert "CC BY-NC-SA 4.0" in capsys.readouterr().err and not place_of(_BOUND).exists()
    assert main.run(["voices", "download", _BOUND, "--checkpoint", "--accept-licence"]) == 0
    assert place_of(_BOUND).exists()


def test_train_starts_from_one_by_its_name(
    hub: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from voxmatrix.cli import train
    from voxmatrix.errors import UnreachableError

    asked: list[Path | None] = []

    def stop(data: Path, settings: object, **more: object) -> None:
        raise UnreachableError("far enough", "")

    monkeypatch.setattr(train, "prepare_with_progress", stop)
    monkeypatch.setattr(train, "prepare_settings", lambda given, workers: asked.append(given.start_from))
    data = tmp_path / "data"
    data.mkdir()
    words = ["train", str(data), "--out", str(tmp_path / "run"), "--device", "cpu"]
    assert main.run([*words, "--from", _FREE]) == 8
    assert asked == [place_of(_FREE)] and place_of(_FREE).exists()
    assert main.run([*words, "--from", "en_US-nobody-medium"]) == 3
    assert "voices search --checkpoints" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"sha": "x", "siblings": [1]}', b"\xff"])
def test_what_is_no_list_is_said(content: bytes) -> None:
    with pytest.raises(DamagedFileError, match="no list of checkpoints"):
        parse_list(content)
