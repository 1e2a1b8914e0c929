"""Parsing of options into forced settings. `0`, `auto` and the empty string mean automatic. Pure."""

from typing import TYPE_CHECKING

from voxmatrix.errors import UsageError
from voxmatrix.settings import Setting, Source

if TYPE_CHECKING:
    from voxmatrix.tables.training import Precision

_AUTOMATIC = ("", "0", "auto")
_ON, _OFF = ("on", "yes", "true", "1"), ("off", "no", "false", "none")
#: Larger numbers are typing errors.
_MAX_NUMBER = 100_000


def override_number(text: str, origin: str, source: Source, *, none: bool = False) -> Setting[int] | None:
    """Parse a whole number above 0; with `none`, also the word none for 0, because 0 means automatic.

    Raises:
        UsageError: the text is neither a number in range nor one of these words.
    """
    word = text.strip().lower()
    if word in _AUTOMATIC:
        return None
    if none and word == "none":
        return Setting(value=0, reason=f"set by {origin}", source=source)
    if not (word.isascii() and word.isdecimal() and len(word) <= 6 and 0 < int(word) <= _MAX_NUMBER):
        choices = "a whole number above 0, none or auto" if none else "a whole number above 0, or auto"
        raise UsageError(f"{origin} is {text!r}", f"set it to {choices}")
    return Setting(value=int(word), reason=f"set by {origin}", source=source)


def override_switch(text: str, origin: str, source: Source) -> Setting[bool] | None:
    """Parse on or off.

    Raises:
        UsageError: the text is not on, off or auto.
    """
    word = text.strip().lower()
    if word in _AUTOMATIC:
        return None
    if word not in _ON + _OFF:
        raise UsageError(f"{origin} is {text!r}", "set it to on, off or auto")
    return Setting(value=word in _ON, reason=f"set by {origin}", source=source)


def override_precision(text: str, origin: str, source: Source) -> "Setting[Precision] | None":
    """Parse a precision.

    Raises:
        UsageError: there is no such precision.
    """
    if text.strip().lower() in _AUTOMATIC:
        return None
    from voxmatrix.plan.precision import parse_precision  # `speak`, which has no precision, starts sooner without

    return Setting(value=parse_precision(text), reason=f"set by {origin}", source=source)
