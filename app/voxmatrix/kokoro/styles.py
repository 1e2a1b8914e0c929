"""The styles of Kokoro's voices: what makes the one network speak like somebody, and mixtures of several."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import content_digest, read_errors, replacing
from voxmatrix.models.card import joint_digest

#: A style for each number of phonemes that the network takes at once.
MAX_IDS = 510
WIDTH = 256
BYTES = MAX_IDS * WIDTH * 4
SUFFIX = ".bin"
#: That are kept: any client of a server may ask for one, of half a MiB.
_MAX_MIXTURES = 200
_PART = re.compile(r"([a-z]{2}_[a-z0-9_]+)(?:\((\d{1,3}(?:\.\d{1,3})?)\))?", re.ASCII)


def read_styles(path: Path) -> Any:
    """The table of a voice, float32 (510, 256): the row for a number of phonemes is that number less one.

    The letter of another language may follow it, so that the voice has another digest.

    Raises:
        DamagedFileError: it is no such table.
        UnreachableError: it cannot be read.
    """
    with read_errors(path):
        content = path.read_bytes()
    table = np.frombuffer(content[:BYTES], "<f4") if is_size(len(content)) else np.zeros(0, np.float32)
    if not len(table) or not np.isfinite(table).all():
        raise DamagedFileError(
            f"{path} ({len(content):,} bytes) is not a voice of Kokoro, which has {BYTES:,} bytes",
            "copy or download the voice again",
        )
    return table.reshape(MAX_IDS, WIDTH)


def is_size(size: int) -> bool:
    """Whether the file of a voice may have this size."""
    return size in (BYTES, BYTES + 1)


def language_letter(path: Path) -> str:
    """The letter of the language that a voice speaks: what follows its table, else the first of its name."""
    with read_errors(path), path.open("rb") as file:
        file.seek(BYTES)
        return file.read(1).decode("ascii", "replace") or path.stem[:1]


def parts_of(name: str) -> dict[str, float]:
    """The voices of a mixture such as `af_heart(2)+af_bella(1)`, each with its share; empty if it is none.

    Raises:
        BadInputError: no share is above 0.
    """
    matches = [_PART.fullmatch(part.strip()) for part in name.split("+")]
    if len(matches) == 1 and matches[0] and matches[0][2] is None:
        return {}
    shares: dict[str, float] = {}
    for match in matches:
        if match is None:
            return {}
        shares[match[1]] = shares.get(match[1], 0.0) + float(match[2] or 1)
    total = sum(shares.values())
    if not total:
        raise BadInputError(f"the voice {name!r} is a mixture of nothing", "give one of its voices a share above 0")
    return {part: share / total for part, share in shares.items() if share}


def _make_room(folder: Path) -> None:
    """Remove the oldest mixtures of many, which are made again when they are wanted."""
    files = sorted(folder.glob(f"*/*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
    for path in files[: 1 - _MAX_MIXTURES]:
        path.unlink(missing_ok=True)


def mix(name: str, shares: Mapping[Path, float], folder: Path, language: str = "") -> Path:
    """Write the mixture of voices into a folder of its own, unless it is there; returns the file.

    `language` is the letter of that which it speaks, if its name begins with another one.

    Raises:
        DamagedFileError: a voice is corrupt.
        UnreachableError: the folder cannot be written to.
    """
    place = folder / joint_digest(content_digest(path) for path in shares)[:16] / f"{name}{SUFFIX}"
    if not place.exists():
        table = sum(np.float32(share) * read_styles(path) for path, share in shares.items())
        place.parent.mkdir(parents=True, exist_ok=True)
        _make_room(folder)
        with replacing(place) as file:
            file.write(np.asarray(table, "<f4").tobytes() + language.encode())
    return place
