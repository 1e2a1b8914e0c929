"""Write text and sound of a book as an EPUB to read along."""

import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.join.finished import FinishedSpeech
from voxmatrix.book.join.overlay import pages
from voxmatrix.book.join.overlay.archive import EpubWriter
from voxmatrix.book.join.overlay.author import AuthorsBook, find_sentences, write_authors_book
from voxmatrix.book.join.overlay.package import MEDIA_TYPES
from voxmatrix.book.join.samples import chapter_sound
from voxmatrix.book.join.sound_file import SoundFile, check_sound_format, write_sound
from voxmatrix.book.join.timeline import TimedChapter, Timeline
from voxmatrix.book.read import EpubSource
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.files import read_errors, replacing
from voxmatrix.progress import OnProgress

_BLOCK = 1 << 20


def write_overlay(
    speech: FinishedSpeech,
    out: Path,
    *,
    source: EpubSource | None = None,
    extension: str = "mp3",
    on_progress: OnProgress = lambda done, total: None,
) -> list[Finding]:
    """Write an EPUB to read along.

    Args:
        speech: the sound, and the text of pages of our own.
        out: the file.
        source: the EPUB that was read, whose pages are kept if they can be; None: the book was no EPUB.
        extension: of the files of the sound.
        on_progress: is called with the chapters that are written, and their number.

    Returns:
        what was left out, and how many sentences were not found in the pages.

    Raises:
        UsageError: the sound format or the bit rate is not supported.
        MissingProgramError, UnreachableError, VoxmatrixError: see `write_sound`.
        BadInputError, DamagedFileError: the speech of a sentence is missing, or not what was promised.
    """
    check_sound_format(Path(f"chapter.{extension}"), speech.settings.bitrate, tuple(MEDIA_TYPES))
    if source is None:
        return _write(speech, out, None, extension, on_progress)
    try:
        with read_errors(source.path):
            found = find_sentences(source, speech.line)
        if found:
            return _write(speech, out, found, extension, on_progress)
        problem = "no sentence was found in its pages"
    except BadInputError as error:  # for its text alone, the book was good enough
        problem = error.problem
    _write(speech, out, None, extension, on_progress)
    problem = f"the read-along EPUB has plain pages of its own, since those of the book cannot be kept: {problem}"
    remedy = "convert the book, e.g. ebook-convert OLD.epub NEW.epub, and speak that"
    return [Finding(problem=problem, remedy=remedy, severity="warning")]


def _write(
    speech: FinishedSpeech, out: Path, found: AuthorsBook | None, extension: str, on_progress: OnProgress
) -> list[Finding]:
    book, line, names = speech.book, speech.line, speech.overlay_names()
    sounds, findings = _sounds(found, line, extension), []
    with replacing(out) as file, EpubWriter(file) as writer:
        if found:
            identifier = _identifier(book, line)
            findings = write_authors_book(writer, found, line, sounds, book=book, identifier=identifier, names=names)
        else:
            for name, data in pages.files(book, line, sounds, _identifier(book, line), names):
                writer.add(name, data)
        for number, (chapter, gains_db) in enumerate(speech.chapters(), start=1):
            if chapter.sentences:
                _add_sound(writer, sounds[chapter.chapter.index], speech, chapter, gains_db)
            on_progress(number, len(line.chapters))
    return findings


def _sounds(found: AuthorsBook | None, line: Timeline, extension: str) -> dict[int, str]:
    """The names of the files of the sound, by chapters."""
    folder = found.folder if found else pages.FOLDER
    chapters = (chapter.chapter.index for chapter in line.chapters if chapter.sentences)
    return {index: f"{folder}/c{index:05}.{extension}" for index in chapters}


def _identifier(book: Book, line: Timeline) -> str:
    """A name of the book's content: a changed sentence makes it another publication."""
    parts = [book.title, *book.authors, *(sentence.spoken.sha256 for sentence in line.sentences)]
    text = "\n".join(parts).encode("utf-8", "replace").decode("utf-8")
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, text)}"


def _add_sound(
    writer: EpubWriter, name: str, speech: FinishedSpeech, chapter: TimedChapter, gains_db: Sequence[float]
) -> None:
    """Encode a chapter to a file beside the archive (/tmp may be small), and copy it."""
    with tempfile.TemporaryDirectory(
        prefix=".voxmatrix-", suffix=".part", dir=writer.folder, ignore_cleanup_errors=True
    ) as folder:
        path = Path(folder) / Path(name).name
        file = SoundFile(out=path, rate_hz=speech.line.rate_hz, tags={}, bitrate=speech.settings.bitrate)
        write_sound(file, chapter_sound(chapter, speech.line.rate_hz, gains_db))
        with path.open("rb") as source:
            writer.copy(name, iter(lambda: source.read(_BLOCK), b""))
