"""Which patches a person allows: VOXMATRIX_PATCHES. Pure."""

import difflib
from collections.abc import Collection

from voxmatrix.errors import UsageError

VARIABLE = "VOXMATRIX_PATCHES"
_NONE = ("off", "none", "no", "false", "0")
_ALL = ("", "on", "all", "auto")


def allowed(text: str, known: Collection[str]) -> frozenset[str]:
    """The ids that may be applied: all of `known`, none (`off`), or those that are named, with commas between.

    Raises:
        UsageError: a name is not one of `known`.
    """
    word = text.strip().lower()
    if word in _ALL:
        return frozenset(known)
    if word in _NONE:
        return frozenset()
    named = [name for part in word.split(",") if (name := part.strip())]
    strange = [name for name in named if name not in known]
    if strange or not named:
        raise UsageError(
            _no_such(strange[0] if strange else word, known), f"set it to {', '.join(sorted(known))} or off"
        )
    return frozenset(named)


def _no_such(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name[:100], sorted(known), n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"{VARIABLE}: there is no patch {name[:100]!r}{meant}"
