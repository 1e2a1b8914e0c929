"""An EPUB 3 with a media overlay: a reader shows the sentence that is being spoken."""

import tempfile
import zipfile
from pathlib import Path
from shutil import copyfileobj

from voxmatrix.book.join import overlay_pages as pages
from voxmatrix.book.join.finished import FinishedSpeech
from voxmatrix.book.join.samples import chapter_sound
from voxmatrix.book.join.sound_file import SoundFile, check_sound_format, write_sound
from voxmatrix.book.join.timeline import TimedChapter
from voxmatrix.files import replacing
from voxmatrix.progress import OnProgress

#: Sound that EPUB 3 requires of readers.
OVERLAY_FORMATS = ("mp3", "m4a")
#: The earliest date that a ZIP file can hold: the same input gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)


def write_overlay(
    speech: FinishedSpeech,
    out: Path,
    *,
    extension: str = "mp3",
    on_progress: OnProgress = lambda done, total: None,
) -> Path:
    """Write text and sound of a book as an EPUB to read along.

    Raises:
        UsageError: the sound format or the bit rate is not supported.
        MissingProgramError, UnreachableError, VoxmatrixError: see `write_sound`.
        BadInputError, DamagedFileError: the speech of a sentence is missing, or not what was promised.
    """
    check_sound_format(Path(f"chapter.{extension}"), speech.settings.bitrate, OVERLAY_FORMATS)
    book, line = speech.book, speech.line
    with replacing(out) as file, zipfile.ZipFile(file, "w") as archive:
        for name, text in pages.fixed(book, line):
            _add(archive, name, text.encode("utf-8"))
        if book.cover:
            _add(archive, pages.cover_name(book.cover), book.cover.data)
        _add(archive, pages.PACKAGE, pages.package(book, line, extension).encode("utf-8"))
        for number, (chapter, gain_db) in enumerate(speech.chapters(), start=1):
            for name, text in pages.of_chapter(book, line, chapter, extension):
                _add(archive, name, text.encode("utf-8"))
            if chapter.sentences:
                _add_sound(archive, speech, chapter, gain_db, extension)
            on_progress(number, len(line.chapters))
    return out


def _add_sound(
    archive: zipfile.ZipFile, speech: FinishedSpeech, chapter: TimedChapter, gain_db: float, extension: str
) -> None:
    """Encode a chapter to a file beside the archive (/tmp may be small), and copy it."""
    beside = Path(str(archive.filename)).parent
    with tempfile.TemporaryDirectory(
        prefix=".voxmatrix-", suffix=".part", dir=beside, ignore_cleanup_errors=True
    ) as name:
        path = Path(name) / f"chapter.{extension}"
        file = SoundFile(out=path, rate_hz=speech.line.rate_hz, tags={}, bitrate=speech.settings.bitrate)
        write_sound(file, chapter_sound(chapter, speech.line.rate_hz, gain_db))
        entry = _entry(pages.sound_name(chapter, extension))
        with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
            copyfileobj(source, target, 1 << 20)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = _entry(name)
    # The type of the file is read from its first bytes, and images hardly get smaller.
    packed = name.endswith((".xhtml", ".smil", ".opf", ".css"))
    entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    archive.writestr(entry, data)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.create_system = 3  # on Windows too
    entry.external_attr = 0o644 << 16
    return entry
