"""Counts, settings, lists and durations in the words of messages.

A message names a setting in backticks, `speed` or with its value `device=cpu`, and whoever shows the message says it in
the words of its readers: the command line as a flag, everybody else by its plain name.
"""

import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any

_SETTING = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
#: Keys of JSON whose values are messages.
_MESSAGES = {"problem", "remedy", "reason", "left_out", "line"}
#: All but tabs and line ends, and what turns the direction of the text around it.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

#: Names that a message lists, and those that may be meant.
_MAX_NAMES, _MOST_ALIKE = 10, 3
_PART_OF_NAME = re.compile(r"[/_:\-]")


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


def did_you_mean(wanted: str, names: Collection[str], titles: Mapping[str, str] | None = None) -> str:
    """ "did you mean kokoro/af_heart?", for `heart`, or for the title of a voice; "" if nothing is alike.

    A part of a name comes first, then what has a mistake in typing.
    """
    wanted = wanted.casefold()
    called = {name: title.casefold() for name, title in (titles or {}).items() if name in names}
    parts = {name: [*_PART_OF_NAME.split(name.casefold()), called.get(name, "")] for name in names}
    alike = [name for name in names if wanted in parts[name]]
    alike.sort(key=lambda name: not re.fullmatch(rf".*[/_]{re.escape(wanted)}", name.casefold()))
    if not alike:
        words = {word: name for name in reversed(list(names)) for word in (name.casefold(), *parts[name]) if word}
        alike = list(dict.fromkeys(words[word] for word in get_close_matches(wanted, words, 1, 0.75)))
    return f"did you mean {' or '.join(alike[:_MOST_ALIKE])}?" if wanted and alike else ""


def printable(text: str) -> str:
    """A text whose control characters are escaped: on a terminal, they could hide or change what is shown."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def summary(error: Exception) -> str:
    """The kind and the first line of an error that is not ours, shortened."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
