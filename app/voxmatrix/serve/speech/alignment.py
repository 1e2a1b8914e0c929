"""When the characters of a text are heard, as ElevenLabs' API tells it: by the words of sentences, in order."""

from collections.abc import Iterable
from typing import Any

from voxmatrix.speak.captions import Caption, CaptionWord

#: A word stands within so many characters after the one before it: between them are marks that are not read out.
_WINDOW = 300


class CharacterAlignment:
    """The times of all characters of a text, each once, as its sentences become known."""

    def __init__(self, text: str) -> None:
        self._text = text.encode("utf-8", "replace").decode()  # without halves of surrogates, which are no characters
        self._place = 0  # the first character without a time
        self._end_ms = 0  # of the character before it

    def next(self, captions: Iterable[Caption]) -> dict[str, Any] | None:
        """The characters up to the end of these sentences; None if there are none.

        Where a voice does not tell the times of words, those of the sentence are shared by its characters. So are those
        of a word, and the time between two words by what stands there.
        """
        found: list[tuple[str, float, float]] = []
        for caption in captions:
            for word in caption.words or (CaptionWord(caption.text, caption.start_ms, caption.end_ms),):
                place = self._text.find(word.text, self._place, self._place + _WINDOW + len(word.text))
                if word.text and place >= 0:
                    found += self._up_to(place, word.start_ms)
                    found += self._up_to(place + len(word.text), word.end_ms)
        return _json(found) if found else None

    def whole(self, captions: Iterable[Caption]) -> dict[str, Any]:
        """All characters, by all sentences."""
        before, after = self.next(captions) or {}, self.rest() or {}
        return {name: [*before.get(name, ()), *after.get(name, ())] for name in {**before, **after}}

    def rest(self) -> dict[str, Any] | None:
        """The characters after the last word, at its end; None if there are none."""
        found = self._up_to(len(self._text), self._end_ms)
        return _json(found) if found else None

    def _up_to(self, place: int, end_ms: int) -> list[tuple[str, float, float]]:
        characters, start_ms = self._text[self._place : place], self._end_ms
        self._place, self._end_ms = place, max(start_ms, end_ms)
        step = (self._end_ms - start_ms) / max(1, len(characters)) / 1000
        return [
            (character, start_ms / 1000 + number * step, start_ms / 1000 + (number + 1) * step)
            for number, character in enumerate(characters)
        ]


def _json(found: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    characters, starts, ends = zip(*found, strict=True)
    return {
        "characters": list(characters),
        "character_start_times_seconds": [round(start, 3) for start in starts],
        "character_end_times_seconds": [round(end, 3) for end in ends],
    }
