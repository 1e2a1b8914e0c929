"""Uploaded files, each in a folder of its own, until jobs take them or a day has passed.

A ZIP of recordings is unpacked. What its headers say is not believed: names are checked, and bytes counted.
"""

import asyncio
import json
import os
import re
import shutil
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

import voxmatrix
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_text_or_empty, storage_errors, write_text
from voxmatrix.serve.errors import ApiError

_MAX_FILES = 200_000
_MAX_BYTES = 64 * 2**30
#: Left free for everything else on that disk.
_SPARE_BYTES = 2**30
#: Sound is compressed to half of it; text to a tenth.
_MAX_RATIO = 100
_RATIO_COUNTS_FROM = 2**24
_BLOCK = 2**20
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    NotImplementedError,
    LookupError,
    RuntimeError,  # a file with a password
)
_REMEDY = "make a ZIP of the folder with the recordings and their texts"


def unpack_recordings(source: Path, folder: Path, stopped: Callable[[], bool]) -> None:
    """Unpack into `folder`, unless it exists; a single folder at the top of the archive becomes `folder`.

    Raises:
        BadInputError: it is not a ZIP archive, or has names or sizes that recordings do not have.
        UnreachableError: the disk is full.
    """
    if folder.exists():
        return
    beside = folder.with_name(f"{folder.name}.part")
    with storage_errors(folder):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        try:
            with zipfile.ZipFile(source) as archive:
                _unpack(archive, beside, stopped)
        except _BROKEN as error:
            raise BadInputError(f"{source.name} cannot be unpacked: {error}", _REMEDY) from error
        if stopped():
            return
        entries = list(beside.iterdir())
        top = entries[0] if len(entries) == 1 and entries[0].is_dir() else beside
        top.rename(folder)
        shutil.rmtree(beside, ignore_errors=True)


def _unpack(archive: zipfile.ZipFile, folder: Path, stopped: Callable[[], bool]) -> None:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > _MAX_FILES:
        raise BadInputError(f"the archive has {len(members):,} files; at most {_MAX_FILES:,} are unpacked", _REMEDY)
    left = min(_MAX_BYTES, shutil.disk_usage(folder).free - _SPARE_BYTES)
    for member in members:
        if stopped():
            return
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if name.parts[:1] == ("__MACOSX",) or name.name == ".DS_Store":
            continue
        _check_name(member, name)
        out = folder.joinpath(*name.parts)
        out.parent.mkdir(parents=True, exist_ok=True)
        left = _copy(archive, member, out, left)


def _check_name(member: zipfile.ZipInfo, name: PurePosixPath) -> None:
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise BadInputError(f"{str(name)!r} in the archive is not a regular file", _REMEDY)
    if name.is_absolute() or ".." in name.parts or not name.parts or ":" in name.parts[0] or "\0" in str(name):
        raise BadInputError(f"{str(name)!r} in the archive leads out of its folder", _REMEDY)


def _copy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, out: Path, left: int) -> int:
    """Unpack a file of at most `left` bytes, and return how many are left."""
    size = 0
    with archive.open(member) as packed, out.open("xb") as file:
        while block := packed.read(_BLOCK):
            size += len(block)
            if size > left:
                raise BadInputError("the archive needs more space than is available", "free some space, or upload less")
            if size > _RATIO_COUNTS_FROM and size > _MAX_RATIO * max(1, member.compress_size):
                raise BadInputError(f"{member.filename!r} in the archive unpacks to too much", _REMEDY)
            file.write(block)
    return left - size


def link(source: Path, target: Path) -> Path:
    """Give a file another path, without copying it where that is possible. Neither is written to afterwards.

    Raises:
        UnreachableError: the disk is full.
    """
    with storage_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:  # a file system without links
            shutil.copyfile(source, target)
    return target


#: Ids of uploads and jobs.
ID = re.compile(r"[0-9a-f]{32}")
#: What is left of a name.
_NAME_CHARACTERS = re.compile(r"[^\w .()+&,'!-]")
_MAX_NAME_CHARACTERS = 100
#: Begins the name of a file that is not complete; no name that is kept begins with it.
_PART = "."
#: Beside an upload: what is in the book, and that a job has it.
_CONTENTS, _TAKEN = f"{_PART}contents.json", f"{_PART}taken"
_KEPT_SECONDS = 24 * 3600.0


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that was uploaded completely."""

    id: str
    path: Path

    def to_json(self) -> dict[str, object]:
        """The upload as clients see it."""
        return {"id": self.id, "name": self.path.name, "bytes": self.path.stat().st_size}


class Uploads:
    """All uploads in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._saved: dict[str, float] = {}  # by name, when; a wrong clock that is set right ages none of them

    async def save(self, name: str, blocks: AsyncIterator[bytes]) -> Upload:
        """Write a file as it arrives. Nothing is left of one that does not arrive completely.

        Raises:
            ApiError: it is empty.
            UnreachableError: the disk is full.
        """
        identity = uuid4().hex
        folder = self._folder / identity
        path = folder / f"{_PART}{_safe_name(name)}"
        try:
            with storage_errors(path):
                await asyncio.to_thread(folder.mkdir, parents=True)
                size = await _write(path, blocks)
            if not size:
                raise ApiError(400, "the file is empty", param="body", code="invalid_value")
            final = path.with_name(path.name.removeprefix(_PART))
            path.rename(final)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._saved[identity] = time.monotonic()
        return Upload(id=identity, path=final)

    def get(self, identity: str) -> Upload:
        """A complete upload.

        Raises:
            ApiError: there is none with this id.
        """
        folder = self._folder / identity
        if ID.fullmatch(identity) and folder.is_dir():
            for path in folder.iterdir():
                if path.is_file() and not path.name.startswith(_PART):
                    return Upload(id=identity, path=path)
        raise ApiError(
            404, "there is no such file; it may have been removed after a day", param="file", code="not_found"
        )

    def take(self, identity: str, folder: Path) -> Path:
        """Give a job the file, under its own name in `folder`; the upload remains.

        Raises:
            ApiError: there is no such upload.
            UnreachableError: the disk is full.
        """
        path = self.get(identity).path
        with storage_errors(path):
            (path.parent / _TAKEN).touch()
        return link(path, folder / path.name)

    def keep_contents(self, identity: str, contents: dict[str, Any]) -> None:
        """Keep what was found in a book, for as long as the book.

        Raises:
            ApiError: there is no such upload.
            UnreachableError: the disk is full.
        """
        write_text(self.get(identity).path.parent / _CONTENTS, json.dumps([voxmatrix.__version__, contents]))

    def contents(self, identity: str) -> dict[str, Any] | None:
        """What this version has found in a book; None: nobody has opened it.

        Raises:
            ApiError: there is no such upload.
        """
        try:
            version, found = json.loads(read_text_or_empty(self.get(identity).path.parent / _CONTENTS))
        except ValueError:
            return None
        return found if version == voxmatrix.__version__ else None

    def drafts(self) -> list[tuple[Upload, dict[str, Any], float]]:
        """Books that were opened, and no job has taken: with their contents, and when; the newest first."""
        found = []
        for path in self._folder.glob(f"*/{_CONTENTS}"):
            with suppress(ApiError, OSError):  # it is just being removed
                contents = self.contents(path.parent.name)
                if contents is not None and not (path.parent / _TAKEN).exists():
                    found.append((self.get(path.parent.name), contents, path.stat().st_mtime))
        return sorted(found, key=lambda draft: draft[2], reverse=True)

    def remove(self, identity: str) -> None:
        """Remove an upload.

        Raises:
            ApiError: there is no such upload.
        """
        shutil.rmtree(self.get(identity).path.parent, ignore_errors=True)

    def tidy(self) -> None:
        """Remove uploads of more than a day ago, and those that an earlier server did not complete."""
        if not self._folder.is_dir():
            return
        with storage_errors(self._folder):
            for folder in self._folder.iterdir():
                saved = self._saved.get(folder.name)
                age = time.time() - folder.stat().st_mtime if saved is None else time.monotonic() - saved
                if age > _KEPT_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)


def _safe_name(name: str) -> str:
    """The last part of a name, with harmless characters only; never empty, never hidden."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, suffix = _NAME_CHARACTERS.sub("_", last).strip(" .").rpartition(".")
    stem, suffix = (stem, dot + suffix[:16]) if dot else (suffix, "")
    return (stem.strip(" .")[:_MAX_NAME_CHARACTERS] or "file") + suffix


async def _write(path: Path, blocks: AsyncIterator[bytes]) -> int:
    """Write blocks to a new file, flushed, and return its size."""
    size = 0
    with path.open("xb", buffering=0) as file:
        waiting = bytearray()

        def flush() -> None:
            rest = memoryview(bytes(waiting))
            while rest:  # a nearly full disk may accept only a part
                rest = rest[file.write(rest) or 0 :]
            waiting.clear()

        async for block in blocks:
            size += len(block)
            waiting += block
            if len(waiting) >= _BLOCK:
                await asyncio.to_thread(flush)
        await asyncio.to_thread(flush)
        await asyncio.to_thread(os.fsync, file.fileno())
    return size
