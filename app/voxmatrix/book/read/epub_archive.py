"""An EPUB's ZIP archive, read within limits that are counted while reading: what its headers say is not believed."""

import io
import posixpath
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.closing import Closeable
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.wording import quoted

MIB = 2**20
#: A list of 50,000 files with names of 60 characters fits.
MAX_DIRECTORY_BYTES = 8 * MIB
MAX_MEMBERS = 50_000
MAX_MEMBER_BYTES = 12 * MIB
#: Python takes up to four times as much for it. War and Peace has 4 MiB, and the Mahabharata 36 MiB in a large archive.
MAX_TOTAL_BYTES = 32 * MIB
#: A large archive may have more than that: so many times its size, and this much.
_TIMES_ITS_SIZE, _MOST_BYTES = 8, 256 * MIB
#: Text is compressed to a third or a sixth; some 1000 is the most that deflate can do.
MAX_RATIO = 100
#: Below this size, any ratio is harmless.
_RATIO_COUNTS_FROM = MIB
#: Pictures, sound and fonts, which are copied and never held in memory, may have so many times the size of the archive,
#: and this much more: text that is compressed.
_COPIED_TIMES, _COPIED_MORE = 4, 256 * MIB
_BLOCK = 64 * 1024
_ENCRYPTED_FLAG = 0x1
#: What zipfile raises for damaged archives; NotImplementedError: a header names a compression that it does not have.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    LookupError,
)
DAMAGED = "download or copy it again; if it opens in a reader, convert it: ebook-convert OLD.epub NEW.epub"
_HOSTILE = "do not open it: no book needs that much"
_DIVIDE = "divide it into several books, e.g. with Calibre's EpubSplit"


class Archive(Closeable):
    """The files of an archive by their names, nothing else: paths are names, and nothing is ever written to disk."""

    def __init__(self, path: Path) -> None:
        """Read the list of files.

        Raises:
            BadInputError: it is not a ZIP archive, or a hostile one.
        """
        self.path = path
        self.findings: list[Finding] = []
        self._file = path.open("rb")
        self._size = path.stat().st_size
        self._limit = max(MAX_TOTAL_BYTES, min(_TIMES_ITS_SIZE * self._size, _MOST_BYTES))
        self._left = self._limit
        self._copied_left = _COPIED_TIMES * self._size + _COPIED_MORE
        try:
            self._zip = zipfile.ZipFile(_Bounded(self._file, self._size, path))
        except _BROKEN as error:
            self._file.close()
            raise BadInputError(f"{path} is not an EPUB: {error}", DAMAGED) from error
        except BaseException:
            self._file.close()
            raise
        try:
            self._members = self._listed()
        except BaseException:
            self._file.close()
            raise
        self._folded = {_folded(name): name for name in self._members}

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> tuple[str, ...]:
        """All files, in the order of the archive."""
        return tuple(self._members)

    def find(self, name: str) -> str | None:
        """The name of a file as it is in the archive: exact, or else with other capitals or composed letters."""
        return name if name in self._members else self._folded.get(_folded(name))

    def encrypted(self) -> bool:
        """Whether a file needs a password."""
        return any(member.flag_bits & _ENCRYPTED_FLAG for member in self._members.values())

    def read(self, name: str) -> bytes:
        """The content of a file that `find` named.

        Raises:
            BadInputError: it is damaged, or larger than a book needs.
        """
        data = bytearray()
        for block in self._blocks(name):
            data += block
            self._left -= len(block)
            self._check(name, len(data))
        return bytes(data)

    def blocks(self, name: str) -> Iterator[bytes]:
        """The content of a file that `find` named, in pieces: one that is copied may be larger than one that is read.

        Raises:
            BadInputError: it is damaged, or more is copied than the size of the archive lets expect.
        """
        size = 0
        for block in self._blocks(name):
            size += len(block)
            self._copied_left -= len(block)
            self._check_ratio(name, size)
            if self._copied_left < 0:
                raise BadInputError(f"{self.path} is refused as a possible ZIP bomb: its files are too large", _HOSTILE)
            yield block

    def is_stored(self, name: str) -> bool:
        """Whether a file is not compressed, as pictures are."""
        return self._members[name].compress_type == zipfile.ZIP_STORED

    def _blocks(self, name: str) -> Iterator[bytes]:
        member = self._members[name]
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others may ask for gigabytes
            problem = f"{name} in {self.path} is compressed by method {member.compress_type}, which EPUB does not allow"
            raise BadInputError(problem, DAMAGED)
        try:
            with self._zip.open(member) as file:
                while block := file.read(_BLOCK):
                    yield block
        except _BROKEN as error:
            raise BadInputError(f"{name} in {self.path} is damaged: {error}", DAMAGED) from error
        except RuntimeError as error:  # zipfile's answer to a file with a password
            raise BadInputError(f"{name} in {self.path} cannot be read: {error}", DAMAGED) from error

    def _check_ratio(self, name: str, size: int) -> None:
        compressed = min(self._members[name].compress_size, self._size)
        if size > _RATIO_COUNTS_FROM and size > MAX_RATIO * compressed:
            bomb = f"{self.path} is refused as a possible ZIP bomb: {name} is compressed to less than 1/{MAX_RATIO}"
            raise BadInputError(bomb, _HOSTILE)

    def _check(self, name: str, size: int) -> None:
        self._check_ratio(name, size)
        if size > MAX_MEMBER_BYTES:
            raise BadInputError(f"{self.path}: {name} has more than {MAX_MEMBER_BYTES // MIB} MiB", _DIVIDE)
        if self._left < 0:
            raise BadInputError(f"{self.path} has more than {self._limit // MIB} MiB of text", _DIVIDE)

    def _listed(self) -> dict[str, zipfile.ZipInfo]:
        members = [member for member in self._zip.infolist() if not member.is_dir()]
        if len(members) > MAX_MEMBERS:
            problem = f"{self.path} is refused: it has {len(members):,} files, and {MAX_MEMBERS:,} is the limit"
            raise BadInputError(problem, _HOSTILE)
        links = [member for member in members if stat.S_ISLNK(member.external_attr >> 16)]
        plain = [member for member in members if not stat.S_ISLNK(member.external_attr >> 16)]
        self.findings += [_ignored(f"{quoted(link.filename)} is a symbolic link; it is ignored") for link in links]
        counts = Counter(_name(member) for member in plain)
        self.findings += [
            _ignored(f"the archive has {number} files called {quoted(name)}; the last one is read")
            for name, number in counts.items()
            if number > 1
        ]
        return {_name(member): member for member in plain}


class _Bounded(io.RawIOBase):
    """A file that refuses to be read in one large piece, as zipfile does with the list of files."""

    def __init__(self, file: io.BufferedIOBase, size: int, path: Path) -> None:
        self._file = file
        self._size = size
        self._path = path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self._size - self._file.tell())
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > MAX_DIRECTORY_BYTES:
            raise BadInputError(f"{self._path} is refused: its list of files has {wanted // MIB} MiB", _HOSTILE)
        return self._file.read(wanted)


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.replace("\\", "/")


def is_inner(name: str) -> bool:
    """Whether a name, as the path of a file, stays within the folder into which an archive is unpacked."""
    steps = name.split("/")
    is_drive = name[1:2] == ":" and name[:1].isalpha()
    leads_out = posixpath.isabs(name) or is_drive or "\\" in name or {"", ".", ".."} & set(steps)
    return not leads_out and all(char >= " " and char != "\x7f" for char in name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _ignored(problem: str) -> Finding:
    return Finding(problem=problem, remedy="check that the right text is read", severity="warning")
