"""Counts, settings, lists and durations in the words of messages.

A message names a setting in backticks, `speed` or with its value `device=cpu`, and whoever shows the message says it in
the words of its readers: the command line as a flag, everybody else by its plain name.
"""

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any

_SETTING = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
#: Keys of JSON whose values are messages.
_MESSAGES = {"problem", "remedy", "reason", "left_out", "line"}
#: All but tabs and line ends, and what turns the direction of the text around it.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

#: Names that a message lists.
_MAX_NAMES = 10


def pluralise(number: int, noun: str) -> str:
    """A number with its noun: 1 sentence, 2 sentences."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def name_settings(text: str, name: Callable[[str, str | None], str]) -> str:
    """A message whose settings are named by a function of the setting and its value, if there is one."""
    return _SETTING.sub(lambda match: name(match[1], match[2]), text)


def plain(text: str) -> str:
    """A message that names settings as they are called: speed, device = cpu."""
    return name_settings(text, lambda name, value: name if value is None else f"{name} = {value}")


def with_messages(content: Any, say: Callable[[str], str], key: str = "") -> Any:
    """Content of JSON, its messages said by this function."""
    match content:
        case dict():
            return {name: with_messages(value, say, name) for name, value in content.items()}
        case list() | tuple():
            return [with_messages(value, say, key) for value in content]
        case str() if key in _MESSAGES:
            return say(content)
        case _:
            return content


def quoted(text: str) -> str:
    """A text in quotes, shortened. It names no settings."""
    text = text.replace("`", "'")
    return repr(text if len(text) <= 60 else text[:57] + "...")


def choice(wanted: str, names: Collection[str]) -> str:
    """Names to choose from: all, or of many those that are most like the wanted one, else the first."""
    if len(names) <= _MAX_NAMES:
        return ", ".join(names)
    shown = get_close_matches(wanted, names, _MAX_NAMES) or list(names)[:_MAX_NAMES]
    return f"{', '.join(shown)} …"


def printable(text: str) -> str:
    """A text whose control characters are escaped: on a terminal, they could hide or change what is shown."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def summary(error: Exception) -> str:
    """The kind and the first line of an error that is not ours, shortened."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
