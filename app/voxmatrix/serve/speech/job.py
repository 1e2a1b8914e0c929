"""Speak one text with one voice into an outbox: the part of an answer that computes, in a thread of its own."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError, VoxmatrixError
from voxmatrix.piper.engines.base import Engine, PendingSamples, SynthesisOptions
from voxmatrix.piper.voice import Voice
from voxmatrix.serve.speech.formats import FormatName, encoder
from voxmatrix.serve.speech.outbox import Outbox
from voxmatrix.serve.voices.catalogue import ListedVoice
from voxmatrix.serve.voices.loaded import LoadedVoices, OpenVoice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.synthesize import synthesize
from voxmatrix.speak.text_chunks import paragraphs
from voxmatrix.text.front import FrontEnd


@dataclass(frozen=True, kw_only=True)
class SpeechJob:
    """A text to speak."""

    text: str
    voice: ListedVoice
    settings: SpeakSettings
    format: FormatName
    streamed: bool = True  # it is heard while it is computed


@dataclass
class SpeechUsage:
    """What was spoken so far. The units of a text are the symbols that the voice reads, and the frames it makes."""

    seconds: float = 0.0
    symbols: int = 0
    frames: int = 0


class _Stoppable:
    """An engine that computes nothing more once the client has left; a step takes a fraction of a second."""

    def __init__(self, engine: Engine, outbox: Outbox) -> None:
        self._engine = engine
        self._outbox = outbox

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """Prepare a sentence."""
        self._outbox.check()
        return [partial(self._step, pending) for pending in self._engine.begin(ids, options)]

    def reseed(self, seed: int) -> None:
        """Answers have no seed of their own."""
        self._engine.reseed(seed)

    def _step(self, pending: PendingSamples) -> Samples:
        self._outbox.check()
        return pending()


def run(job: SpeechJob, voices: LoadedVoices, outbox: Outbox, spoken: SpeechUsage) -> None:
    """Speak the text into the outbox.

    Raises:
        LeftError: the client has left.
        BadInputError: there is nothing to speak. Nothing was put into the outbox.
        LoadingError: the voice cannot be loaded. Nothing was put into the outbox.
        VoxmatrixError: the voice, its device or ffmpeg failed.
    """
    outbox.check()
    with voices.use(job.voice) as opened, opened.front() as front:
        _speak(job, opened, front, outbox, spoken)
    outbox.check()


def _speak(job: SpeechJob, opened: OpenVoice, front: FrontEnd, outbox: Outbox, spoken: SpeechUsage) -> None:
    voice: Voice = opened.voice.with_engine(_Stoppable(opened.voice.engine, outbox))
    config = voice.config
    pause = np.zeros(round(job.settings.pause_seconds * config.rate_hz), np.float32)
    speaker = voice.speaker(job.settings.speaker)
    start = SpeechPosition(gain_db=opened.gains_db.get(speaker) if job.streamed else None)
    with encoder(job.format, config.rate_hz, outbox.put) as write:
        texts = paragraphs(job.text)
        with closing(synthesize(voice, front, texts, job.settings, start, early=job.streamed)) as parts:
            total = 0
            for part in parts:
                samples = part.samples
                if part.begins:
                    samples = np.concatenate([pause, samples]) if spoken.symbols else samples
                    spoken.symbols += len(part.sentence.ids)
                write(samples)
                total += len(samples)
                spoken.frames = total // config.hop
                spoken.seconds = total / config.rate_hz
                if part.gain_db is not None:
                    opened.gains_db[speaker] = part.gain_db
        if not spoken.symbols:
            raise BadInputError("there is nothing to speak in the text", "give a text that contains words")


def public(error: VoxmatrixError, voice: ListedVoice) -> str:
    """The problem without the place of the voice on this computer."""
    return error.problem.replace(str(voice.path), voice.id)
