"""The files of an audiobook for a shop: one per chapter, their playlist and the retail sample."""

from collections.abc import Sequence
from pathlib import Path

from voxmatrix.book.join.chapter_files import chapter_file_name, playlist_path
from voxmatrix.book.join.finished import FinishedSpeech
from voxmatrix.book.join.sound_file import SoundFile, write_sound
from voxmatrix.book.join.tags import Track, chapter_title, tags
from voxmatrix.book.join.timeline import TimedSentence
from voxmatrix.book.shop.mastering import Master
from voxmatrix.book.shop.sections import retail_sample, sections
from voxmatrix.files import write_text
from voxmatrix.progress import OnProgress
from voxmatrix.tables.shops import Shop

SAMPLE_TITLE = "Retail sample"


def write_shop_files(
    speech: FinishedSpeech, shop: Shop, folder: Path, on_progress: OnProgress = lambda done, total: None
) -> tuple[Path, ...]:
    """Write the files to `folder`: the chapters, the retail sample if one is long enough, and the playlist.

    Raises:
        MissingProgramError, UnreachableError, VoxmatrixError: see `write_sound`.
        BadInputError, DamagedFileError: the speech of a sentence is missing, or not what was promised.
    """
    playlist = playlist_path(speech.book, folder)
    _remove_listed(playlist)
    found = sections(speech.line, shop)
    sample = retail_sample(speech.line, shop)
    last, total = speech.book.chapters[-1].index, len(found) + bool(sample)
    written: list[Path] = []
    for number, section in enumerate(found, start=1):
        title = chapter_title(section.chapter.title, section.chapter.index)
        track = Track(number=number, of=len(found), title=title)
        out = folder / chapter_file_name(section.chapter, last, shop.format)
        written.append(_write(speech, shop, out, track, section.sentences))
        on_progress(number, total)
    write_text(playlist, "\n".join(["#EXTM3U", *(path.name for path in written)]) + "\n")
    if sample:
        out = folder / f"{SAMPLE_TITLE}.{shop.format}"
        track = Track(number=1, of=1, title=f"{SAMPLE_TITLE}: {speech.book.title}".rstrip(": "))
        written.append(_write(speech, shop, out, track, sample))
        on_progress(total, total)
    return (*written, playlist)


def _remove_listed(playlist: Path) -> None:
    """Delete the files of an earlier run, whose numbers may be others: all that is in the folder goes to the shop."""
    if playlist.is_file():
        for name in playlist.read_text(encoding="utf-8", errors="replace").splitlines():
            if name and not name.startswith("#") and Path(name).name == name:
                (playlist.parent / name).unlink(missing_ok=True)


def _write(speech: FinishedSpeech, shop: Shop, out: Path, track: Track, sentences: Sequence[TimedSentence]) -> Path:
    file = SoundFile(
        out=out,
        rate_hz=speech.line.rate_hz,
        tags=tags(speech.book, narrator=speech.settings.narrator, track=track),
        cover=speech.book.cover,
        bitrate=speech.settings.bitrate or f"{shop.least_kbit}k",
        output_rate_hz=shop.rate_hz,
    )
    return write_sound(file, Master(sentences, speech.voice_gains_db(sentences), speech.line.rate_hz, shop).sound())
