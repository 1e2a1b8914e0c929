"""Process the sounds and texts that are not cached yet, each once, in threads and in bounded memory.

Threads rather than processes: decoding, resampling, hashing and disk access release Python's global lock, espeak-ng is
a separate program, and a thread does not need another copy of Python and numpy.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from voxmatrix.audio.measures.measures import Measures
from voxmatrix.dataset.cache import Cache, Stamp
from voxmatrix.dataset.folder import Recording
from voxmatrix.dataset.pronunciation import Pronouncer, Pronunciation, is_pronounceable, pronunciation_key
from voxmatrix.dataset.sound import SoundFacts, make_sound, measures_key, sound_key
from voxmatrix.files import digest
from voxmatrix.progress import OnProgress

T = TypeVar("T")
#: Queue length per worker: enough to keep it busy, few enough to use little memory.
_QUEUED_PER_WORKER = 4


@dataclass(frozen=True, kw_only=True)
class ProcessedRecording:
    """A recording with its sound and pronunciation. `sha256` is empty if the file could not be read at all.

    `measures` is None if it was not measured, or could not be read.
    """

    recording: Recording
    sha256: str
    sound_key: str
    sound: SoundFacts
    spoken: Pronunciation
    measures: Measures | None = None


class Processor:
    """Process recordings for one sample rate and one language, using the cache where possible."""

    def __init__(self, cache: Cache, rate_hz: int, language: str, phoneme_type: str, *, measured: bool = False) -> None:
        self._cache = cache
        self._rate_hz = rate_hz
        self._voice = (language, phoneme_type)
        self._pronouncer = Pronouncer(language, phoneme_type)
        self._hashes: dict[str, str] = {}
        self._measured = measured
        self._measures: dict[str, Measures] = {}  # by sound key
        self._sounds: dict[str, SoundFacts] = {}  # by sound key; by path for files that cannot be read
        self._spoken: dict[str, Pronunciation] = {}
        self._claimed: set[str] = set()
        self._claiming = threading.Lock()

    def process(
        self, recordings: Sequence[Recording], workers: int, on_progress: OnProgress | None = None
    ) -> list[ProcessedRecording]:
        """The sound and pronunciation of each recording, in the same order.

        Raises:
            UnreachableError: the cache cannot be written.
            MissingProgramError: espeak-ng is needed and not installed.
        """
        progress = on_progress or (lambda done, total: None)
        try:
            self._load_cached(recordings)
            pending = [recording for recording in recordings if not self._is_done(recording)]
            cached = len(recordings) - len(pending)
            progress(cached, len(recordings))
            for done, _ in enumerate(run_in_threads(self._process, pending, max(1, workers)), start=cached + 1):
                progress(done, len(recordings))
        finally:
            self._pronouncer.close()
            self._cache.save()
        return [self._result(recording) for recording in recordings]

    def _load_cached(self, recordings: Sequence[Recording]) -> None:
        """Load the cached texts, and the cached sounds of files with an unchanged stamp."""
        for path, (stamp, sha256) in self._cache.lookup_files({str(item.path) for item in recordings}).items():
            if _stamp(path) == stamp:
                self._hashes[path] = sha256
        keys = list(map(self._sound_key, self._hashes.values()))
        measures = self._cached_measures(keys)
        for key, sound in self._cache.lookup(SoundFacts, keys).items():
            self._accept_cached(key, sound, measures.get(key))
        self._spoken |= self._cache.lookup(Pronunciation, (self._spoken_key(item) for item in recordings))

    def _cached_measures(self, sound_keys: Sequence[str]) -> dict[str, Measures]:
        """The cached measurements by sound key, if they are wanted."""
        if not (self._measured and sound_keys):
            return {}
        by_key = {measures_key(key): key for key in sound_keys}
        return {by_key[key]: found for key, found in self._cache.lookup(Measures, by_key).items()}

    def _accept_cached(self, key: str, sound: SoundFacts, measures: Measures | None) -> bool:
        """Use a cached sound if its samples still exist; ffmpeg may read now what could not be read."""
        if sound.fault == "unreadable":
            return False
        if not sound.fault:
            if not self._cache.holds_clip(key, sound.samples) or (self._measured and measures is None):
                return False
            if measures is not None:
                self._measures[key] = measures
        self._sounds[key] = sound
        return True

    def _is_done(self, recording: Recording) -> bool:
        sha256 = self._hashes.get(str(recording.path))
        if sha256 is None or self._sound_key(sha256) not in self._sounds:
            return False
        return not is_pronounceable(recording.text) or self._spoken_key(recording) in self._spoken

    def _process(self, recording: Recording) -> None:
        if self._claim(str(recording.path)):
            self._make_sound(recording.path)
        key = self._spoken_key(recording)
        if is_pronounceable(recording.text) and key not in self._spoken and self._claim(key):
            self._spoken[key] = spoken = self._pronouncer.pronounce(recording.text)
            self._cache.store(key, spoken)

    def _make_sound(self, path: Path) -> None:
        place = str(path)
        before = _stamp(place)
        sha256 = self._hashes.get(place) or _digest(path)
        if not before or not sha256:
            self._sounds[place] = make_sound(path, self._rate_hz, "", self._cache)
            return
        key = self._sound_key(sha256)
        if self._claim(key) and key not in self._sounds:
            cached = self._cache.lookup(SoundFacts, [key]).get(key)
            if not (cached and self._accept_cached(key, cached, self._cached_measures([key]).get(key))):
                sound = make_sound(path, self._rate_hz, key, self._cache, measured=self._measured)
                if _stamp(place) != before:
                    self._sounds[place] = _CHANGED
                    return
                self._sounds[key] = sound
                self._cache.store(key, sound)
                self._measures |= self._cached_measures([key])
        self._hashes[place] = sha256
        self._cache.store_file(place, before, sha256)

    def _claim(self, key: str) -> bool:
        """Whether this thread is the first to claim the key and therefore has to do the work."""
        with self._claiming:
            if key in self._claimed:
                return False
            self._claimed.add(key)
            return True

    def _sound_key(self, sha256: str) -> str:
        return sound_key(sha256, self._rate_hz)

    def _spoken_key(self, recording: Recording) -> str:
        return pronunciation_key(recording.text, *self._voice)

    def _result(self, recording: Recording) -> ProcessedRecording:
        place = str(recording.path)
        sha256 = self._hashes.get(place, "")
        key = self._sound_key(sha256) if sha256 else ""
        sound = self._sounds.get(key) or self._sounds.get(place, _CHANGED)
        spoken = self._spoken.get(self._spoken_key(recording), Pronunciation())
        return ProcessedRecording(
            recording=recording,
            sha256=sha256,
            sound_key=key,
            sound=sound,
            spoken=spoken,
            measures=self._measures.get(key),
        )


def _stamp(path: str) -> Stamp | None:
    try:
        return Stamp.of(path)
    except OSError:
        return None


def _digest(path: Path) -> str:
    """The file's SHA-256; empty if it cannot be read, or is a pipe or a device, where reading could block for ever."""
    try:
        return digest(path) if path.is_file() else ""
    except OSError:
        return ""


_CHANGED = SoundFacts(
    fault="unreadable",
    problem="the file changed while it was being read",
    remedy="wait until it is fully copied and run the same command again",
)


def run_in_threads(work: Callable[[T], None], items: Iterable[T], workers: int) -> Iterator[None]:
    """Call `work` for every item in a pool of threads, yielding once per finished item; few items are queued at a time.

    The first error cancels the queued items and is raised when the running ones have finished.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    pending: set[Future[None]] = set()
    with ThreadPoolExecutor(workers, thread_name_prefix="prepare") as pool:
        try:
            for item in items:
                if len(pending) >= workers * _QUEUED_PER_WORKER:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
                pending.add(pool.submit(work, item))
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in pending:
                future.cancel()
