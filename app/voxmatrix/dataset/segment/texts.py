"""The text of each clip: its part of the given text, or what was heard; and how sure that is."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

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


def told(heard: Sequence[tuple[str, float]], text: str | None, language: str) -> list[Told]:
    """The texts of clips in order, given what was heard in each and with which confidence.

    `text` is what was read, if it is known: as it is written, with pages that were not read or are missing.
    """
    said = [tokens(normalise(one, language)) for one, _ in heard]
    if text is None:
        return [_heard(" ".join(words), sure) for words, (_, sure) in zip(said, heard, strict=True)]
    sentences = [tokens(normalise(sentence, language)) for sentence in split(unwrap(text), language)]
    written = [word for sentence in sentences for word in sentence]
    heard_words = [[found for word in words if (found := letters(word))] for words in said]
    spans = align(heard_words, written, set(accumulate(map(len, sentences))))
    texts = []
    for words, span in zip(said, spans, strict=True):
        if span is None:
            reason = "not-in-text" if words else "nothing-heard"
            texts.append(Told(" ".join(words), 0.0, reason))
        else:
            alike = "" if span.confidence >= _MIN_ALIKE else "other words were heard"
            doubt = span.doubt or alike
            texts.append(Told(" ".join(span.of(written)), span.confidence, "doubtful" if doubt else "", doubt))
    return texts


def _heard(text: str, confidence: float) -> Told:
    if not any(character.isalnum() for character in text):
        return Told("", 0.0, "nothing-heard")
    if confidence < _MIN_HEARD:
        return Told(text, confidence, "doubtful", "the recogniser is not sure of its words")
    return Told(text, confidence)
