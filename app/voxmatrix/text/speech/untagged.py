"""A text without its tags, and where each of its characters stands in the text with them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.passages import TAG

#: Tags in a row, with the spaces around them.
_TAGS = lazy_pattern(rf"(?P<space> ?)(?:{TAG.pattern} ?)+", re.IGNORECASE)
#: What no space stands before.
_PUNCTUATION = lazy_pattern('"?[,.;:!?\u2026]')
#: What no space stands behind: marks that open something, and the beginning of the text.
_OPENED = lazy_pattern(r"(?:^|\s)\W{0,2}$")


class Untagged(NamedTuple):
    """A text without its tags. Where one stood between two words, a space is left."""

    text: str
    #: Of each character, its index in the text with tags.
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a part that is not empty goes in the text with tags, which begins and ends with none."""
        return self.places[start], self.places[end - 1] + 1


def untagged(text: str) -> Untagged:
    """A text as its author would write it without tags."""
    places: list[int] = []
    place = 0
    for tags in _TAGS.finditer(text):
        places += range(place, tags.start())
        place = tags.end()
        if tags["space"]:
            if _PUNCTUATION.match(text, place) is None:
                places.append(tags.start())
        elif tags[0].endswith(" ") and _OPENED.search(text[max(0, tags.start() - 3) : tags.start()]) is None:
            places.append(place - 1)
    if not place:
        return Untagged(text, range(len(text)))
    places += range(place, len(text))
    return Untagged("".join(text[each] for each in places), places)
