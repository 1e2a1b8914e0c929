"""Speech whose command was interrupted, or found a full disk: kept next to its file, continued by the same command."""

import errno
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import voxmatrix
from voxmatrix.errors import Finding, InterruptedRunError, UnreachableError
from voxmatrix.files import is_system_error, link_target, read_text_or_empty, write_text
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Style
from voxmatrix.speak.wav import HEADER_BYTES, LONG_HEADER_BYTES, PLAIN, WaveFile
from voxmatrix.wording import pluralise

#: Part of every key. Increase it when the same settings begin to mean another sound.
_FORMAT = 3
#: What is given up on a full disk, for the file that describes the rest.
_SPARE_FRAMES = 1 << 13


@dataclass(frozen=True, kw_only=True)
class SpeechPosition:
    """How far a text is spoken."""

    sentences: int = 0
    seconds: float = 0.0
    frames: int = 0
    gain_db: float | None = None  # of the leveller

    def __str__(self) -> str:
        return f"{pluralise(self.sentences, 'sentence')} ({self.seconds:.1f} s)"


class PartialSpeech:
    """The speech of an interrupted command: a playable file next to `out`, and where it ends."""

    def __init__(self, out: Path, key: str | None) -> None:
        """`key` identifies text, voice and settings (see `speech_key`). None: this speech cannot be continued."""
        suffix = out.suffix if out.suffix.lower() in PLAIN else ".wav"
        self._out = out
        self.path = link_target(out).with_name(f"{out.stem}.partial{suffix}")  # where its unfinished file is renamed
        self._state = self.path.with_name(f"{self.path.name}.json")
        self._key = key
        #: Where this command starts.
        self.start = self._read()
        self._end = self.start
        self._ends: list[SpeechPosition] = []

    def warning(self) -> Finding | None:
        """A warning if there is partial speech that this command cannot continue."""
        if self.start.sentences or not self.path.exists():
            return None
        return Finding(
            problem=f"{self.path} belongs to another text, voice or setting, or is damaged: speaking starts from the "
            "beginning, and that file will be replaced or removed",
            remedy="to keep that file, stop this command (Ctrl-C) and rename it",
            severity="warning",
        )

    def restore(self, wave: WaveFile) -> None:
        """Copy what is spoken already."""
        if self.start.sentences:
            with self.path.open("rb") as file:
                wave.append(file)

    def spoken(self, sentences: int, gain_db: float | None, wave: WaveFile) -> None:
        """Another sentence is complete."""
        self._end = SpeechPosition(sentences=sentences, seconds=wave.seconds, frames=wave.frames, gain_db=gain_db)
        self._ends.append(self._end)

    @contextmanager
    def kept(self, path: Path, wave: WaveFile) -> Iterator[None]:
        """Keep the complete sentences of `wave`, which is written to `path`, if Ctrl-C, SIGTERM or the disk ends it.

        Raises:
            UnreachableError: the disk is full or fails. It says what is kept: all but what makes space for its
                description.
        """
        try:
            yield
        except KeyboardInterrupt:
            self._keep(path, wave)
            raise
        except (OSError, UnreachableError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            if not isinstance(cause, OSError) or not is_system_error(cause):
                raise
            self._keep(path, wave, _SPARE_FRAMES)
            if not self._end.sentences:
                raise
            problem = f"cannot write {self._out}: {cause.strerror}; the first {self._end} are kept in {self.path}"
            full = cause.errno in (errno.ENOSPC, errno.EDQUOT)
            remedy = "free some space there" if full else "check that disk"
            remedy += ", and run the same command again to continue" if self._key else ""
            raise UnreachableError(problem, remedy) from error

    def interruption(self) -> KeyboardInterrupt | InterruptedRunError:
        """The error that ends the interrupted command."""
        if not self._end.sentences:
            return KeyboardInterrupt()
        problem = f"interrupted; the first {self._end} are kept in {self.path}"
        return InterruptedRunError(problem, "run the same command again to continue" if self._key else "")

    def remove(self) -> None:
        """Remove the files: the speech is complete."""
        self.path.unlink(missing_ok=True)
        self._state.unlink(missing_ok=True)

    def _keep(self, path: Path, wave: WaveFile, spare: int = 0) -> None:
        if not self._ends:
            return
        with _without_signals():
            stored = wave.stored() - spare
            self._end = next((end for end in reversed(self._ends) if end.frames <= stored), self.start)
            if self._end is not self.start:
                wave.end_at(self._end.frames)
                self._state.unlink(missing_ok=True)  # never next to samples that it does not describe
                path.replace(self.path)
                if self._key:
                    write_text(self._state, json.dumps({"key": self._key, **asdict(self._end)}))

    def _read(self) -> SpeechPosition:
        try:
            state = json.loads(read_text_or_empty(self._state))
            if self._key and state.pop("key") == self._key and self.path.is_file():
                position = SpeechPosition(**state)
                more = self.path.stat().st_size - 2 * position.frames
                if more in (0, HEADER_BYTES, LONG_HEADER_BYTES):  # else it was truncated
                    return position
        except (ValueError, TypeError, KeyError, AttributeError):
            pass  # not written by this version, or damaged
        return SpeechPosition()


def speech_key(text_digest: str, voice: VoiceCard, style: Style, output: Output) -> str:
    """What determines the samples of a speech: only if it is the same can partial speech be continued."""
    files = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in voice.files]
    parts = (voxmatrix.__version__, _FORMAT, text_digest, files, voice.variant, style.to_json(), output.raw)
    return sha256(repr(parts).encode()).hexdigest()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Ignore further signals: `timeout` and impatient users send several."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
