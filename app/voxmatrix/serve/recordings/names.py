"""Names of profiles and prompt lists. Each becomes a folder, also on the computer that will train on it."""

import re
import unicodedata

from voxmatrix.serve.errors import ApiError

_MAX_BYTES = 120  # file systems allow 255, and an archive or a backup may add to a name
#: Separators, and what Windows allows in no name.
_FORBIDDEN_SHOWN = '/ \\ : * ? " < > |'
_FORBIDDEN = frozenset(_FORBIDDEN_SHOWN) - {" "}
#: Windows opens devices by these names, whatever the ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def checked_name(name: str, param: str) -> str:
    """The name in Unicode's form NFC, without spaces around it.

    Raises:
        ApiError: no folder can have this name everywhere.
    """
    name = normal(name)
    problem = _problem(name)
    if problem:
        raise ApiError(400, f"{param} {problem}", param=param, code="invalid_value")
    return name


def is_name(name: str) -> bool:
    """Whether a folder of this name can be one of ours."""
    return normal(name) == name and not _problem(name)


def normal(name: str) -> str:
    """The name as folders have it: macOS sends accents as characters of their own."""
    return unicodedata.normalize("NFC", name).strip()


def _problem(name: str) -> str:
    """The first thing that is wrong with a name; empty if nothing is."""
    rules = (
        (not name, "is empty"),
        # Also control characters and lone surrogates.
        (not name.isprintable(), "contains a character that cannot be shown"),
        (len(name.encode("utf-8", "replace")) > _MAX_BYTES, f"is longer than {_MAX_BYTES} bytes"),
        (not _FORBIDDEN.isdisjoint(name), f"contains one of {_FORBIDDEN_SHOWN}, which not every folder name can"),
        (name.startswith((".", "-")) or name.endswith("."), "begins with a dot or a hyphen, or ends with a dot"),
        (_DEVICES.fullmatch(name) is not None, "is the name of a device on Windows"),
    )
    return next((problem for broken, problem in rules if broken), "")
