"""Uploaded files, each in a folder of its own, until jobs take them or a day has passed."""

import asyncio
import os
import re
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from voxmatrix.files import storage_errors
from voxmatrix.serve.errors import ApiError


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
_BLOCK = 2**20
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

    async def save(self, name: str, blocks: AsyncIterator[bytes]) -> Upload:
        """Write a file as it arrives. Nothing is left of one that does not arrive completely.

        Raises:
            ApiError: it is empty.
            UnreachableError: the disk is full.
        """
        identity = uuid4().hex
        folder = self._folder / identity
        path = folder / f"{_PART}{safe_name(name)}"
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
        return link(path, folder / path.name)

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
        for folder in self._folder.iterdir():
            if time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def safe_name(name: str) -> str:
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
