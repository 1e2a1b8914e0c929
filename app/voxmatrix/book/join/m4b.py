"""One file with chapter marks for a whole book."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from voxmatrix.book.join.finished import FinishedSpeech
from voxmatrix.book.join.sound.file import SoundFile, write_frames, write_sound
from voxmatrix.book.join.sound.parts import encoded, parts
from voxmatrix.book.join.sound.samples import chapter_sound
from voxmatrix.book.join.tags import tags
from voxmatrix.progress import OnProgress


def write_m4b(speech: FinishedSpeech, out: Path, on_progress: OnProgress = lambda done, total: None) -> Path:
    """Write the sound of a book as AAC, with a mark for each chapter, tags and the cover.

    Progress is in parts of a long book, or in the chapters of a short one.

    Raises:
        UsageError, MissingProgramError, UnreachableError, VoxmatrixError: see `write_sound`.
        BadInputError, DamagedFileError: the speech of a sentence is missing, or not what was promised.
    """
    file = SoundFile(
        out=out,
        rate_hz=speech.line.rate_hz,
        tags=tags(speech.book, narrator=speech.settings.narrator),
        cover=speech.book.cover,
        line=speech.line,
        bitrate=speech.settings.bitrate,
    )
    found = parts(speech)
    if len(found) == 1:
        return write_sound(file, _sound(speech, on_progress))
    with closing(encoded(found, file, on_progress)) as frames:
        return write_frames(file, frames)


def _sound(speech: FinishedSpeech, on_progress: OnProgress) -> Iterator[bytes]:
    for number, (chapter, gain_db) in enumerate(speech.chapters(), start=1):
        yield from chapter_sound(chapter, speech.line.rate_hz, gain_db)
        on_progress(number, len(speech.line.chapters))
