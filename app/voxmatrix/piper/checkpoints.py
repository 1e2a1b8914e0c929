"""Piper's public checkpoints, to train further: their list, fetched at run time, and the file of one.

The list is what the hub says of its dataset (`GET /api/datasets/NAME?blobs=true`): the commit, and each file with its
size and SHA-256. A checkpoint is in a folder that names its voice: en/en_US/lessac/medium/epoch=2164-step=1355540.ckpt.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from voxmatrix.config import home
from voxmatrix.download import RemoteFile, download, hub_endpoint, read_remote
from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError, VoxmatrixError
from voxmatrix.files import read_text_or_empty, storage_errors, write_text
from voxmatrix.lock import locked
from voxmatrix.models.library import License
from voxmatrix.piper.files import PUBLIC_NAME
from voxmatrix.piper.library import INDEX_SECONDS, LIBRARY, UNKNOWN, license_in, table
from voxmatrix.progress import OnProgress

_SUFFIX, _CARD = ".ckpt", "MODEL_CARD"
_MAX_LIST_BYTES, _MAX_CARD_BYTES = 16 * 2**20, 2**20
#: The remedy for who cannot download one.
OFFLINE = "download it elsewhere, and give its file as `from`"


@dataclass(frozen=True, kw_only=True)
class PublicCheckpoint:
    """A checkpoint that can be trained further."""

    name: str  # of its voice: en_US-lessac-medium
    folder: str
    file: RemoteFile
    has_card: bool  # a MODEL_CARD is beside it
    commit: str

    @property
    def language(self) -> str:
        """As espeak-ng names it: en-us."""
        return self.name.partition("-")[0].replace("_", "-").lower()

    @property
    def quality(self) -> str:
        """The quality to train with."""
        return self.name.rpartition("-")[2]


def checkpoints() -> dict[str, PublicCheckpoint]:
    """All of them by name; the list is fetched once a day.

    Raises:
        DamagedFileError: it is not what the hub answers.
        UnreachableError: it cannot be fetched, and never was.
    """
    kept = home() / "cache" / "piper-checkpoints.json"
    known = None
    with suppress(DamagedFileError):
        known = parse_list(read_text_or_empty(kept).encode())
    if known is None or not 0 <= time.time() - kept.stat().st_mtime < INDEX_SECONDS:
        try:
            address = f"{hub_endpoint()}/api/datasets/{table()['checkpoints']}?blobs=true"
            content, _ = read_remote(address, _MAX_LIST_BYTES, offline=OFFLINE)
            known = parse_list(content)
            write_text(kept, content.decode("utf-8"))
        except UnreachableError:
            if known is None:
                raise
    return known


def parse_list(content: bytes) -> dict[str, PublicCheckpoint]:
    """The checkpoints of a list; of several of one voice the one that was trained longest.

    Raises:
        DamagedFileError: it is no such list.
    """
    try:
        about = parse_json(content)
        found = sorted(_checkpoints(about["siblings"], str(about["sha"])), key=_trained)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFileError(
            f"the hub has no list of checkpoints: {error}", "check HF_ENDPOINT, or try later"
        ) from error
    known = {one.name: one for one in found}
    return {name: known[name] for name in sorted(known)}


def find(name: str) -> PublicCheckpoint:
    """The checkpoint of this name.

    Raises:
        BadInputError: there is none; DamagedFileError, UnreachableError: as `checkpoints`.
    """
    known = checkpoints()
    if name not in known:
        raise BadInputError(
            f"there is no public checkpoint {name!r}", "voxmatrix voices search --checkpoints lists them"
        )
    return known[name]


def place_of(name: str) -> Path:
    """Where the checkpoint of this name is once it was downloaded."""
    return home().absolute() / "checkpoints" / f"{name}{_SUFFIX}"


def license_of(checkpoint: PublicCheckpoint) -> License:
    """The licence that its model card names, or else that of the voice."""
    if checkpoint.has_card:
        content, _ = read_remote(f"{_address(checkpoint)}/{_CARD}", _MAX_CARD_BYTES, offline=OFFLINE)
        return license_in(content.decode("utf-8", "replace"))
    with suppress(VoxmatrixError):
        voice = LIBRARY.voices().get(checkpoint.name)
        if voice is not None:
            return LIBRARY.license_of(voice)
    return License(words=UNKNOWN, permissive=False)


def install(checkpoint: PublicCheckpoint, license: License, *, accepted: bool, on_progress: OnProgress) -> Path:
    """Download a checkpoint, unless it is there; the result is its file.

    Raises:
        UsageError: the licence is not accepted, or another process downloads.
        BadInputError, DamagedFileError, UnreachableError: as `download`.
    """
    place, downloads = place_of(checkpoint.name), home() / "cache" / "downloads"
    with locked(downloads, "download", "wait for it"):
        if checkpoint.file.is_at(place):
            return place
        license.check(checkpoint.name, accepted=accepted)
        folder = downloads / "checkpoints" / checkpoint.name
        path = download(checkpoint.file, _address(checkpoint), folder, on_progress, offline=OFFLINE)
        about = {"source": f"{_address(checkpoint)}/{checkpoint.file.name}", "license": license.words}
        write_text(place.with_name(f"{place.name}.source.json"), json.dumps(about, ensure_ascii=False, indent=2))
        with storage_errors(place):
            shutil.move(path, place)
        shutil.rmtree(folder, ignore_errors=True)
    return place


def _checkpoints(files: list[Mapping[str, Any]], commit: str) -> Iterator[PublicCheckpoint]:
    cards = {str(PurePosixPath(each["rfilename"]).parent) for each in files if each["rfilename"].endswith(f"/{_CARD}")}
    for each in files:
        path = PurePosixPath(each["rfilename"])
        name = "-".join(path.parts[1:-1])
        stored = each.get("lfs")
        if path.suffix == _SUFFIX and PUBLIC_NAME.fullmatch(name) and stored:
            file = RemoteFile(name=path.name, size=int(stored["size"]), sha256=str(stored["sha256"]))
            folder = str(path.parent)
            yield PublicCheckpoint(name=name, folder=folder, file=file, has_card=folder in cards, commit=commit)


def _trained(checkpoint: PublicCheckpoint) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", checkpoint.file.name)]


def _address(checkpoint: PublicCheckpoint) -> str:
    return f"{hub_endpoint()}/datasets/{table()['checkpoints']}/resolve/{checkpoint.commit}/{quote(checkpoint.folder)}"
