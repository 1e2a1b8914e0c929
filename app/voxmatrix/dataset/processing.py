"""Sounds and texts that the cache lacks are made: in threads, in bounded memory, each once.

Threads and not processes: reading, resampling, hashing and the disk let go of Python's lock, espeak-ng is a program of
its own, and a thread costs no second copy of Python and numpy.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from voxmatrix.dataset.cache import Cache, Stamp
from voxmatrix.dataset.pronunciation import Pronouncer, Pronunciation, is_sayable, pronunciation_key
from voxmatrix.dataset.recording import Recording
from voxmatrix.dataset.sound import SoundFacts, make_sound, sound_key
from voxmatrix.files import digest
from voxmatrix.progress import OnProgress

T = TypeVar("T")
#: So many recordings wait for each worker: enough that none stands still, few enough to hold little.
_WAITING = 4


@dataclass(frozen=True, kw_only=True)
class ProcessedRecording:
    """A recording and all that is known of it. `sha256` is empty when the file could not be read at all."""

    recording: Recording
    sha256: str
    sound_key: str
    sound: SoundFacts
    spoken: Pronunciation


class Processor:
    """Makes what the cache lacks, for one rate and one language."""

    def __init__(self, cache: Cache, rate_hz: int, language: str, phoneme_type: str) -> None:
        self._cache = cache
        self._rate_hz = rate_hz
        self._voice = (language, phoneme_type)
        self._pronouncer = Pronouncer(language, phoneme_type)
        self._hashes: dict[str, str] = {}
        self._sounds: dict[str, SoundFacts] = {}  # by sound key; of a file that cannot be read, by its path
        self._spoken: dict[str, Pronunciation] = {}
        self._claimed: set[str] = set()
        self._claiming = threading.Lock()

    def make(
        self, recordings: Sequence[Recording], workers: int, on_progress: OnProgress | None = None
    ) -> list[ProcessedRecording]:
        """Everything that is known of these recordings, in their order.

        Raises:
            UnreachableError: the cache cannot be written.
            MissingProgramError: espeak-ng is needed and not installed.
        """
        progress = on_progress or (lambda done, total: None)
        try:
            self._recall(recordings)
            lacking = [recording for recording in recordings if not self._is_known(recording)]
            known = len(recordings) - len(lacking)
            progress(known, len(recordings))
            for done, _ in enumerate(each(self._make_one, lacking, max(1, workers)), start=known + 1):
                progress(done, len(recordings))
        finally:
            self._pronouncer.close()
            self._cache.save()
        return [self._made(recording) for recording in recordings]

    def _recall(self, recordings: Sequence[Recording]) -> None:
        """Take from the cache what still holds: of files whose stamp is the same, and of texts."""
        for path, (stamp, sha256) in self._cache.known_files({str(one.path) for one in recordings}).items():
            if _stamp(path) == stamp:
                self._hashes[path] = sha256
        for key, sound in self._cache.known(SoundFacts, map(self._sound_key, self._hashes.values())).items():
            self._admit(key, sound)
        self._spoken |= self._cache.known(Pronunciation, (self._spoken_key(one) for one in recordings))

    def _admit(self, key: str, sound: SoundFacts) -> bool:
        """Believe what the cache says of a sound when the samples that it speaks of are there."""
        if not sound.fault and not self._cache.holds_clip(key, sound.samples):
            return False
        self._sounds[key] = sound
        return True

    def _is_known(self, recording: Recording) -> bool:
        sha256 = self._hashes.get(str(recording.path))
        if sha256 is None or self._sound_key(sha256) not in self._sounds:
            return False
        return not is_sayable(recording.text) or self._spoken_key(recording) in self._spoken

    def _make_one(self, recording: Recording) -> None:
        if self._claim(str(recording.path)):
            self._make_sound(recording.path)
        key = self._spoken_key(recording)
        if is_sayable(recording.text) and key not in self._spoken and self._claim(key):
            self._spoken[key] = spoken = self._pronouncer.pronounce(recording.text)
            self._cache.remember(key, spoken)

    def _make_sound(self, path: Path) -> None:
        place = str(path)
        before = _stamp(place)
        sha256 = self._hashes.get(place) or _digest(path)
        if not before or not sha256:
            self._sounds[place] = make_sound(path, self._rate_hz, "", self._cache)
            return
        key = self._sound_key(sha256)
        if self._claim(key) and key not in self._sounds:
            known = self._cache.known(SoundFacts, [key]).get(key)
            if not (known and self._admit(key, known)):
                sound = make_sound(path, self._rate_hz, key, self._cache)
                if _stamp(place) != before:
                    self._sounds[place] = _CHANGED
                    return
                self._sounds[key] = sound
                self._cache.remember(key, sound)
        self._hashes[place] = sha256
        self._cache.remember_file(place, before, sha256)

    def _claim(self, key: str) -> bool:
        """Whether this thread is the first to ask for the key, and so has to make it."""
        with self._claiming:
            if key in self._claimed:
                return False
            self._claimed.add(key)
            return True

    def _sound_key(self, sha256: str) -> str:
        return sound_key(sha256, self._rate_hz)

    def _spoken_key(self, recording: Recording) -> str:
        return pronunciation_key(recording.text, *self._voice)

    def _made(self, recording: Recording) -> ProcessedRecording:
        place = str(recording.path)
        sha256 = self._hashes.get(place, "")
        key = self._sound_key(sha256) if sha256 else ""
        sound = self._sounds.get(key) or self._sounds.get(place, _CHANGED)
        spoken = self._spoken.get(self._spoken_key(recording), Pronunciation())
        return ProcessedRecording(recording=recording, sha256=sha256, sound_key=key, sound=sound, spoken=spoken)


def _stamp(path: str) -> Stamp | None:
    try:
        return Stamp.of(path)
    except OSError:
        return None


def _digest(path: Path) -> str:
    """The file's SHA-256; nothing when it cannot be read, or is a pipe or a device, where one would wait for ever."""
    try:
        return digest(path) if path.is_file() else ""
    except OSError:
        return ""


_CHANGED = SoundFacts(
    fault="unreadable",
    problem="the file changed while it was read",
    remedy="wait until the copying ends, and run the same command again",
)


def each(work: Callable[[T], None], items: Iterable[T], workers: int) -> Iterator[None]:
    """Do the work for every item in threads and yield as each is done; few items wait at a time.

    The first error ends it; work that has begun is waited for.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    waiting: set[Future[None]] = set()
    with ThreadPoolExecutor(workers, thread_name_prefix="prepare") as pool:
        try:
            for item in items:
                if len(waiting) >= workers * _WAITING:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
                waiting.add(pool.submit(work, item))
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()
