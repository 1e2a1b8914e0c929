"""The toy engine as it is installed: in an environment that has nothing but Python, and broken if that is wanted.

And recordings that it can imitate.
"""

import shutil
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path

import numpy as np
import soundfile

from voxmatrix.config import home
from voxmatrix.external.manifest import weights_digest
from voxmatrix.external.voice_file import VoiceFile, write_voice
from voxmatrix.files import content_digest

_TOY = Path(__file__).with_name("engine")
RATE_HZ = 24_000  # of recordings


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


def recording(
    path: Path, seconds: float = 6.0, *, gain: float = 0.3, noise: float = 0.0005, rate_hz: int = RATE_HZ
) -> Path:
    """Something like speech: syllables of a buzz, and pauses, above some noise."""
    times = np.arange(round(seconds * rate_hz)) / rate_hz
    syllables = np.clip(np.sin(2 * np.pi * 2.5 * times), 0, None) * (np.sin(2 * np.pi * 0.4 * times) > -0.7)
    buzz = sum(np.sin(2 * np.pi * 120 * number * times) / number for number in range(1, 20))
    numbers = np.random.default_rng(1)
    soundfile.write(
        path, np.clip(gain * syllables * buzz + noise * numbers.standard_normal(len(times)), -1, 1), rate_hz
    )
    return path
