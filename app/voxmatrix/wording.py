"""Counts, lists and durations in the words of messages."""

import re

#: All but tabs and line ends.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def count(number: int, noun: str) -> str:
    """A number with its noun: 1 sentence, 2 sentences."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def quoted(text: str) -> str:
    """A text in quotes, shortened."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def printable(text: str) -> str:
    """A text whose control characters are escaped: on a terminal, they could hide or change what is shown."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def summary(error: Exception) -> str:
    """The kind and the first line of an error that is not ours, shortened."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
