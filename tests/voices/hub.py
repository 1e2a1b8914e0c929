"""A model hub on this computer, with two voices: one that may be used for anything, and one that may not."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import FileServer, file_server
from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FREE, RESTRICTED = "en_US-free-low", "de_DE-streng-medium"
_CARD = "# Model card\n\n## Dataset\n\n* URL: a place\n* License: {}\n"
_REPOSITORY = "rhasspy/piper-voices/resolve"


def path_of(name: str, file: str = "") -> str:
    """Where the hub has a file of a voice; the ONNX file if none is named."""
    code, title, quality = name.split("-")
    return f"{_REPOSITORY}/{COMMIT}/{code[:2]}/{code}/{title}/{quality}/{file or f'{name}.onnx'}"


def _entry(name: str, files: dict[str, bytes]) -> dict[str, Any]:
    code, title, quality = name.split("-")
    folder = f"{code[:2]}/{code}/{title}/{quality}"
    english = {"en": ("English", "United States"), "de": ("German", "Germany"), "sv": ("Swedish", "Sweden")}[code[:2]]
    return {
        "key": name,
        "name": title,
        "language": {
            "code": code, "family": code[:2], "region": code[3:], "name_native": "",
            "name_english": english[0], "country_english": english[1],
        },
        "quality": quality,
        "num_speakers": 1,
        "speaker_id_map": {},
        "files": {
            f"{folder}/{file}": {"size_bytes": len(content), "md5_digest": hashlib.md5(content).hexdigest()}
            for file, content in files.items()
        },
        "aliases": [],
    }  # fmt: skip


def _files(name: str, license: str, voice: bytes, config: bytes) -> dict[str, bytes]:
    return {"MODEL_CARD": _CARD.format(license).encode(), f"{name}.onnx": voice, f"{name}.onnx.json": config}


def add_to_hub(hub: FileServer, name: str, license: str) -> None:
    """One more voice, which says in its language what the others say."""
    config = json.loads(hub.files[path_of(FREE, f"{FREE}.onnx.json")])
    config["espeak"] = {"voice": name[:2]}
    files = _files(name, license, hub.files[path_of(FREE)], json.dumps(config).encode())
    hub.files |= {path_of(name, file): content for file, content in files.items()}
    place = f"{_REPOSITORY}/main/voices.json"
    hub.files[place] = json.dumps({**json.loads(hub.files[place]), name: _entry(name, files)}).encode()


@pytest.fixture
def hub(make_onnx: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:  # noqa: F811
    """HF_ENDPOINT leads to it."""
    voice = make_onnx("tiny", 1, "text")
    index = {}
    with file_server() as server:
        for name, license in ((FREE, "CC0"), (RESTRICTED, "CC BY-NC-SA 4.0")):
            files = _files(name, license, voice.read_bytes(), Path(f"{voice}.json").read_bytes())
            index[name] = _entry(name, files)
            server.files |= {path_of(name, file): content for file, content in files.items()}
        index["broken"] = {"key": "broken"}  # left out
        server.files[f"{_REPOSITORY}/main/voices.json"] = json.dumps(index).encode()
        server.headers["X-Repo-Commit"] = COMMIT
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.delenv("HF_HUB_OFFLINE")
        yield server


def replace_file(hub: FileServer, name: str, file: str, content: bytes) -> None:
    """Change a file of a voice, and the index with it."""
    place = path_of(name, file)
    hub.files[place] = content
    index = json.loads(hub.files[f"{_REPOSITORY}/main/voices.json"])
    listed = {"size_bytes": len(content), "md5_digest": hashlib.md5(content).hexdigest()}
    index[name]["files"][place.removeprefix(f"{_REPOSITORY}/{COMMIT}/")] = listed
    hub.files[f"{_REPOSITORY}/main/voices.json"] = json.dumps(index).encode()
