"""The loudness of every sentence, and the gain that brings each chapter to the loudness of an audiobook.

Each chapter is measured as a whole and has one gain: quiet and loud sentences stay as they were spoken. It is not
measured over the book, so that a chapter sounds the same while the rest is still being made, and a sentence that is
spoken again changes no other chapter. Where several voices speak in a chapter, the others are first brought to the
loudness of its narrator.
"""

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from voxmatrix.audio.loudness_meter import (
    SILENT_LUFS,
    WINDOW_SECONDS,
    MeasuredSound,
    Momentary,
    Powers,
    integrated_lufs,
    measure_sounds,
    sound_powers,
)
from voxmatrix.book.join.samples import FULL_SCALE, read_speech
from voxmatrix.book.join.timeline import Spoken, TimedChapter, Timeline
from voxmatrix.errors import VoxmatrixError
from voxmatrix.judge.sound import SpeechFacts
from voxmatrix.judge.sound import measure as measure_speech
from voxmatrix.progress import OnProgress

#: The usual loudness of audiobooks and podcasts in mono.
TARGET_LUFS = -18.0
#: Speech that is further away is damaged rather than quiet.
MAX_GAIN_DB = 24.0
#: Voices differ by less; and of less speech, the loudness of a voice is not known.
_MAX_VOICE_GAIN_DB, _LEAST_SECONDS = 6.0, 1.0


@dataclass(frozen=True)
class Levels:
    """Loudness and gains of the speech in a timeline."""

    sentences_lufs: tuple[float, ...]  # as spoken, without gain, in the order of the timeline
    gains_db: tuple[float, ...]  # one per chapter
    #: Of each chapter the gains of its voices, besides that of the chapter; 0 of those that are not there.
    voices_db: tuple[Mapping[str, float], ...]


def measure(
    line: Timeline, on_progress: OnProgress = lambda done, total: None, meter: "SpeechMeter | None" = None
) -> Levels:
    """Read and verify every sentence of the timeline, and measure it, unless `meter` has done so already.

    Raises:
        BadInputError: the file of a sentence is missing.
        DamagedFileError: the file of a sentence is not what was promised.
    """
    meter = meter or SpeechMeter()
    total = len(line.sentences)
    lufs: list[float] = []
    gains: list[float] = []
    voices: list[dict[str, float]] = []
    for chapter in line.chapters:
        sounds: list[tuple[Powers, int, int]] = []
        for sentence in chapter.sentences:
            # No window reaches from one chapter into the next.
            least = round(WINDOW_SECONDS * line.rate_hz) if sentence is chapter.sentences[-1] else 0
            pause = max(least, sentence.pause_end - sentence.end)
            sounds.append((meter.powers(sentence.spoken), sentence.spoken.samples, pause))
            on_progress(len(lufs) + len(sounds), total)
        measured = measure_sounds(sounds, line.rate_hz)
        lufs += [round(integrated_lufs(one.alone), 2) for one in measured]
        voices.append(_voices_db(chapter, measured, line.rate_hz))
        own = [voices[-1].get(sentence.spoken.voice, 0.0) for sentence in chapter.sentences]
        gains.append(_gain_db([_louder(one.heard, gain) for one, gain in zip(measured, own, strict=True)]))
    return Levels(tuple(lufs), tuple(gains), tuple(voices))


def _voices_db(chapter: TimedChapter, measured: Sequence[MeasuredSound], rate_hz: int) -> dict[str, float]:
    """The gains that bring the voices of a chapter to its narrator's loudness, or to that of who speaks most."""
    heard: dict[str, list[Momentary]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for sentence, one in zip(chapter.sentences, measured, strict=True):
        heard[sentence.spoken.voice].append(one.alone)
        seconds[sentence.spoken.voice] += sentence.spoken.samples / rate_hz
    known = {voice for voice in heard if seconds[voice] >= _LEAST_SECONDS}
    if len(heard) == 1 or len(known) <= 1:
        return {}
    lufs = {voice: integrated_lufs(np.concatenate(heard[voice])) for voice in known}
    wanted = lufs["" if "" in known else max(sorted(known), key=lambda voice: seconds[voice])]
    gains = {voice: wanted - one for voice, one in sorted(lufs.items()) if min(one, wanted) > SILENT_LUFS}
    return {
        voice: round(float(np.clip(gain, -_MAX_VOICE_GAIN_DB, _MAX_VOICE_GAIN_DB)), 2) for voice, gain in gains.items()
    }


def _louder(momentary: Momentary, gain_db: float) -> Momentary:
    return np.where(momentary > SILENT_LUFS, momentary + gain_db, momentary)


def _gain_db(heard: list[Momentary]) -> float:
    """The gain of a chapter, rounded, so that it does not depend on the last bits of a measurement."""
    loudness = integrated_lufs(np.concatenate(heard)) if heard else SILENT_LUFS
    if loudness <= SILENT_LUFS:
        return 0.0
    return round(float(np.clip(TARGET_LUFS - loudness, -MAX_GAIN_DB, MAX_GAIN_DB)), 2)


class _Measured(NamedTuple):
    powers: Powers
    facts: SpeechFacts


class SpeechMeter:
    """Measures each sentence once: in a thread what it is given between `start` and `stop`, anything else when asked.

    A failure in the thread is not an error: the sentence is then read again, with a better message.
    """

    def __init__(self) -> None:
        self._measured: dict[str, _Measured] = {}  # by checksum
        self._queue: SimpleQueue[Spoken | None] = SimpleQueue()
        self._stopping = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._measure, daemon=True, name="loudness")

    def start(self) -> None:
        """Measure what is added from now on."""
        self._thread.start()

    def add(self, spoken: Spoken) -> None:
        """A sentence that will be asked for."""
        self._queue.put(spoken)

    def stop(self) -> None:
        """Measure nothing more until it is asked for."""
        self._stopping = True
        self._queue.put(None)
        self._thread.join()

    def powers(self, spoken: Spoken) -> Powers:
        """The powers of a sentence, which is read and verified.

        Raises:
            BadInputError, DamagedFileError: as `read_speech`.
        """
        return self._of(spoken).powers

    def facts(self, spoken: Spoken) -> SpeechFacts:
        """What a check of its sound wants to know of a sentence, which is read and verified.

        Raises:
            BadInputError, DamagedFileError: as `read_speech`.
        """
        return self._of(spoken).facts

    def _of(self, spoken: Spoken) -> _Measured:
        with self._lock:
            found = self._measured.get(spoken.sha256)
            if found is None:
                samples, rate_hz = read_speech(spoken), spoken.rate_hz
                facts = measure_speech(samples.astype(np.float32) / np.float32(FULL_SCALE), rate_hz)
                found = self._measured[spoken.sha256] = _Measured(sound_powers(samples, rate_hz), facts)
            return found

    def _measure(self) -> None:
        while (spoken := self._queue.get()) and not self._stopping:
            with suppress(VoxmatrixError):
                self._of(spoken)
