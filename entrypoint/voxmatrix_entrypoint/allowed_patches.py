"""The patches that VOXMATRIX_PATCHES allows. Pure."""

import difflib
from collections.abc import Collection

from voxmatrix.errors import UsageError

VARIABLE = "VOXMATRIX_PATCHES"
_NONE = ("off", "none", "no", "false", "0")
_ALL = ("", "on", "all", "auto")


def allowed_patches(text: str, known: Collection[str]) -> frozenset[str]:
    """The ids of the patches to apply: all of `known`, none (`off`), or a comma-separated list.

    Raises:
        UsageError: an id is not in `known`.
    """
    value = text.strip().lower()
    if value in _ALL:
        return frozenset(known)
    if value in _NONE:
        return frozenset()
    ids = [id for part in value.split(",") if (id := part.strip())]
    unknown = [id for id in ids if id not in known]
    if unknown or not ids:
        raise UsageError(
            _no_such(unknown[0] if unknown else value, known), f"set it to {', '.join(sorted(known))} or off"
        )
    return frozenset(ids)


def _no_such(id: str, known: Collection[str]) -> str:
    similar = difflib.get_close_matches(id[:100], sorted(known), n=1)
    hint = f"; did you mean {similar[0]}?" if similar else ""
    return f"{VARIABLE}: there is no patch {id[:100]!r}{hint}"
