"""Engines that are installed, and the weights that they have: where they are, and whether they are what they were.

VOXMATRIX_HOME/engines/NAME/engine.toml adapter.py lock.txt env/    in an image: /opt/engines/NAME
VOXMATRIX_HOME/engines/weights/DIGEST/                              read-only
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.config import engine_folders
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.external.manifest import FILE, Manifest, read_manifest, weights_digest
from voxmatrix.files import content_digest, read_text_or_empty

LOCK = "lock.txt"
PACKS = Path(__file__).parent / "packs"


@dataclass(frozen=True)
class Engine:
    """An engine in its folder."""

    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        """Of its folder."""
        return self.folder.name

    @property
    def python(self) -> Path:
        """The Python of its environment."""
        return self.folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def lock_sha256(self) -> str:
        """The checksum of the packages that it was installed with; "" if it has no lock."""
        lock = self.folder / LOCK
        return content_digest(lock) if lock.exists() else ""

    @property
    def files(self) -> tuple[Path, ...]:
        """What decides how it speaks, apart from weights: manifest, lock and adapter."""
        lock = self.folder / LOCK
        return (self.folder / FILE, *([lock] if lock.exists() else []), *sorted(self.folder.glob("*.py")))


def packs() -> dict[str, Path]:
    """The folders of the engines that can be installed, by name."""
    return {path.parent.name: path.parent for path in sorted(PACKS.glob(f"*/{FILE}"))}


def installed_engines() -> dict[str, Path]:
    """The folders of all engines by name; the user's own hide those of an image."""
    found: dict[str, Path] = {}
    for folder in engine_folders():
        for manifest in sorted(folder.glob(f"*/{FILE}")):
            found.setdefault(manifest.parent.name, manifest.parent)
    return found


def find_engine(name: str, weights: Iterable[str] = ()) -> Engine:
    """The engine of this name, with the manifest as it is for these weights.

    Raises:
        BadInputError: it is not installed, or its manifest is wrong.
    """
    found = installed_engines()
    if name not in found:
        others = f"installed are: {', '.join(found)}; " if found else ""
        known = packs()
        remedy = f"voxmatrix engines install {name}" if name in known else f"{others}to install: {', '.join(known)}"
        raise BadInputError(f"the engine {name} is not installed", remedy)
    manifest = read_manifest(found[name] / FILE)
    if manifest.engine.name != name:
        raise BadInputError(
            f"{found[name] / FILE} is that of the engine {manifest.engine.name}",
            "rename its folder, or install it again",
        )
    return Engine(found[name], manifest.of(next(iter(weights), "")))


def weights_folder(digest: str) -> Path:
    """Where weights of this digest are, or would be."""
    return engine_folders()[0] / "weights" / digest


def weights_records() -> dict[str, dict[str, Any]]:
    """What is known of installed weights, by digest: engine, id, where they are from, licence, files."""
    found = {}
    for path in sorted(weights_folder("").glob("*.json")):
        with suppress(ValueError):
            record = json.loads(read_text_or_empty(path))
            if isinstance(record, dict):
                found[path.stem] = record
    return found


def installed_weights(engine: str) -> dict[str, str]:
    """The digests of the weights of an engine by their ids."""
    return {
        str(record["id"]): digest
        for digest, record in weights_records().items()
        if record.get("engine") == engine and "id" in record
    }


def check_weights(digest: str, engine: Engine) -> Path:
    """Compare weights with their digest, file by file, and return their folder.

    Raises:
        BadInputError: they are not there.
        DamagedFileError: a file was changed, added or removed.
    """
    folder = weights_folder(digest)
    again = f"voxmatrix engines install {engine.name} with its weights"
    if not folder.is_dir():
        raise BadInputError(f"the weights {digest[:12]} of the engine {engine.name} are not in {folder.parent}", again)
    found = {path.relative_to(folder).as_posix(): content_digest(path) for path in _files(folder)}
    if weights_digest(found) == digest:
        return folder
    known = next((weights.files for weights in engine.manifest.weights if weights.digest == digest), {})
    wrong = sorted(name for name, file in known.items() if found.get(name) != file.sha256)
    named = f": {', '.join(wrong[:3])}" if wrong else ""
    raise DamagedFileError(
        f"the weights in {folder} are not what was installed{named}", f"remove the folder, then {again}"
    )


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
