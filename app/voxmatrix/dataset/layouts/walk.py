"""The folders of a folder, without those that links lead to: they may form cycles."""

import os
from collections.abc import Iterator

from voxmatrix.transcripts.lines import SUFFIXES, Problem, suffix_of


def walk(root: str | os.PathLike[str], problems: list[Problem]) -> Iterator[tuple[str, list[str]]]:
    """Each folder with its file names, both in order. Links to folders are reported."""
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in [name for name in inner if os.path.islink(os.path.join(folder, name))]:  # noqa: PTH114, PTH118
            path = shown(root, folder, name)
            remedy = f"give that folder itself on the command line, or move it to {path}"
            what = f"{path} is a link to a folder; links are not followed"
            problems.append(
                Problem(id=path, kind="outside", path=path, problem=what, remedy=remedy, severity="warning")
            )
        # A folder called x.wav is listed like a recording, so that reading it reports that it is a folder.
        yield folder, sorted([*names, *(name for name in inner if suffix_of(name) in SUFFIXES)])


def shown(root: str | os.PathLike[str], folder: str, name: str) -> str:
    """The path relative to the root, with bytes that are not UTF-8 replaced."""
    relative = os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118
    return relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
