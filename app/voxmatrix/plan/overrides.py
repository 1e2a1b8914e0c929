"""What was typed, as forced settings. `0`, `auto` and nothing mean: decide. Pure."""

from voxmatrix.errors import UsageError
from voxmatrix.plan.precision import parse_precision
from voxmatrix.settings import Setting, Source
from voxmatrix.tables.precision import Precision

_DECIDE = ("", "0", "auto")
_ON, _OFF = ("on", "yes", "true", "1"), ("off", "no", "false", "none")
#: More of anything is a slip of the finger.
_MOST = 100_000


def override_number(text: str, said: str, source: Source, *, none: bool = False) -> Setting[int] | None:
    """A whole number above 0; where `none` is allowed it is the word for 0, since 0 means: decide.

    Raises:
        UsageError: it is none of that.
    """
    word = text.strip().lower()
    if word in _DECIDE:
        return None
    if none and word == "none":
        return Setting(value=0, reason=f"given by {said}", source=source)
    if not (word.isascii() and word.isdecimal() and len(word) <= 6 and 0 < int(word) <= _MOST):
        words = "a whole number above 0, none or auto" if none else "a whole number above 0, or auto"
        raise UsageError(f"{said} is {text!r}", f"set it to {words}")
    return Setting(value=int(word), reason=f"given by {said}", source=source)


def override_switch(text: str, said: str, source: Source) -> Setting[bool] | None:
    """On or off.

    Raises:
        UsageError: it is neither, nor auto.
    """
    word = text.strip().lower()
    if word in _DECIDE:
        return None
    if word not in _ON + _OFF:
        raise UsageError(f"{said} is {text!r}", "set it to on, off or auto")
    return Setting(value=word in _ON, reason=f"given by {said}", source=source)


def override_precision(text: str, said: str, source: Source) -> Setting[Precision] | None:
    """A number format.

    Raises:
        UsageError: there is none of that name.
    """
    if text.strip().lower() in _DECIDE:
        return None
    return Setting(value=parse_precision(text), reason=f"given by {said}", source=source)
