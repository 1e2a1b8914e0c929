"""Install an engine: an environment that borrows this torch, the locked packages of the engine, and a trial."""

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.child_environment import for_pip
from voxmatrix.config import IMAGE_VARIABLE, engine_folders, environment
from voxmatrix.errors import (
    BadInputError,
    MissingProgramError,
    UsageError,
    VoxmatrixError,
)
from voxmatrix.external import weights as stored
from voxmatrix.external.fit import check_fit
from voxmatrix.external.installed import LOCK, Engine, installed_engines, packs, weights_folder, weights_records
from voxmatrix.external.manifest import FILE, Manifest, WeightsTable, read_manifest, weights_digest
from voxmatrix.files import digest, storage_errors
from voxmatrix.lock import locked
from voxmatrix.machine.facts import Machine
from voxmatrix.processes import start
from voxmatrix.progress import OnProgress

if TYPE_CHECKING:
    from voxmatrix.external.process import Recording

FIXTURE = "fixture.py"
_REQUEST = {"text": "This is a trial.", "voice": "", "speed": 1.0, "seed": 1, "knobs": {}}


def pack(name: str) -> Path:
    """The folder of an engine that can be installed.

    Raises:
        BadInputError: there is none of this name.
    """
    if name not in packs():
        raise BadInputError(f"there is no engine {name!r} to install", f"choose one of: {', '.join(packs())}")
    return packs()[name]


def image_with(name: str) -> str:
    """Of a program that runs in an image, in which no engine can be installed: the image that has this one; else ""."""
    image = environment().get(IMAGE_VARIABLE)
    return f"{image}-{name}" if image else ""


def chosen_weights(manifest: Manifest, wanted: str) -> tuple[WeightsTable, Path | None]:
    """The weights of an ID, or those that are like the ones in a folder, with this folder.

    Raises:
        BadInputError: there are no such weights.
    """
    for row in manifest.weights:
        if row.id == wanted:
            return row, None
    if Path(wanted).is_dir():
        return stored.row_for(manifest, Path(wanted)), Path(wanted)
    known = ", ".join(row.id for row in manifest.weights)
    raise BadInputError(
        f"{wanted!r} are no weights of this engine, and no folder", f"choose a folder, or one of: {known}"
    )


def install(name: str, machine: Machine, on_progress: OnProgress = lambda done, total: None) -> Engine:
    """Install an engine, let it speak, and put it in its place, also of an older one. `on_progress` counts packages.

    Raises:
        BadInputError: there is no such engine.
        MissingProgramError: there is no pip.
        NoDeviceError: it cannot be computed here.
        UnreachableError: no package index, or no space.
        UsageError: in an image; or another process installs one.
    """
    source = pack(name)
    manifest = read_manifest(source / FILE)
    check_fit(f"the engine {name}", manifest, machine)
    if image := image_with(name):
        raise UsageError(
            f"an image has no pip, so {name} cannot be installed in it", f"use the image {image} (docs/engines.md)"
        )
    folder = engine_folders()[0]
    with locked(folder, "installation", "wait for it"), _beside(folder / name) as new:
        with storage_errors(new):
            for path in sorted(source.iterdir()):
                if path.suffix in (".py", ".toml", ".txt"):
                    shutil.copyfile(path, new / path.name)
        _make_environment(new, on_progress)
        engine = Engine(new, manifest)
        try_out(engine)
        _replace(new, folder / name)
    return Engine(folder / name, manifest)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A new folder of the same name, which is removed if it is not moved away."""
    with storage_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent, ignore_cleanup_errors=True) as outer:
            new = Path(outer, folder.name)
            new.mkdir()
            yield new


def _replace(new: Path, folder: Path) -> None:
    with storage_errors(folder):
        if folder.exists():
            folder.rename(new.parent / "old")
        new.rename(folder)


def _make_environment(folder: Path, on_progress: OnProgress) -> None:
    """Make the environment, which has what is locked, and then whatever the environment of this torch has."""
    if importlib.util.find_spec("pip") is None:
        raise MissingProgramError("this Python has no pip", f"run {sys.executable} -m ensurepip")
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.origin is not None  # the engine fits
    place = folder / "env"
    _run([sys.executable, "-P", "-m", "venv", "--without-pip", str(place)], "make an environment")
    python = Engine(folder, read_manifest(folder / FILE)).python
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)}))
    (packages / "torch.pth").write_text(f"{Path(torch.origin).parent.parent}\n", encoding="utf-8")
    wanted = sum("==" in line for line in (folder / LOCK).read_text(encoding="utf-8").splitlines())
    pip = [sys.executable, "-P", "-m", "pip", "--python", str(python), "install", "--disable-pip-version-check"]
    # What the environment of torch has may change: the engine has all of its own.
    pip += ["--ignore-installed", "--no-compile", "--no-deps", "--require-hashes", "--progress-bar", "off"]
    pip += ["--requirement", str(folder / LOCK)]
    _run(pip, "install its packages", on_progress, wanted)


def _run(command: list[str], what: str, on_progress: OnProgress = lambda done, total: None, total: int = 0) -> None:
    """Run a program; each line that begins with "Collecting" is a step.

    Raises:
        VoxmatrixError: it failed.
    """
    lines, done = [], 0
    with start(command, environment=for_pip(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.decode("utf-8", "replace").strip())
            if line.startswith(b"Collecting"):
                done += 1
                on_progress(done, max(done, total))
    if process.returncode:
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise VoxmatrixError(
            f"cannot {what}: {' '.join(errors)[:500]}",
            "check the network and the space, and run the same command again",
        )


def try_out(engine: Engine) -> float:
    """Let an engine speak with small random weights, and return the seconds of speech. They are removed afterwards.

    Raises:
        VoxmatrixError: it does not speak.
    """
    from voxmatrix.external.process import EngineProcess, EngineStart, Limits

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as outer:
        made = Path(outer, "weights")
        _run([str(engine.python), "-I", str(engine.folder / FIXTURE), str(made)], f"try the engine {engine.name}")
        files = {path.relative_to(made).as_posix(): digest(path) for path in made.rglob("*") if path.is_file()}
        found = weights_digest(files)
        place, run = weights_folder(found), engine.manifest.run
        is_new = not place.exists()
        if is_new:
            with storage_errors(place):
                shutil.copytree(made, place)
        start = EngineStart(
            folder=engine.folder,
            weights=(("fixture", found),),
            gpu=None,
            dtype="float32" if "float32" in run.dtypes else run.dtypes[0],
            attention=next((name for name in run.attention if name != "flash_attention_2"), "eager"),
            threads=1,
        )
        samples = 0

        def count(audio: Any) -> None:
            nonlocal samples
            samples += len(audio)

        try:
            process = EngineProcess(engine, start, Limits())
            try:
                request = {**_REQUEST, "language": engine.manifest.can.languages[0]}
                process.speak(request, _recordings(engine.manifest), count, lambda: False, 60.0)
            finally:
                process.close()
        finally:
            if is_new:
                shutil.rmtree(place, ignore_errors=True)
    if not samples:
        raise VoxmatrixError(f"the engine {engine.name} says nothing", f"voxmatrix engines check {engine.name}")
    return samples / engine.manifest.can.rate


def _recordings(manifest: Manifest) -> "list[Recording]":
    """A tone, for an engine that does not speak without a recording."""
    import numpy as np

    from voxmatrix.external.process import Recording

    reference = manifest.can.reference
    if reference is None or not reference.required:
        return []
    rate = reference.rate or manifest.can.rate
    seconds = np.arange(int(rate * reference.seconds[0])) / rate
    return [Recording("tone", (0.3 * np.sin(2 * np.pi * 200 * seconds)).astype(np.float32), rate)]


def install_weights(
    engine: Engine, wanted: str, machine: Machine, *, accepted: bool, on_progress: OnProgress = lambda done, total: None
) -> tuple[str, str]:
    """Fetch weights by their ID, or copy them from a folder; returns their ID and digest.

    Raises:
        BadInputError: there are no such weights.
        DamagedFileError: a file is not what it should be.
        NoDeviceError: they cannot be computed here.
        UnreachableError: no connection, no permission, or no space.
        UsageError: their licence is not accepted, or another process installs.
    """
    row, source = chosen_weights(engine.manifest, wanted)
    manifest = engine.manifest.of(row.id)
    check_fit(row.id, manifest, machine)
    stored.check_licence(row.id, manifest.licence, accepted=accepted)
    with locked(engine_folders()[0] / "weights", "installation", "wait for it"):
        if source is not None:
            return row.id, stored.copy(engine.name, row, manifest.licence, source)
        return row.id, stored.fetch(engine.name, row, manifest.licence, on_progress)


def remove(name: str, *, with_weights: bool) -> list[Path]:
    """Remove an engine of the user's, and its weights if that is wanted; returns what was removed.

    Raises:
        BadInputError: it is not installed.
        UsageError: it is part of the image.
    """
    folder = installed_engines().get(name)
    if folder is None:
        raise BadInputError(f"the engine {name} is not installed", "voxmatrix engines list")
    if folder.parent != engine_folders()[0]:
        raise UsageError(f"the engine {name} is part of this image", "use the image without it")
    removed = [folder]
    with storage_errors(folder):
        shutil.rmtree(folder)
    for found, record in weights_records().items():
        if with_weights and record.get("engine") == name:
            stored.remove(found)
            removed.append(weights_folder(found))
    return removed
