"""One file per chapter, with a playlist."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join.cover import with_usable_cover
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter, measure
from voxmatrix.book.join.samples import chapter_sound
from voxmatrix.book.join.sound_file import DRAFT_EXTENSION, PER_CHAPTER, SoundFile, check_sound_format, write_sound
from voxmatrix.book.join.tags import Track, chapter_title, one_line, tags
from voxmatrix.book.join.timeline import Spoken, TimedChapter, Timeline, timeline
from voxmatrix.files import write_text
from voxmatrix.progress import OnProgress

#: File systems allow 255 bytes in a name; the number, the extension and the ending of an unfinished file need some.
MAX_NAME_BYTES = 150
#: What some file system or playlist does not take in a name.
_FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')


def join_chapter(
    book: Book,
    chapter: Chapter,
    spoken: Iterable[Spoken],
    folder: Path,
    *,
    settings: JoinSettings,
    meter: SpeechMeter | None = None,
    check: Callable[[], None] = lambda: None,
) -> Path:
    """Write one chapter to `folder` while the rest is being made: as in the complete book, but smaller.

    Args:
        check: is called before each sentence that is measured or written. What it raises ends the writing, without a
            file: a chapter may be hours long.

    Raises:
        BadInputError: nothing of it is spoken yet, or a sentence is missing.
        And what `write_chapter_files` raises.
    """
    line = timeline([chapter], spoken, settings.pauses)
    levels = measure(line, lambda done, total: check(), meter)
    speech = FinishedSpeech(book=with_usable_cover(book), line=line, levels=levels, settings=settings)
    ((timed, gains_db),) = speech.chapters()
    file = _chapter_file(speech, timed, folder, DRAFT_EXTENSION, draft=True)
    return write_sound(file, _checked(chapter_sound(timed, line.rate_hz, gains_db), check))


def _checked(sound: Iterable[bytes], check: Callable[[], None]) -> Iterator[bytes]:
    for part in sound:
        check()
        yield part


def early_chapter_name(book: Book, chapter: Chapter) -> str:
    """The name of the file that `join_chapter` writes."""
    return chapter_file_name(chapter, book.chapters[-1].index, DRAFT_EXTENSION)


def write_chapter_files(
    speech: FinishedSpeech, folder: Path, extension: str, on_progress: OnProgress = lambda done, total: None
) -> tuple[Path, ...]:
    """Write a file per chapter to `folder`, numbered, and behind them the playlist; its path is the last one.

    Raises:
        UsageError: the extension or the bit rate is not supported.
        MissingProgramError, UnreachableError, VoxmatrixError: see `write_sound`.
        BadInputError, DamagedFileError: the speech of a sentence is missing, or not what was promised.
    """
    check_sound_format(Path(f"chapter.{extension}"), speech.settings.bitrate, PER_CHAPTER)
    written: list[Path] = []
    for chapter, gains_db in speech.chapters():
        file = _chapter_file(speech, chapter, folder, extension)
        written.append(write_sound(file, chapter_sound(chapter, speech.line.rate_hz, gains_db)))
        on_progress(len(written), len(speech.line.chapters))
    playlist = playlist_path(speech.book, folder)
    write_text(playlist, _playlist(speech.line, written))
    return (*written, playlist)


def playlist_path(book: Book, folder: Path) -> Path:
    """The playlist of a book whose files are in `folder`."""
    return folder / f"{_safe_name(book.title) or 'book'}.m3u8"


def chapter_file_name(chapter: Chapter, last_index: int, extension: str) -> str:
    """The name of the file of a chapter: names sort like chapters, and never start with a dash or a dot."""
    number = f"{chapter.index:0{max(2, len(str(last_index)))}}"
    return f"{number} {_safe_name(chapter.title)}".rstrip() + f".{extension}"


def _safe_name(title: str) -> str:
    """A title as a part of a file name, on every file system; may be empty."""
    return one_line(_FORBIDDEN.sub(" ", title), MAX_NAME_BYTES).strip(" .-")


def _chapter_file(
    speech: FinishedSpeech, chapter: TimedChapter, folder: Path, extension: str, *, draft: bool = False
) -> SoundFile:
    about, last = chapter.chapter, speech.book.chapters[-1].index
    track = Track(number=about.index, of=last, title=chapter_title(about.title, about.index))
    return SoundFile(
        out=folder / chapter_file_name(about, last, extension),
        rate_hz=speech.line.rate_hz,
        tags=tags(speech.book, narrator=speech.settings.narrator, track=track),
        cover=speech.book.cover,
        bitrate=None if draft else speech.settings.bitrate,
        draft=draft,
    )


def _playlist(line: Timeline, files: Sequence[Path]) -> str:
    lines = ["#EXTM3U"]
    for chapter, file in zip(line.chapters, files, strict=True):
        seconds = line.seconds(chapter.end - chapter.start)
        lines += [f"#EXTINF:{seconds:.0f},{chapter_title(chapter.chapter.title, chapter.chapter.index)}", file.name]
    return "\n".join(lines) + "\n"
