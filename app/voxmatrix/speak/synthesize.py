"""Text to sentences that sound: in order, equally loud, each while the next ones are computed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from voxmatrix.audio.loudness import Leveller
from voxmatrix.speak.engines.base import Manner, Part, Samples
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.prefetch import synthesized
from voxmatrix.speak.voice import Voice
from voxmatrix.text.front import FrontEnd, Sentence


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """One sentence and how it sounds."""

    sentence: Sentence
    samples: Samples
    rate_hz: int

    @property
    def seconds(self) -> float:
        """How long it sounds."""
        return len(self.samples) / self.rate_hz


def front_end(voice: Voice, settings: SpeakSettings) -> FrontEnd:
    """What turns text into the ids of this voice."""
    card = voice.card
    return FrontEnd(card.espeak_voice, card.phoneme_type, card.id_map, normalise=settings.normalise)


def manner_of(voice: Voice, settings: SpeakSettings) -> Manner:
    """The settings in the terms of the networks; what is not said, the card says.

    Raises:
        BadInputError: the voice has no such speaker.
    """
    card = voice.card
    return Manner(
        speaker=voice.speaker(settings.speaker),
        noise=card.noise_scale if settings.noise is None else settings.noise,
        length=card.length_scale / settings.speed,
        noise_w=card.noise_w if settings.noise_w is None else settings.noise_w,
    )


def speak(voice: Voice, front: FrontEnd, texts: Iterable[str], settings: SpeakSettings) -> Iterator[Spoken]:
    """Speak texts sentence by sentence. Each text holds whole sentences; what cannot be said is in `front.findings`.

    Raises:
        BadInputError: the voice has no such speaker, or is none.
        DamagedFileError: a file of the voice is damaged.
    """
    manner = manner_of(voice, settings)
    rate_hz = voice.card.rate_hz
    leveller = Leveller(rate_hz) if settings.levelled else None

    def begin(sentence: Sentence) -> list[Part]:
        return voice.engine.begin(sentence.ids, manner)

    sentences = (sentence for text in texts for sentence in front.sentences(text))
    computed = synthesized(sentences, begin, voice.workers, begin_in_order=settings.seed is not None)
    for sentence, samples in computed:
        heard = voice.checked(samples)
        yield Spoken(sentence=sentence, samples=leveller.level(heard) if leveller else heard, rate_hz=rate_hz)
