"""The toy engine as it is installed, in an environment that has nothing but Python, and broken if that is wanted; and
the packs, with small random weights."""

import json
import shutil
import subprocess
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.external.family import voice_path
from voxmatrix.external.install import FIXTURE
from voxmatrix.external.installed import PACKS, Engine, weights_folder
from voxmatrix.external.manifest import FILE, read_manifest, weights_digest
from voxmatrix.external.voice_file import VoiceFile, write_voice_file
from voxmatrix.files import content_digest
from voxmatrix.processes import describe_exit

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
    path = voice_path(engine, name)
    write_voice_file(path, VoiceFile.model_validate({"engine": engine, "language": "en-us", **facts}))
    return path


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


def install_pack(name: str = "hf") -> Engine:
    """A pack of voxmatrix as it is installed, in an environment that borrows the packages of these tests."""
    folder = home() / "engines" / name
    folder.mkdir(parents=True)
    for path in (PACKS / name).iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    venv.create(folder / "env", symlinks=True, with_pip=False)
    (packages,) = (folder / "env").glob("lib/*/site-packages")
    (packages / "tests.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    return Engine(folder, read_manifest(folder / FILE))


def make_weights(engine: Engine, weights_id: str, *model: str) -> str:
    """Put random weights of the fixture of a pack to their place, and return their digest."""
    made = home() / "made"
    program = [str(engine.python), "-I", str(engine.folder / FIXTURE), str(made), *model]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{describe_exit(done.returncode)}: {done.stderr[-2000:]}"
    files = (path for path in made.rglob("*") if path.is_file())
    digest = weights_digest({path.relative_to(made).as_posix(): content_digest(path) for path in files})
    weights_folder("").mkdir(parents=True, exist_ok=True)
    made.rename(weights_folder(digest))
    record = {"engine": engine.name, "id": weights_id, "revision": "0" * 40}
    weights_folder(f"{digest}.json").write_text(json.dumps(record))
    return digest
