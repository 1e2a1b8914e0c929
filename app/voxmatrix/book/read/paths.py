"""Links between the files of an archive. None leads out of it."""

import posixpath
import re
from typing import NamedTuple
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Link(NamedTuple):
    """A file of the archive, and an anchor in it; empty stands for the file itself."""

    path: str
    anchor: str


def resolve(base: str, href: str) -> Link | None:
    """Where `href` leads in the file `base`; None for what is outside of the archive."""
    href = href.strip().replace("\\", "/")
    if _SCHEME.match(href) or href.startswith("//"):
        return None
    place, _, anchor = href.partition("#")
    place = unquote(place.partition("?")[0]).replace("\\", "/")
    if "\0" in place:
        return None
    path = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), place) if place else f"/{base}")
    steps = posixpath.join("/" if place.startswith("/") else posixpath.dirname(base), place) if place else base
    return None if _leaves(steps) else Link(path.lstrip("/"), unquote(anchor))


def _leaves(path: str) -> bool:
    """Whether a path goes above the root on its way."""
    depth = 0
    for step in path.split("/"):
        depth += -1 if step == ".." else step not in ("", ".")
        if depth < 0:
            return True
    return False
