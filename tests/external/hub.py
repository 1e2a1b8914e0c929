"""A model hub on this computer, and a pack whose weights are there."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback import FileServer, file_server
from voxmatrix.external import installed

COMMIT = "a" * 40
REPOSITORY = "someone/tones"
LARGE, SMALL = b"weights" * 5000, b'{"model_type": "tones"}'
_WEIGHTS = """
[[weights]]
id = "free"
title = "Free"
family = "tones"
repo = "someone/tones"
licence = {name = "MIT"}

[[weights]]
id = "strict"
repo = "someone/tones"

[weights.licence]
name = "CPML"
url = "a page"
accept = true
commercial = false
outputs_restricted = true
may_teach = false

[[weights]]
id = "huge"
memory = {fixed_mib = 1e9}
"""
_FIXTURE = """
import sys
from pathlib import Path
Path(sys.argv[1]).mkdir()
Path(sys.argv[1], "weights").write_bytes(b"small")
"""


def publish(server: FileServer, repository: str = REPOSITORY, commit: str = COMMIT, **files: bytes) -> None:
    """Put files on the hub; those of more than 1,000 bytes are in LFS."""
    listing = []
    for name, content in files.items():
        git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        entry = {"type": "file", "oid": git, "size": len(content), "path": name}
        if len(content) > 1000:
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        listing.append(entry)
        server.files[f"{repository}/resolve/{commit}/{name}"] = content
    server.files[f"api/models/{repository}/revision/main"] = json.dumps({"sha": commit}).encode()
    query = "recursive=true&expand=false"
    server.files[f"api/models/{repository}/tree/{commit}?{query}"] = json.dumps(listing).encode()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """HF_ENDPOINT leads to it."""
    with file_server() as server:
        publish(server, **{"config.json": SMALL, "model.safetensors": LARGE, "README.md": b"read me"})
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.delenv("HF_HUB_OFFLINE")
        yield server


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The toy engine can be installed, with a package of its own that pip finds here and nowhere else."""
    folder, wheels = tmp_path / "packs" / "toy", tmp_path / "wheels"
    folder.mkdir(parents=True)
    wheels.mkdir()
    toy = Path(__file__).parents[1] / "toys" / "engine"
    (folder / "engine.toml").write_text((toy / "engine.toml").read_text() + _WEIGHTS)
    shutil.copy(toy / "adapter.py", folder)
    (folder / "fixture.py").write_text(_FIXTURE)
    wheel = wheels / "tones-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tones.py", "")
        archive.writestr("tones-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tones\nVersion: 1.0\n")
        archive.writestr("tones-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tones-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "lock.txt").write_text(f"tones==1.0 \\\n    --hash=sha256:{digest}\n")
    monkeypatch.setattr(installed, "PACKS", folder.parent)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return folder
