"""Sentences whose speech cannot be that of their texts: found while they are spoken, and told in one or a few lines."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import Finding
from voxmatrix.judge.sound import improbable, measure
from voxmatrix.models.style import Style
from voxmatrix.speak.synthesize import SpokenSentence
from voxmatrix.wording import pluralise, quoted

#: Sentences that are told one by one. A voice that is at fault says all of them wrong.
_NAMED = 3
_REMEDY = "listen to it, and speak it again or choose another voice"


class ImprobableSentence(NamedTuple):
    """A sentence, and what is wrong with its speech."""

    number: int  # from 1
    text: str  # as it is written
    problem: str


class ImprobableSpeech:
    """Takes the sentences of a text as they are spoken, whole or in parts. What a command before has spoken is not."""

    def __init__(self, style: Style) -> None:
        """How the text is spoken."""
        self._style = style
        self._count = 0
        self._found: list[ImprobableSentence] = []
        self._sentence: SpokenSentence | None = None
        self._parts: list[Samples] = []

    def add(self, part: SpokenSentence) -> None:
        """Take a sentence, or a further part of one."""
        if part.begins:
            self._judge()
            self._sentence = part if part.utterance.segments else None
        if self._sentence is not None:
            self._parts.append(part.samples)

    def sentences(self) -> list[ImprobableSentence]:
        """The sentences that were found, once all are spoken."""
        self._judge()
        return self._found

    def _judge(self) -> None:
        """Judge the last sentence. Silence at no volume is what was asked for."""
        sentence, self._sentence = self._sentence, None
        parts, self._parts = self._parts, []
        if sentence is None or not self._style.volume:
            return
        self._count += 1
        samples = np.concatenate(parts) / np.float32(self._style.volume)
        speed = self._style.speed * sentence.text.rate
        if problem := improbable(sentence.text.text, measure(samples, sentence.rate_hz), speed):
            self._found.append(ImprobableSentence(self._count, sentence.text.source, problem))


def findings(sentences: list[ImprobableSentence]) -> Iterator[Finding]:
    """What is told of them, in their words."""
    for one in sentences[:_NAMED]:
        yield Finding(problem=f"{quoted(one.text)}: {one.problem}", remedy=_REMEDY, severity="warning")
    if (rest := len(sentences) - _NAMED) > 0:
        yield Finding(problem=f"{pluralise(rest, 'sentence')} more like these", remedy=_REMEDY, severity="warning")


def without_words(sentences: list[ImprobableSentence]) -> str:
    """What is told of them where no text may stand, such as a log; "" if there is nothing to tell."""
    told = [f"sentence {one.number} of {len(one.text)} characters: {one.problem}" for one in sentences[:_NAMED]]
    rest = len(sentences) - _NAMED
    return "; ".join([*told, *([f"{rest} more"] if rest > 0 else [])])
