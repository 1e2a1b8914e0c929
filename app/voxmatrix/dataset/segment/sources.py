"""Which recordings are cut, and the file with what is read in each: those that are named, and those of folders."""

from collections.abc import Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import NamedTuple

from voxmatrix.dataset.layouts.beside import LABEL_SUFFIXES, PLAIN_SUFFIXES
from voxmatrix.dataset.layouts.walk import walk
from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.lines import SUFFIXES, suffix_of
from voxmatrix.transcripts.natural_order import natural_order
from voxmatrix.transcripts.timed import read_timed


class Source(NamedTuple):
    """A recording, and the text of its name beside it, if it is one of a folder and there is one."""

    recording: Path
    text: Path | None


def sources(given: Sequence[Path], out: Path) -> list[Source]:
    """The recordings that are given, and those in folders that are given, in natural order: 2 before 10.

    What is in `out` is left out: clips that an earlier command has made.

    Raises:
        BadInputError: a folder has no recordings.
    """
    found: list[Source] = []
    for place in given:
        if not place.is_dir():
            found.append(Source(place, None))
            continue
        made = out.resolve()
        inside = [path for path in _recordings(place) if made not in path.resolve().parents]
        inside.sort(key=lambda path: natural_order(path.relative_to(place).as_posix()))
        if not inside:
            raise BadInputError(f"{place} contains no recordings", "choose a folder with recordings or videos")
        found += [Source(path, _text_of(path)) for path in inside]
    return found


def _recordings(folder: Path) -> list[Path]:
    return [
        Path(place, name)
        for place, names in walk(folder, [])
        for name in names
        if suffix_of(name) in SUFFIXES and not name.startswith(".")
    ]


def _text_of(recording: Path) -> Path | None:
    """The labels beside a recording, or else its text. Damaged labels are named where they are read."""
    beside = {path.suffix.lower(): path for path in recording.parent.glob(f"{escape(recording.stem)}.*")}
    for suffix in LABEL_SUFFIXES:
        if suffix in beside:
            with suppress(BadInputError):
                if read_timed(beside[suffix]) is None:
                    continue
            return beside[suffix]
    return next((beside[suffix] for suffix in PLAIN_SUFFIXES if suffix in beside), None)
