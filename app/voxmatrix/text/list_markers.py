"""The numbers and signs before the items of a list, which nobody reads: a script with a sentence on every line."""

import re
from collections.abc import Sequence
from itertools import pairwise

#: `1. `, `2) `, `(3) `, and the signs of plain text and of word processors. A year has four digits.
_NUMBER = re.compile(r"\(?(\d{1,3})[.):]\)?\s+(?=\S)")
_SIGN = re.compile("[-*+\u2022\u25e6\u25aa\u25cf\u2023\u2043]\\s+(?=\\S)")
#: Of the paragraphs, so many are items, or it is no list: a book may have some.
_MOSTLY = 0.8
_MIN_ITEMS = 3


def without_list_markers(paragraphs: Sequence[str]) -> list[str]:
    """The paragraphs without the markers of a list, if nearly all of them are its items.

    Numbers are those of a list if each is one more than the one before.
    """
    signs = [_SIGN.match(one) for one in paragraphs]
    if _is_list(signs) and len({match[0].strip() for match in signs if match}) == 1:
        return _without(paragraphs, signs)
    numbers = [_NUMBER.match(one) for one in paragraphs]
    counted = [int(match[1]) for match in numbers if match]
    if _is_list(numbers) and all(other == one + 1 for one, other in pairwise(counted)):
        return _without(paragraphs, numbers)
    return list(paragraphs)


def _is_list(markers: Sequence[re.Match[str] | None]) -> bool:
    items = sum(marker is not None for marker in markers)
    return items >= max(_MIN_ITEMS, _MOSTLY * len(markers))


def _without(paragraphs: Sequence[str], markers: Sequence[re.Match[str] | None]) -> list[str]:
    return [one[marker.end() if marker else 0 :] for one, marker in zip(paragraphs, markers, strict=True)]
