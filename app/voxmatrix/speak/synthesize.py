"""Synthesise a text sentence by sentence, computing ahead, with levelled loudness."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from voxmatrix.audio.loudness import Leveller
from voxmatrix.audio.samples import Samples
from voxmatrix.piper.engines.base import PendingSamples, SynthesisOptions
from voxmatrix.piper.voice import Voice
from voxmatrix.speak.early import pieces
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.prefetch import prefetch, whole
from voxmatrix.text.front import FrontEnd, Sentence


@dataclass(frozen=True, kw_only=True)
class SpokenSentence:
    """A sentence, or a part of one, and its samples, which are empty if an earlier command has spoken it."""

    sentence: Sentence
    samples: Samples
    rate_hz: int
    gain_db: float | None = None  # of the leveller, for the sentences that follow
    begins: bool = True  # else it goes on with the sentence before it

    @property
    def seconds(self) -> float:
        """The duration."""
        return len(self.samples) / self.rate_hz


def front_end(voice: Voice, settings: SpeakSettings) -> FrontEnd:
    """The front end that turns text into the phoneme ids of this voice."""
    config = voice.config
    return FrontEnd(config.espeak_voice, config.phoneme_type, config.id_map, settings.lexicon)


def synthesis_options(voice: Voice, settings: SpeakSettings) -> SynthesisOptions:
    """The settings as inputs of the networks; what is not set comes from the voice config.

    Raises:
        BadInputError: the voice has no such speaker.
    """
    config = voice.config
    return SynthesisOptions(
        speaker=voice.speaker(settings.speaker),
        noise=config.noise_scale if settings.noise is None else settings.noise,
        length=config.length_scale / settings.speed,
        noise_w=config.noise_w if settings.noise_w is None else settings.noise_w,
    )


def synthesize(
    voice: Voice,
    front: FrontEnd,
    texts: Iterable[str],
    settings: SpeakSettings,
    start: SpeechPosition | None = None,
    *,
    early: bool = False,
) -> Generator[SpokenSentence, None, None]:
    """Speak texts sentence by sentence. Texts consist of whole sentences; `front.findings` lists what was left out.

    The sentences before `start` are not computed, but the others sound as if they had been. With `early`, the first
    one comes in parts while it is computed, as loud as those before it; if there were none, as its first 1.5 seconds.

    Raises:
        BadInputError: the voice has no such speaker, or cannot be used.
        DamagedFileError: a file of the voice is corrupt.
    """
    options = synthesis_options(voice, settings)
    rate_hz = voice.config.rate_hz
    start = start or SpeechPosition()
    leveller = Leveller(rate_hz, start.gain_db) if settings.levelled else None

    def begin(sentence: Sentence) -> list[PendingSamples]:
        return voice.engine.begin(sentence.ids, options)

    sentences = (sentence for text in texts for sentence in front.sentences(text))
    for sentence in islice(sentences, start.sentences):
        if settings.seed is not None:
            begin(sentence)  # uses up its random numbers
        yield SpokenSentence(sentence=sentence, samples=np.zeros(0, np.float32), rate_hz=rate_hz)
    in_order = settings.seed is not None
    measured = leveller is not None and leveller.gain_db is None
    cut = partial(pieces, rate_hz=rate_hz, measured=measured) if early else whole
    first = last = None
    for sentence, samples in prefetch(sentences, begin, voice.workers, begin_in_order=in_order, cut_first=cut):
        first = first or sentence
        begins, last = sentence is not last, sentence
        spoken = voice.checked(samples)
        is_whole = not (early and sentence is first)
        levelled = leveller.level(spoken, begins=begins, whole=is_whole) if leveller else spoken
        if settings.volume != 1.0:
            levelled = levelled * np.float32(settings.volume)
        gain_db = leveller.gain_db if leveller else None
        yield SpokenSentence(sentence=sentence, samples=levelled, rate_hz=rate_hz, gain_db=gain_db, begins=begins)
