"""Speak sentences, computing ahead, with levelled loudness."""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice

import numpy as np

from voxmatrix.audio.loudness import Leveller
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice, PendingSamples, Utterance
from voxmatrix.models.style import MAX_SPEED, Style
from voxmatrix.speak.first_chunk import split_early
from voxmatrix.speak.joints import joint_edges, moved_words
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.prefetch import prefetch, whole
from voxmatrix.text.normalisation.say_as import without_marks, without_phonemes
from voxmatrix.text.passages import Passage, Passages, joined
from voxmatrix.text.spoken import SpokenText, spoken_sentences
from voxmatrix.text.words import sources
from voxmatrix.voices.resolve import resolve

NOTHING = Utterance()
#: Of a script. What fails is spoken again as a whole.
MAX_SCRIPT_CHARACTERS = 2000
#: Called before anything is computed; an exception ends the speech.
Check = Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class SpokenSentence:
    """A sentence, or a part of one, and its samples: none if it cannot be spoken, or an earlier command has."""

    text: SpokenText
    utterance: Utterance
    samples: Samples
    rate_hz: int
    gain_db: float | None = None  # of the leveller, for the sentences that follow
    begins: bool = True  # else it continues the sentence before it

    @property
    def seconds(self) -> float:
        """The duration."""
        return len(self.samples) / self.rate_hz


def in_words(
    texts: Iterable[str],
    card: VoiceCard,
    style: Style,
    *,
    whole: bool = False,
    scripts: bool = False,
    passages: Passages | None = None,
) -> Iterator[SpokenText]:
    """The sentences of texts in words, as they become ready. With `whole`, each text is one sentence already.

    Tags in the texts (`text.passages`) choose among the voices of the style's cast. With `scripts`, sentences of
    voices that one model speaks together are one. A pause at the end is a sentence without text. `passages` are those
    of an earlier part of the same text.

    Raises:
        BadInputError: the cast lacks a voice, or it cannot be used.
    """
    cards = {"": card} | {name: resolve(role.voice) for name, role in style.cast.items()}
    if whole:
        for text in texts:
            passage = Passage(text, continues=style.continues, breaks_off=style.breaks_off)
            yield from _sentences(passage, card, style, whole=True)
        return
    together = {name for name, one in cards.items() if card.speaks_with(one)} if scripts else set()
    passages = passages or passages_of(style, card.language)
    sentences = _in_passages(texts, cards, style, passages, scripts=len(together) > 1)
    yield from _scripts(sentences, together, card) if len(together) > 1 else sentences


def passages_of(style: Style, language: str) -> Passages:
    """The reader of a text in this language that is spoken in this style."""
    return Passages(style.dialogue_voice, style.emphasis_voice, language)


def _in_passages(
    texts: Iterable[str], cards: Mapping[str, VoiceCard], style: Style, passages: Passages, *, scripts: bool
) -> Iterator[SpokenText]:
    same = {"": (str(cards[""].path), style.speaker, style.reference)}
    same |= {name: (role.voice, role.speaker, None) for name, role in style.cast.items()}
    for text in texts:
        for passage in joined(passages.read(text), {} if scripts else same):
            card = cards.get(passage.voice.casefold())
            if card is None:
                raise BadInputError(
                    f"the text names the voice {passage.voice!r}, which is not in the cast",
                    "add it to the table of `cast`, or remove the tag",
                )
            yield from _sentences(passage, card, style)
    if rest := passages.rest():
        yield SpokenText("", "", pause=rest)


def _scripts(sentences: Iterable[SpokenText], together: Container[str], card: VoiceCard) -> Iterator[SpokenText]:
    """Join what voices that one model speaks `together` say one after the other, unless a tag is between them."""
    held: list[SpokenText] = []
    for sentence in sentences:
        speakers = {one.voice.casefold() for one in (*held, sentence)}
        size = sum(len(one.text) + 1 for one in (*held, sentence))
        continues = sentence.voice.casefold() in together and not sentence.pause and sentence.text
        fits = len(speakers) <= card.capabilities.speakers_in_one_text and size <= MAX_SCRIPT_CHARACTERS
        if held and not (continues and fits and sentence.rate == held[0].rate and held[0].voice.casefold() in together):
            yield from _script(held)
            held = []
        held.append(sentence)
    yield from _script(held)


def _script(sentences: Sequence[SpokenText]) -> Sequence[SpokenText]:
    """The sentences as one, if several voices say them."""
    if len({one.voice.casefold() for one in sentences}) < 2:
        return sentences
    said = groupby(sentences, lambda one: one.voice.casefold())
    turns = tuple((voice, " ".join(one.text for one in each)) for voice, each in said)
    text, source = (" ".join(parts) for parts in zip(*((one.text, one.source) for one in sentences), strict=True))
    last = sentences[-1].breaks_off
    return [sentences[0]._replace(text=text, source=source, voice="", turns=turns, breaks_off=last)]


def _sentences(passage: Passage, card: VoiceCard, style: Style, *, whole: bool = False) -> Iterator[SpokenText]:
    by_espeak = card.capabilities.phonemes  # a voice that takes none knows how to read words, and only words
    text = passage.text if by_espeak else without_phonemes(passage.text)
    pause, applied = passage.pause, style.lexicon.apply(text, card.language)
    found: Iterable[SpokenText] = spoken_sentences(
        applied, card.language, whole=whole, normalised=style.normalised, by_espeak=by_espeak
    )
    if applied != text:
        found = list(found)
        written = sources(without_marks(text), [sentence.source for sentence in found])
        found = [sentence._replace(source=source) for sentence, source in zip(found, written, strict=True)]
    if passage.breaks_off:
        found = list(found)  # empty: nothing of it is said
        found[-1:] = [last._replace(breaks_off=True) for last in found[-1:]]
    continues = passage.continues
    for sentence in found:
        yield sentence._replace(voice=passage.voice, rate=passage.rate, pause=pause, continues=continues)
        pause, continues = 0.0, False


def synthesize(
    voice: OpenVoice,
    texts: Iterable[SpokenText],
    style: Style,
    start: SpeechPosition | None = None,
    *,
    early: bool = False,
    check: Check = lambda: None,
) -> Generator[SpokenSentence, None, None]:
    """Speak sentences in order.

    Those before `start` are not computed, but the others sound as if they had been. With `early`, the first one comes
    in parts while it is computed, as loud as those before it; if there were none, as its first 1.5 seconds.

    Raises:
        BadInputError: the voice has no such speaker, or cannot be used.
        DamagedFileError: a file of the voice is corrupt.
        Whatever `check` raises.
    """
    rate_hz = voice.card.rate_hz
    start = start or SpeechPosition()
    leveller = Leveller(rate_hz, start.gain_db) if style.levelled else None

    def begin(text: SpokenText) -> Utterance:
        check()
        if not text.text:
            return NOTHING
        utterance = voice.say(text, _at_rate(style, text.rate), style.sentence_seed(text.text))
        return replace(utterance, segments=[partial(_checked, check, segment) for segment in utterance.segments])

    sentences = iter(texts)
    for text in islice(sentences, start.sentences):
        yield SpokenSentence(text=text, utterance=NOTHING, samples=np.zeros(0, np.float32), rate_hz=rate_hz)
    measured = leveller is not None and leveller.gain_db is None
    cut = partial(split_early, rate_hz=rate_hz, measured=measured) if early else whole
    first = last = None
    for text, utterance, samples in prefetch(sentences, begin, voice.parallel, cut_first=cut, check=check):
        first = first or (utterance if utterance.segments else None)
        begins, last = utterance is not last, utterance
        spoken, said, is_whole = _finite(samples, voice.card), utterance, not (early and utterance is first)
        if begins and is_whole and (text.continues or text.breaks_off):
            edges = joint_edges(spoken, rate_hz, before=text.continues, behind=text.breaks_off)
            spoken, said = spoken[slice(*edges)], moved_words(utterance, *edges)
        if leveller and len(spoken):
            spoken = leveller.level(spoken, begins=begins, whole=is_whole)
        if style.volume != 1.0:
            spoken = spoken * np.float32(style.volume)
        gain_db = leveller.gain_db if leveller else None
        yield SpokenSentence(text=text, utterance=said, samples=spoken, rate_hz=rate_hz, gain_db=gain_db, begins=begins)


def _at_rate(style: Style, rate: float) -> Style:
    return style if rate == 1.0 else replace(style, speed=min(max(style.speed * rate, 1 / MAX_SPEED), MAX_SPEED))


def _checked(check: Check, segment: PendingSamples) -> Samples:
    check()
    return segment()


def _finite(samples: Samples, card: VoiceCard) -> Samples:
    """Return the samples if all of them are finite.

    Raises:
        DamagedFileError: some are not, which means that the weights are corrupt.
    """
    if np.isfinite(samples).all():
        return samples
    raise DamagedFileError(
        f"the voice {card.path} produces samples that are not finite: its weights are corrupt",
        "use an earlier checkpoint of the run, or download the voice again",
    )
