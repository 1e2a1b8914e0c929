"""The text of each clip: its part of the given text, or what was heard; and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Self

from voxmatrix.dataset.segment.align import align, letters
from voxmatrix.text.lines import unwrap
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.sentences import split
from voxmatrix.text.words import tokens

#: Below, a clip is doubtful: of the letters of its text that were heard, and of the probability of what was heard.
_MIN_ALIKE, _MIN_HEARD = 0.8, 0.6


class Told(NamedTuple):
    """What a clip says."""

    text: str  # in words, as it is spoken
    confidence: float  # 0..1
    reason: str = ""  # why it is left out, as a word; "": it is not
    detail: str = ""


@dataclass(frozen=True)
class Script:
    """What is read, in words as they are spoken, with their marks; `ends`: how many there are up to each sentence."""

    words: Sequence[str]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str, language: str) -> Self:
        """A text as it is written."""
        sentences = [tokens(normalise(sentence, language)) for sentence in split(unwrap(text), language)]
        return cls([word for sentence in sentences for word in sentence], list(accumulate(map(len, sentences))))

    def part(self, start: int, end: int) -> "Script":
        """The words start..end."""
        start, end = max(start, 0), min(end, len(self.words))
        return Script(self.words[start:end], [place - start for place in self.ends if start < place <= end])


def told(heard: Sequence[tuple[str, float]], script: Script | None, language: str) -> list[Told]:
    """The texts of clips in order, given what was heard in each and with which confidence.

    `script` is what was read, if it is known, with pages that were not read or are missing.
    """
    said = [tokens(normalise(one, language)) for one, _ in heard]
    if script is None:
        return [_heard(" ".join(words), sure) for words, (_, sure) in zip(said, heard, strict=True)]
    heard_words = [[found for word in words if (found := letters(word))] for words in said]
    spans = align(heard_words, script.words, set(script.ends))
    texts = []
    for words, span in zip(said, spans, strict=True):
        if span is None:
            reason = "not-in-text" if words else "nothing-heard"
            texts.append(Told(" ".join(words), 0.0, reason))
        else:
            alike = "" if span.confidence >= _MIN_ALIKE else "other words were heard"
            doubt = span.doubt or alike
            texts.append(Told(" ".join(span.of(script.words)), span.confidence, "doubtful" if doubt else "", doubt))
    return texts


def told_at_times(heard: Sequence[tuple[str, float]], texts: Sequence[tuple[int, str]], language: str) -> list[Told]:
    """The texts of clips whose recording has labels: how many clips in order read each text, and that text.

    A clip that is a label has all of its words. It is doubtful if others were heard.
    """
    found: list[Told] = []
    for count, text in texts:
        script = Script.of(text, language)
        some = told(heard[len(found) : len(found) + count], script, language)
        if count == 1 and some[0].reason != "nothing-heard":
            one, whole = some[0], " ".join(script.words)
            if not one.reason and one.text != whole:
                one = one._replace(reason="doubtful", detail="words of its text were not heard")
            reason = one.reason and "doubtful"
            some = [one._replace(text=whole, reason=reason, detail=one.detail or (reason and "other words were heard"))]
        found += some
    return found


def _heard(text: str, confidence: float) -> Told:
    if not any(character.isalnum() for character in text):
        return Told("", 0.0, "nothing-heard")
    if confidence < _MIN_HEARD:
        return Told(text, confidence, "doubtful", "the recogniser is not sure of its words")
    return Told(text, confidence)
