"""The shelf: finished sentences of each book, for all audiobooks that are made of its file."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voxmatrix.book.content import Book
from voxmatrix.config import home
from voxmatrix.files import storage_errors, write_text
from voxmatrix.lock import check_unlocked
from voxmatrix.work.ledger_files import kept

#: In the folder of a book.
_ABOUT = "book.json"


@dataclass(frozen=True, kw_only=True)
class ShelvedBook:
    """What is kept of a book."""

    folder: Path
    source: Path | None  # None: not known, or the ledger of an earlier version
    title: str
    sentences: int
    seconds: float  # of speech
    size: int  # bytes
    used: datetime  # in UTC

    @property
    def name(self) -> str:
        """What it is called: its title, else its file, else its folder."""
        return self.title or (self.source.name if self.source else self.folder.name)


def job_folder(source: Path) -> Path:
    """The folder in which the finished sentences of a book are kept, whatever is made of them."""
    return home() / "jobs" / f"book-{path_digest(source)}"


def path_digest(path: Path) -> str:
    """16 hexadecimal digits for a path."""
    return hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def note_book(folder: Path, source: Path, book: Book) -> None:
    """Write down whose sentences are in a folder.

    Raises:
        UnreachableError: the folder cannot be written.
    """
    about = {"source": str(source.resolve()), "title": book.title}
    text = json.dumps(about) + "\n"
    if not (folder / _ABOUT).is_file() or (folder / _ABOUT).read_text(encoding="utf-8", errors="replace") != text:
        write_text(folder / _ABOUT, text)


def shelf() -> list[ShelvedBook]:
    """All books of which sentences are kept, the one that was used last first."""
    found = [_shelved(folder) for folder in (home() / "jobs").glob("book-*") if folder.is_dir()]
    return sorted(found, key=lambda book: book.used, reverse=True)


def remove(book: ShelvedBook) -> None:
    """Delete the sentences of a book. Audiobooks that were made of them stay.

    Raises:
        UsageError: an audiobook of it is being made.
        UnreachableError: the folder cannot be written.
    """
    check_unlocked(book.folder, "job", "wait until it has finished, or stop it")
    with storage_errors(book.folder):
        shutil.rmtree(book.folder)


def _shelved(folder: Path) -> ShelvedBook:
    about = _about(folder)
    files = [*files_in(folder)]
    sentences, seconds = kept(folder)
    source = about.get("source")
    return ShelvedBook(
        folder=folder,
        source=Path(source) if isinstance(source, str) else None,
        title=str(about.get("title") or ""),
        sentences=sentences,
        seconds=seconds,
        size=sum(status.st_size for status in files),
        used=datetime.fromtimestamp(max((status.st_mtime for status in files), default=0.0), UTC),
    )


def files_in(folder: Path) -> Iterator[os.stat_result]:
    """The files of the folder of a book; while it is spoken, they come and go."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                yield (Path(parent) / name).stat()


def _about(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
