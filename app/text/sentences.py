"""Text to sentences, before phonemes: `Dr. Smith paid $5.20.` is one sentence."""

import re

#: Some 25 seconds of speech: longer ones are broken where they pause, so that the memory of a voice stays bounded.
MAX_CHARACTERS = 400

_PARAGRAPH = re.compile(r"\n\s*\n+")


def split(text: str, language: str) -> list[str]:
    """The sentences of a text in order, none empty, none longer than MAX_CHARACTERS."""
    found = []
    for paragraph in _PARAGRAPH.split(text):
        for sentence in _sentences(" ".join(paragraph.split()), language):
            found += _short(sentence.strip())
    return found


def _sentences(paragraph: str, language: str) -> list[str]:
    from sentencex import segment

    return [sentence for sentence in segment(language.split("-", maxsplit=1)[0], paragraph) if sentence.strip()]


def _short(sentence: str) -> list[str]:
    pieces = []
    while len(sentence) > MAX_CHARACTERS:
        cut = sentence.rfind(" ", 0, MAX_CHARACTERS) + 1 or MAX_CHARACTERS
        pieces.append(sentence[:cut].strip())
        sentence = sentence[cut:].strip()
    return [piece for piece in [*pieces, sentence] if piece]
