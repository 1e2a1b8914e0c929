"""Unpack a ZIP of recordings. What its headers say is not believed: names are checked, and bytes counted."""

import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from voxmatrix.errors import BadInputError
from voxmatrix.files import storage_errors

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
