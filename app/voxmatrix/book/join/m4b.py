"""One file with chapter marks for a whole book, encoded as AAC in parts, on all CPUs, as if in one piece.

Frames of AAC can be put behind each other if the sound around the joint is silent. A part ends in a pause, after whole
frames; the next one begins a frame later, because the encoder adds that much silence in front. Where parts end depends
on the timeline only, so that every computer writes the same file.
"""

import math
import tempfile
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from voxmatrix.audio.ffmpeg import fed_ffmpeg, samples_input
from voxmatrix.book.join.finished import FinishedSpeech
from voxmatrix.book.join.samples import chapter_sound, sound
from voxmatrix.book.join.sound_file import AAC_FRAME, REPRODUCIBLE, SoundFile, encoding, write_frames, write_sound
from voxmatrix.book.join.tags import tags
from voxmatrix.book.join.timeline import TimedSentence
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.progress import OnProgress

#: The least length of a part but the last: to start ffmpeg takes as long as it needs for half a minute of speech.
PART_SECONDS = 600.0
#: Rates that AAC has: sound of others would be resampled, and whole frames of it are not whole frames of AAC.
_RATES_HZ = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some neighbouring sentences, each with its gain in dB. Times are in samples."""

    start: int
    end: int
    sentences: tuple[tuple[TimedSentence, float], ...]


def parts(speech: FinishedSpeech) -> list[Part]:
    """The parts of a book, in order; between two of them, a frame of silence is missing."""
    line, found, start = speech.line, [], 0
    least = round(PART_SECONDS * line.rate_hz) if line.rate_hz in _RATES_HZ else line.samples
    sentences: list[tuple[TimedSentence, float]] = []
    for chapter, gains_db in speech.chapters():
        for sentence, gain_db in zip(chapter.sentences, gains_db, strict=True):
            sentences.append((sentence, gain_db))
            # Frames overlap by half: the last one of a part, and the one that is missing, are silent.
            frames = math.ceil((sentence.end + AAC_FRAME - start) / AAC_FRAME)
            end = start + frames * AAC_FRAME
            if end - start >= least and end + 2 * AAC_FRAME <= sentence.pause_end:
                found.append(Part(start=start, end=end, sentences=tuple(sentences)))
                start, sentences = end + AAC_FRAME, []
    return [*found, Part(start=start, end=line.samples, sentences=tuple(sentences))]


def encoded(found: list[Part], file: SoundFile, on_progress: OnProgress) -> Generator[bytes, None, None]:
    """The AAC frames of each part. As many parts as there are CPUs are encoded at once, and few are in memory.

    Progress is in parts that were taken.

    Raises:
        BadInputError, DamagedFileError: the file of a sentence is missing, or not what was promised.
        MissingProgramError, UsageError, VoxmatrixError: see `fed_ffmpeg`.
    """
    workers = cpus()
    waiting: deque[Future[bytes]] = deque()
    left = iter(found)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="encode")
    try:
        for number in range(1, len(found) + 1):
            waiting += (pool.submit(_encoded, part, file) for part in islice(left, workers + 1 - len(waiting)))
            yield waiting.popleft().result()
            on_progress(number, len(found))
    finally:
        pool.shutdown(cancel_futures=True)


def _encoded(part: Part, file: SoundFile) -> bytes:
    arguments = [*encoding(file), *REPRODUCIBLE, "-f", "adts", "pipe:1"]
    with tempfile.TemporaryFile() as output:
        with fed_ffmpeg(samples_input(file.rate_hz), arguments, file.out, output) as send:
            for samples in sound(part.sentences, part.start, part.end, file.rate_hz):
                send(samples)
        output.seek(0)
        return output.read()


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
    for number, (chapter, gains_db) in enumerate(speech.chapters(), start=1):
        yield from chapter_sound(chapter, speech.line.rate_hz, gains_db)
        on_progress(number, len(speech.line.chapters))
