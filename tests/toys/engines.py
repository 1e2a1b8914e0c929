"""The toy engine as it is installed: in an environment that has nothing but Python, and broken if that is wanted."""

import shutil
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.external.manifest import weights_digest
from voxmatrix.external.voice_file import VoiceFile, write_voice
from voxmatrix.files import content_digest

_TOY = Path(__file__).with_name("engine")


@cache
def _environment() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="voxmatrix-toy-"))
    venv.create(folder, symlinks=True, with_pip=False)
    return folder


def install_engine(name: str = "toy", *, fault: str = "", **changes: str) -> Path:
    """Install it; `changes` are texts of the manifest and what stands there instead."""
    folder = home() / "engines" / name
    folder.mkdir(parents=True)
    manifest = (_TOY / "engine.toml").read_text().replace('name = "toy"', f'name = "{name}"')
    for old, new in changes.items():
        assert old in manifest
        manifest = manifest.replace(old, new)
    (folder / "engine.toml").write_text(manifest)
    shutil.copy(_TOY / "adapter.py", folder)
    (folder / "lock.txt").write_text("nothing\n")
    if not fault:
        (folder / "env").symlink_to(_environment())
        return folder
    (folder / "FAULT").write_text(fault)
    shutil.copy(_TOY / "faulty.py", folder)
    python = folder / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {folder / "faulty.py"} "$@"\n')
    python.chmod(0o755)
    return folder


def write_toy_voice(name: str = "bell", engine: str = "toy", **facts: object) -> Path:
    """A voice of it: ENGINE/NAME."""
    return write_voice(name, VoiceFile.model_validate({"engine": engine, "language": "en-us", **facts}))


def install_weights(**files: bytes) -> str:
    """Put weights to their place, and return their digest."""
    folder = home() / "engines" / "weights"
    new = folder / "new"
    new.mkdir(parents=True)
    for name, content in files.items():
        (new / name).write_bytes(content)
    digest = weights_digest({path.name: content_digest(path) for path in new.iterdir()})
    new.rename(folder / digest)
    return digest
