"""What was prepared for a voice, kept in the folder `cache/prepared`, so that it opens faster the next time.

The graphs refer to weights in the file of the voice by their place, so that an entry belongs to that file: to its path,
size, times and number. Whatever is wrong with an entry, or with writing one, the voice is prepared again.

An image has entries for the voices that come along, since a container often starts with an empty home. Its files have
other times and numbers on each computer, so that these entries belong to the content of the file. No entry depends on
the processor: onnxruntime packs weights for it when it opens a session.
"""

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.compute.memory import free_cached
from voxmatrix.config import bundled_folders, home, shared_prepared
from voxmatrix.piper.onnx.parts import ModelPart, SplitModel
from voxmatrix.piper.onnx.receptive_field import ReceptiveField

#: Part of the key of each entry: to be increased when what is prepared changes.
_VERSION = 4
_KINDS = _SPLIT, _REWRITTEN, _WHOLE = "split", "rewritten", "whole"
_CONTENT, _WEIGHTS = "content", "weights.bin"
#: Of SplitModel, those that are JSON as they are.
_FACTS = ("boundary", "as_conv2d", "uses_conv2d", "has_int8")
#: Smaller weights remain in their graph.
_MIN_BYTES = 4096
_ALIGNMENT = 64
_BLOCK_BYTES = 1 << 24
#: Entries that were not used for this long are removed when another one is written.
_KEPT_DAYS = 30
_SECONDS_A_DAY = 86400

#: Facts of an entry, as JSON.
Facts = Mapping[str, Any]


def load_split(path: Path, *, rewritten: bool) -> SplitModel | None:
    """The halves of the voice in `path`, perhaps with fewer operations; None if they are not stored, or damaged."""
    found = _load(path, _REWRITTEN if rewritten else _SPLIT)
    if found is None:
        return None
    facts, (first, second) = found
    with suppress(KeyError, TypeError):
        return SplitModel(
            first,
            second,
            **{name: facts[name] for name in _FACTS},
            inputs=frozenset(facts["inputs"]),
            receptive_field=ReceptiveField(*facts["receptive_field"]),
            is_rewritten=rewritten,
        )
    return None


def store_split(
    path: Path, split: SplitModel, first: Any = None, is_right: Callable[[ModelPart], bool] = lambda _: True
) -> None:
    """Store the halves of the voice in `path` if that is possible.

    `first`: an onnx.ModelProto to be stored as the first half, with all its weights. They are taken from it, so that
    they are in memory once; `is_right` tells whether what was written is to be kept.
    """
    field = split.receptive_field
    facts = {name: getattr(split, name) for name in _FACTS}
    facts |= {"inputs": sorted(split.inputs), "receptive_field": [field.margin, field.hop]}
    parts = {split.first: first, split.second: None}
    _store(path, _REWRITTEN if split.is_rewritten else _SPLIT, facts, parts, is_right)


def load_whole(path: Path) -> tuple[ModelPart, frozenset[str]] | None:
    """The voice in `path` in one part, and its inputs; None if it is not stored, or damaged."""
    found = _load(path, _WHOLE)
    if found is None:
        return None
    facts, (whole,) = found
    return whole, frozenset(facts["inputs"])


def is_whole(path: Path) -> bool:
    """Whether the voice in `path` is stored in one part; the entry is not read."""
    with suppress(OSError):
        return any((folder / _CONTENT).is_file() for folder in _folders(path, _WHOLE))
    return False


def store_whole(path: Path, whole: ModelPart, inputs: frozenset[str]) -> None:
    """Store the voice in `path`, which cannot be split, if that is possible."""
    _store(path, _WHOLE, {"inputs": sorted(inputs)}, {whole: None})


def remove(path: Path) -> None:
    """Forget what is stored for the voice in `path` in this home."""
    with suppress(OSError):
        for kind in _KINDS:
            shutil.rmtree(_folder(path, kind), ignore_errors=True)


def share(path: Path) -> None:
    """Move what is stored in this home for the voice in `path` to where the users of an image find it.

    Raises:
        OSError: nothing is stored for it, or it cannot be moved.
    """
    kinds = [kind for kind in _KINDS if _folder(path, kind).is_dir()]
    if not kinds:
        raise FileNotFoundError(f"nothing is prepared for {path}")
    shared_prepared().mkdir(exist_ok=True)
    for kind in kinds:
        shutil.copytree(_folder(path, kind), _shared_folder(path, kind))
    remove(path)


def _load(path: Path, kind: str) -> tuple[Facts, list[ModelPart]] | None:
    """What was stored for the voice in `path`; None if there is nothing, or it is damaged."""
    with suppress(OSError):
        return next((found for folder in _folders(path, kind) if (found := _read(path, folder)) is not None), None)
    return None


def _read(path: Path, folder: Path) -> tuple[Facts, list[ModelPart]] | None:
    """The entry for the voice in `path` in this folder; None if there is none, or it is damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        digest, _, written = (folder / _CONTENT).read_bytes().partition(b"\n")
        if digest.decode() != hashlib.sha256(written).hexdigest():
            return None
        content = json.loads(written)
        if content["weights"] != _checksum(folder / _WEIGHTS):
            return None
        parts = []
        for number, part in enumerate(content["parts"]):
            model = (folder / f"{number}.onnx").read_bytes()
            if part["sha256"] != hashlib.sha256(model).hexdigest():
                return None
            weights = folder if part["has_weights"] else path.parent
            facts = (part["output"], weights, part["frames"], part["noise_per_id"])
            parts.append(ModelPart(model, frozenset(part["inputs"]), *facts))
        with suppress(OSError):
            os.utime(folder)
        return content["facts"], parts
    return None


def _store(
    path: Path,
    kind: str,
    facts: Facts,
    parts: Mapping[ModelPart, Any],
    is_right: Callable[[ModelPart], bool] = lambda _: True,
) -> None:
    """Store parts of the voice in `path`: their models as they are, or those given for them with all their weights.

    Nothing is stored unless the first part `is_right` as it was written.
    """
    with suppress(OSError, ValueError):
        folder = _folder(path, kind)
        beside = folder.with_name(f".{folder.name}.{os.getpid()}-{secrets.token_hex(4)}")
        try:
            beside.mkdir(parents=True)
            content: dict[str, Any] = {"facts": dict(facts), "parts": []}
            with (beside / _WEIGHTS).open("wb") as weights:
                for number, (part, whole) in enumerate(parts.items()):
                    model = _with_weights(whole, path, weights) if whole is not None else part.model or b""
                    (beside / f"{number}.onnx").write_bytes(model)
                    content["parts"].append(
                        {
                            "inputs": sorted(part.inputs),
                            "output": part.output,
                            "frames": part.frames,
                            "noise_per_id": part.noise_per_id,
                            "has_weights": whole is not None,
                            "sha256": hashlib.sha256(model).hexdigest(),
                        }
                    )
            content["weights"] = _checksum(beside / _WEIGHTS)
            written = json.dumps(content).encode()
            (beside / _CONTENT).write_bytes(hashlib.sha256(written).hexdigest().encode() + b"\n" + written)
            written_parts = _read(path, beside)
            if written_parts is None or not is_right(written_parts[1][0]):
                return
            if _read(path, folder) is None:  # no other process was faster
                shutil.rmtree(folder, ignore_errors=True)
                beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        _remove_unused(folder.parent)


def _folders(path: Path, kind: str) -> Iterator[Path]:
    """Where an entry for the voice in `path` may be: in the home, and that of an image for a voice that came along."""
    yield _folder(path, kind)
    if path.parent in bundled_folders() and shared_prepared().is_dir():
        yield _shared_folder(path, kind)


def _folder(path: Path, kind: str) -> Path:
    return home() / "cache" / "prepared" / _name(kind, str(path), *_state(path))


def _shared_folder(path: Path, kind: str) -> Path:
    return shared_prepared() / _name(kind, path.name, _digest(path, _state(path)))


def _name(kind: str, *voice: object) -> str:
    runtime = import_onnxruntime().__version__  # which has operations of its own in fused graphs
    return f"{hashlib.sha256(json.dumps([_VERSION, runtime, *voice]).encode()).hexdigest()[:32]}-{kind}"


def _state(path: Path) -> tuple[int, ...]:
    file = path.stat()
    return file.st_size, file.st_mtime_ns, file.st_ctime_ns, file.st_ino


@cache
def _digest(path: Path, _: tuple[int, ...]) -> str:
    """The SHA-256 of the file in `path` as long as it has this state: it is asked for each kind of entry."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(path: Path) -> list[int]:
    """Size and sum, which takes a tenth of the time of a SHA-256: on every start, of some 60 MB."""
    size = path.stat().st_size
    total = 0
    for start in range(0, size, _BLOCK_BYTES):  # what is mapped counts as memory of this process
        words = min(_BLOCK_BYTES, size - start) // 8
        total += int(np.memmap(path, np.uint64, "r", start, (words,)).sum(dtype=np.uint64))
    return [size, total % 2**64]


def _with_weights(model: Any, path: Path, file: IO[bytes]) -> bytes:
    """This onnx.ModelProto, its large weights moved into the file.

    Raises:
        ValueError: some are in another file than the voice, which may change.
    """
    from voxmatrix.piper.onnx.graph_edits import leave_outside

    with path.open("rb") as voice:
        for tensor in model.graph.initializer:
            values = _values(tensor, voice, path.name)
            if len(values) >= _MIN_BYTES:
                leave_outside(tensor, _WEIGHTS, file.tell(), len(values))
                file.write(values)
                file.write(bytes(-file.tell() % _ALIGNMENT))
    free_cached(None)  # the weights, before they are read from the file
    return bytes(model.SerializeToString())


def _values(tensor: Any, voice: IO[bytes], name: str) -> bytes:
    """The bytes of a constant of the voice that has this name; empty if they are in the graph in another form.

    Raises:
        ValueError: they are in another file.
    """
    if not tensor.external_data:
        return bytes(tensor.raw_data)
    places = {entry.key: entry.value for entry in tensor.external_data}
    if places["location"] != name:
        raise ValueError(f"{tensor.name} is in {places['location']}")
    voice.seek(int(places["offset"]))
    return voice.read(int(places["length"]))


def _remove_unused(folder: Path) -> None:
    """Remove old entries, and what killed processes have left."""
    oldest = time.time() - _KEPT_DAYS * _SECONDS_A_DAY
    for entry in folder.iterdir():
        if entry.stat().st_mtime < oldest:
            shutil.rmtree(entry, ignore_errors=True)
