"""Texts with times: subtitles, labels of Audacity, TextGrids of Praat, the JSON of Whisper. Each part is a label."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.label_lines import read_label_lines
from voxmatrix.transcripts.lines import decode, suffix_of
from voxmatrix.transcripts.subtitles import read_subtitles
from voxmatrix.transcripts.textgrid import PRAATS_BINARY, read_textgrid
from voxmatrix.transcripts.western import western
from voxmatrix.transcripts.whisper import read_whisper

#: A day of subtitles has 4 MB.
_MAX_BYTES = 32 * 2**20
#: Two weeks: later, a number is no time.
_MAX_SECONDS = 1e6


def read_timed(path: Path) -> list[Label] | None:
    """The labels of a file in order of time; None for a text without times, and for any other file.

    Raises:
        BadInputError: it should have times by its name, but is damaged, has none that last, or is too large.
    """
    with read_errors(path):
        if path.suffix.lower() not in _READERS or not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        if path.suffix.lower() not in ALWAYS_TIMED:
            return None
        raise BadInputError(f"{path.name} has more than {_MAX_BYTES >> 20} MiB", "choose the labels of one recording")
    return parse_timed(data, path.name)


def parse_timed(data: bytes, name: str) -> list[Label] | None:
    """As `read_timed`, of the content of a file."""
    text = _decoded(data, name)
    found = None if text is None else _READERS[suffix_of(name)](text, name)
    if found is None:
        return None
    labels = sorted(_usable(found), key=lambda one: (one.start, one.end))
    if not labels:
        raise BadInputError(f"{name} has no text with a beginning and a later end", "label regions, not points")
    return labels


def _decoded(data: bytes, name: str) -> str | None:
    if data.startswith(PRAATS_BINARY):
        return PRAATS_BINARY.decode()
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        text = western(data)
        if text is None and suffix_of(name) in ALWAYS_TIMED:
            raise BadInputError(f"{name} is not UTF-8", "save it in UTF-8, or in UTF-16 with its mark") from error
        return text


def _usable(labels: Iterable[Label]) -> Iterable[Label]:
    for one in labels:
        text = " ".join(one.text.split())
        if text and all(map(math.isfinite, (one.start, one.end))) and 0 <= one.start < one.end < _MAX_SECONDS:
            yield Label(one.start, one.end, text)


_READERS: dict[str, Callable[[str, str], Iterable[Label] | None]] = {
    ".textgrid": read_textgrid,
    ".srt": lambda text, _: read_subtitles(text),
    ".vtt": lambda text, _: read_subtitles(text),
    ".json": lambda text, _: read_whisper(text),
    ".txt": lambda text, _: read_label_lines(text),
    ".tsv": lambda text, _: read_label_lines(text),
}
#: Files that have times by their name alone, and those that may have.
ALWAYS_TIMED = (".textgrid", ".srt", ".vtt")
TIMED_SUFFIXES = tuple(_READERS)
