"""A text as it is heard: the one way from a text to samples, for files, streams, books, servers and workers."""

import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Style
from voxmatrix.speak.improbable import ImprobableSpeech
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.synthesize import NOTHING, Check, SpokenSentence, in_words, synthesize
from voxmatrix.speak.text_chunks import complete_texts, divided
from voxmatrix.text.hints import hints
from voxmatrix.text.markup import tagged, without_markup
from voxmatrix.text.passages import JOINT_SECONDS, Passages, without_tags
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.ssml import is_ssml
from voxmatrix.voices.cast import script_tags
from voxmatrix.wording import quoted

if TYPE_CHECKING:
    from voxmatrix.speak.captions import Caption

#: Of what one sentence adds: a text in another script has hundreds.
_MAX_NAMED = 8
#: Players refuse sounds that are much shorter.
_MOMENT_SECONDS = 0.25


@dataclass(frozen=True, kw_only=True)
class Piece:
    """What is heard next: silence, then a sentence or a part of one; both may be empty."""

    number: int  # of the sentence, from 1
    pause: int  # samples of silence before it
    sentence: SpokenSentence
    caption: "Caption | None" = None  # of a sentence that is heard, if captions are wanted

    @property
    def samples(self) -> Samples:
        """All of it."""
        return np.concatenate([np.zeros(self.pause, np.float32), self.sentence.samples])


class Narration:
    """A text in a voice: iterate over its pieces, once. Then it tells what was left out, and what may be wrong.

    A text without words, such as a smiley in a chat, is an error where speech is kept: a file of silence would be taken
    for speech. Where somebody listens (`wordless`), it is a moment of silence: chats send each sentence alone, and stop
    at an error. What has words of which the voice can say none is always an error.
    """

    def __init__(
        self,
        voice: OpenVoice,
        text: str | Iterable[str],
        style: Style,
        *,
        start: SpeechPosition | None = None,
        whole: bool = False,
        captions: bool = False,
        early: bool = False,
        wordless: bool = False,
        passages: Passages | None = None,
        check: Check = lambda: None,
    ) -> None:
        """Nothing is computed yet.

        Args:
            voice: is not closed.
            text: with Markdown, HTML or tags, or SSML; or chunks of it, as they arrive.
            style: how it is spoken.
            start: what is before it was spoken by an earlier command: its pieces are empty.
            whole: the text is one sentence, without markup, as `book` cuts them.
            captions: are wanted. Sentences of a script are then spoken one by one, and none in parts.
            early: the first sentence comes in parts, as it is computed.
            wordless: a text without words is a moment of silence.
            passages: of an earlier part of the same text: what tags and quotations go on.
            check: is called before anything is computed; an exception ends the speech.

        Raises:
            UsageError, BadInputError: the voice cannot speak in this style.
        """
        voice.card.check(style)
        #: What could not be spoken, each thing once.
        self.findings: list[Finding] = []
        #: What would be written in another way, each thing once.
        self.hints: list[Finding] = []
        #: Sentences that were spoken, here or by an earlier command.
        self.sentences = 0
        self.improbable = ImprobableSpeech(style)
        self._voice, self._text, self._style = voice, text, style
        self._start = start or SpeechPosition()
        self._whole, self._captions, self._early, self._wordless = whole, captions, early and not captions, wordless
        self._passages, self._check = passages, check
        self._unknown: set[str] = set()

    def __iter__(self) -> Generator[Piece, None, None]:
        """The pieces.

        Raises:
            BadInputError: there is nothing to speak, or the cast lacks a voice.
            And what `synthesize` raises.
        """
        count, frames = 0, self._start.frames
        with closing(self._sentences()) as sentences:
            for sentence in sentences:
                count += sentence.begins
                self._note(sentence, count)
                pause = self._pause(sentence, after_speech=frames > 0) if count > self._start.sentences else 0
                is_captioned = self._captions and bool(sentence.utterance.segments)
                caption = _caption(sentence, frames + pause) if is_captioned else None
                yield Piece(number=count, pause=pause, sentence=sentence, caption=caption)
                frames += pause + len(sentence.samples)
        if not self.sentences:
            yield self._moment(count, frames)

    def _sentences(self) -> Generator[SpokenSentence, None, None]:
        card, style = self._voice.card, self._style
        texts = _texts(self._text, card, style, self._hint, whole=self._whole)
        words = in_words(texts, card, style, whole=self._whole, scripts=not self._captions, passages=self._passages)
        return synthesize(self._voice, words, style, self._start, early=self._early, check=self._check)

    def _hint(self, text: str) -> None:
        self.hints += [hint for hint in hints(text) if hint not in self.hints]

    def _note(self, sentence: SpokenSentence, count: int) -> None:
        """Remember what is said of the whole text."""
        if sentence.begins and (count <= self._start.sentences or sentence.utterance.segments):
            self.sentences += 1
        if not self._whole:  # sentences of books are compared with each other, too
            self.improbable.add(sentence)
        if not sentence.begins:
            return
        if new := sorted(sentence.utterance.unknown - self._unknown):
            names = " ".join(map(repr, new[:_MAX_NAMED])) + " …" * (len(new) > _MAX_NAMED)
            problem = f"the voice has no symbol {names} (first seen in {quoted(sentence.text.text)}); it is left out"
            remedy = "choose a voice of that language, or ignore it"
            self.findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
        self._unknown |= sentence.utterance.unknown
        self.findings += sentence.utterance.findings

    def _pause(self, sentence: SpokenSentence, *, after_speech: bool) -> int:
        """The silence before a sentence, in samples."""
        if not sentence.begins:
            return 0
        between = self._style.pause_seconds if sentence.utterance.segments and after_speech else 0.0
        if sentence.text.continues:
            between = min(between, JOINT_SECONDS)
        return round(between * sentence.rate_hz) + round(sentence.text.pause * sentence.rate_hz)

    def _moment(self, count: int, frames: int) -> Piece:
        """What stands for a text of which nothing was spoken.

        Raises:
            BadInputError: it has words, or is to be kept.
        """
        if not self._wordless or not isinstance(self._text, str) or has_words(without_tags(tagged(self._text))):
            raise _nothing_to_speak(self.findings)
        rate_hz = self._voice.card.rate_hz
        silence = np.zeros(max(0, round(_MOMENT_SECONDS * rate_hz) - frames), np.float32)
        sentence = SpokenSentence(text=SpokenText("", ""), utterance=NOTHING, samples=silence, rate_hz=rate_hz)
        return Piece(number=count + 1, pause=0, sentence=sentence)


def has_words(text: str) -> bool:
    """Whether there are letters or digits, or characters that are no text."""
    return any(unicodedata.category(character).startswith(("L", "N", "Co", "Cs")) for character in text)


def _texts(
    text: str | Iterable[str], card: VoiceCard, style: Style, see: Callable[[str], None], *, whole: bool
) -> Iterable[str]:
    """The text in parts that are spoken one after the other, with tags as the only markup. All of it is seen before."""
    if isinstance(text, str):
        if not whole:
            see(text)
        return [text] if whole else divided(script_tags(tagged(text), card, style), card.language)
    chunks = iter(text)
    first = next(chunks, "")
    if is_ssml(first):
        return _texts("".join([first, *chunks]), card, style, see, whole=False)
    return _arriving(chain([first], chunks), card, style, see)


def _arriving(chunks: Iterable[str], card: VoiceCard, style: Style, see: Callable[[str], None]) -> Iterator[str]:
    for part in complete_texts(chunks, card.language):
        see(part)
        yield script_tags(without_markup(part), card, style)


def _caption(sentence: SpokenSentence, start: int) -> "Caption":
    """The caption of a whole sentence whose first sample is number `start`."""

    from voxmatrix.speak.captions import Caption, CaptionWord

    def milliseconds(samples: int) -> int:
        return round(1000 * (start + samples) / sentence.rate_hz)

    timed = sentence.utterance.words()
    words = (CaptionWord(one.text, milliseconds(one.start), milliseconds(one.end)) for one in timed)
    return Caption(sentence.text.source, milliseconds(0), milliseconds(len(sentence.samples)), tuple(words))


def _nothing_to_speak(findings: list[Finding]) -> BadInputError:
    if not findings:
        return BadInputError("there is nothing to speak", "give a text that contains words")
    return BadInputError(f"there is nothing to speak: {findings[0].problem}", findings[0].remedy)
