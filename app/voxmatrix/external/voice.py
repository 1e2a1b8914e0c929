"""An open voice of an engine: sentences go to its process one after the other, and are heard while they are made."""

import math
import threading
from collections.abc import Collection
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.pauses import cut_at_pause
from voxmatrix.audio.waves import Samples
from voxmatrix.closing import Closeable
from voxmatrix.errors import Finding
from voxmatrix.external.installed import Engine
from voxmatrix.external.manifest import CapabilitiesTable
from voxmatrix.external.process import EngineStart, Limits, Recording
from voxmatrix.external.shared import share
from voxmatrix.external.voice_file import VoiceFile, read_voice, reference_path
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import Utterance
from voxmatrix.models.reference import Reference
from voxmatrix.models.style import Style
from voxmatrix.text.sentences import MAX_CHARACTERS, shortened
from voxmatrix.text.spoken import SpokenText
from voxmatrix.wording import quoted

#: A sentence is handed out in pieces as it arrives: their number is fixed before it is known how long it will be.
_PIECE_SECONDS = 0.5
_CHARACTERS_PER_SECOND = 12.0
#: What no sentence needs: an engine that goes on and on is stopped.
_MAX_SECONDS, _MAX_SECONDS_PER_CHARACTER = 20.0, 0.5
_SEEDS = 2**32


class ExternalVoice(Closeable):
    """An open voice. Close it, or use it as a context manager."""

    parallel = 1

    def __init__(
        self,
        card: VoiceCard,
        voice: VoiceFile,
        engine: Engine,
        start: EngineStart,
        limits: Limits,
    ) -> None:
        self.card = card
        self._voice, self._can, self._knobs = voice, engine.manifest.can, engine.manifest.knob
        self._recording: Recording | None = None
        self._engine = share(engine, start, limits)
        self._begun: set[_Sentence] = set()
        self._closed = False
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._loading: Future[None] = self._pool.submit(self._load)

    @property
    def is_loaded(self) -> bool:
        """Whether it could speak at once."""
        return self._loading.done() and self._loading.exception() is None

    @property
    def processes(self) -> Collection[int]:
        """That of its engine, while it runs."""
        return self._engine.processes

    def load(self) -> None:
        """Wait until the engine has opened its weights.

        Raises:
            VoxmatrixError: it cannot.
        """
        self._loading.result()

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Begin to speak a sentence, after those before it."""
        if not any(character.isalnum() for character in text.text):
            remedy = "nothing needs to be done, unless a word is missing"
            nothing = Finding(problem=f"{quoted(text.text)} has no word", remedy=remedy, severity="warning")
            return Utterance(findings=(nothing,))
        self.card.speaker(style.speaker)
        sentence = _Sentence(self.card.rate_hz, text, streams=self._can.stream != "none")
        self._begun.add(sentence)
        self._pool.submit(self._speak, sentence, style, seed)
        return Utterance(segments=sentence.segments, symbols=len(text.text), cancel=sentence.cancel)

    def warnings(self) -> tuple[Finding, ...]:
        """None: the engine was checked when it was installed."""
        return ()

    def close(self) -> None:
        """Stop speaking, and let the engine end."""
        if self._closed:
            return
        self._closed = True
        for sentence in list(self._begun):
            sentence.cancel()
        self._engine.close()
        self._pool.shutdown(cancel_futures=True)

    def _load(self) -> None:
        self._recording = recording_of(self.card.path, self._voice, self._can)
        self._engine.load()

    def _speak(self, sentence: "_Sentence", style: Style, seed: int | None) -> None:
        """Speak a sentence, in as many requests as its length needs; in the thread of this voice."""
        try:
            self._loading.result()
            script, recordings = {"turns": sentence.turns} if sentence.turns else {}, self._recordings(sentence, style)
            parts = [sentence.text] if script else shortened(sentence.text, self._max_characters)
            for number, part in enumerate(parts):
                if sentence.is_cancelled():
                    break
                request = self._request(part, style, None if seed is None else (seed + number) % _SEEDS)
                most = _MAX_SECONDS + _MAX_SECONDS_PER_CHARACTER * len(part) / style.speed
                self._engine.speak({**request, **script}, recordings, sentence.add, sentence.is_cancelled, most)
            sentence.end()
        except BaseException as error:
            sentence.end(error)
        finally:
            self._begun.discard(sentence)

    def _recordings(self, sentence: "_Sentence", style: Style) -> list[Recording | None]:
        """Those that are imitated: of each speaker of a script in order, else of this voice."""
        found: list[Recording | None] = []
        for name in dict.fromkeys(name for name, _ in sentence.turns) or [""]:
            path = Path(style.cast[name].voice) if name else self.card.path
            own = path == self.card.path
            if own and style.reference is not None:
                found.append(_heard(style.reference, self._can))
            else:
                found.append(self._recording if own else recording_of(path, read_voice(path), self._can))
        return found

    @property
    def _max_characters(self) -> int:
        limits = self._can.max_characters
        language = self.card.language
        found = limits.get(language) or limits.get(language.partition("-")[0]) or limits.get("default")
        return min(found or MAX_CHARACTERS, MAX_CHARACTERS)

    def _request(self, text: str, style: Style, seed: int | None) -> dict[str, Any]:
        integers = {name for name, knob in self._knobs.items() if knob.type == "integer"}
        knobs = {name: round(value) if name in integers else value for name, value in style.knobs.items()}
        request = {"text": text, "language": self.card.language, "speed": style.speed, "seed": seed, "knobs": knobs}
        named = self._voice.voice and style.reference is None
        return {**request, "voice": self._voice.voice} if named else request


def recording_of(path: Path, voice: VoiceFile, can: CapabilitiesTable) -> Recording | None:
    """The recording of a voice as the engine wants it: mono, at its rate, and up to a pause before the most it uses.

    Raises:
        BadInputError: the recording is missing, or cannot be read.
    """
    from voxmatrix.audio.load import read

    if voice.reference is None:
        return None
    samples = read(reference_path(path, voice.reference), _rate_hz(can)).samples
    return _heard(Reference(voice.reference.sha256, samples, _rate_hz(can), voice.reference.transcript), can)


def _rate_hz(can: CapabilitiesTable) -> int:
    """The sample rate of recordings that an engine wants."""
    return (can.reference and can.reference.rate) or can.rate


def _heard(reference: Reference, can: CapabilitiesTable) -> Recording:
    """The part of a recording that the engine uses, at its rate: it ends in a pause, not in a word."""
    import soxr

    samples, rate_hz = reference.samples, _rate_hz(can)
    if reference.rate_hz != rate_hz:
        samples = soxr.resample(samples, reference.rate_hz, rate_hz).astype(np.float32)
    if can.reference:
        samples = cut_at_pause(samples, rate_hz, *can.reference.seconds)
    return Recording(reference.sha256, samples, rate_hz, reference.transcript)


class _Sentence:
    """The samples of a sentence as they arrive, for those who wait for its pieces."""

    def __init__(self, rate_hz: int, text: SpokenText, *, streams: bool) -> None:
        self.text, self.turns = text.text, text.turns
        self._piece = round(_PIECE_SECONDS * rate_hz)
        expected = len(self.text) / _CHARACTERS_PER_SECOND / _PIECE_SECONDS
        self._count = math.ceil(expected) + 1 if streams else 1
        self._changed = threading.Condition()
        self._parts: list[Samples] = []
        self._size = 0
        self._ended = self._cancelled = False
        self._error: BaseException | None = None

    @property
    def segments(self) -> list[partial[Samples]]:
        """Its pieces; the last one is all the rest."""
        return [partial(self._segment, number) for number in range(self._count)]

    def add(self, samples: Samples) -> None:
        """Further samples."""
        with self._changed:
            self._parts.append(samples)
            self._size += len(samples)
            self._changed.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """There are no more."""
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def cancel(self) -> None:
        """Nobody wants it any more."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def is_cancelled(self) -> bool:
        """Whether that is so."""
        return self._cancelled

    def _segment(self, number: int) -> Samples:
        start, is_last = number * self._piece, number == self._count - 1
        end = start + self._piece
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._cancelled or (self._size >= end and not is_last))
            if self._error is not None:
                raise self._error
            if self._cancelled:
                raise CancelledError
            whole = np.concatenate([np.zeros(0, np.float32), *self._parts])
        return whole[start:] if is_last else whole[start:end]
