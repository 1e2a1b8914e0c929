"""The texts of a batch: a folder of `.txt`, or one file with a text in every line."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import read_errors
from voxmatrix.speak.batch.filenames import safe_name, same_file
from voxmatrix.transcripts.json_lines import read_json_lines
from voxmatrix.transcripts.lines import not_utf8, readable, split_lines
from voxmatrix.transcripts.problem import Problem
from voxmatrix.transcripts.recording_names import identity
from voxmatrix.transcripts.row import TranscriptRow
from voxmatrix.transcripts.table import read_table

_READERS: dict[str, tuple[Callable[[bytes, str], tuple[list[TranscriptRow], list[Problem]]], str]] = {
    ".csv": (read_table, "write id|text in every line"),
    ".tsv": (read_table, "write id and text in every line, a tab between them"),
    ".jsonl": (read_json_lines, 'write {"id": "name", "text": "what is said"} in every line'),
    ".ndjson": (read_json_lines, 'write {"id": "name", "text": "what is said"} in every line'),
}
_KINDS = "a folder of .txt, a .txt with a text in every line, a .csv (id|text), or a .jsonl"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Digits of 0001.wav.
_LEAST_DIGITS = 4
#: So many pairs of equal names are shown.
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Item:
    """One text, or why there is none."""

    id: str
    name: str  # of its file, without the ending; "" when there is a finding
    text: str = ""
    place: str = ""  # where it came from, e.g. "list.csv:12"
    speaker: str | None = None
    finding: Finding | None = None


def read_items(what: Path) -> list[Item]:
    """Every text in its order: a folder's files as people count them (2 before 10), a file's by its lines.

    A text that cannot be read is an item with a finding.

    Raises:
        UsageError: the ending of the file is unknown.
        BadInputError: it is not there, holds no text, or two texts would be written to one file.
    """
    items = _folder(what) if what.is_dir() else _file(what)
    if not items:
        raise BadInputError(f"{what} holds no text", f"give {_KINDS}")
    _check_names(items, what)
    return items


def _folder(folder: Path) -> list[Item]:
    with read_errors(folder):
        texts = [path for path in folder.iterdir() if path.suffix.lower() == ".txt" and not path.is_dir()]
    return [_whole(path) for path in sorted(texts, key=_as_people_count)]


def _as_people_count(path: Path) -> tuple[list[str | int], str]:
    """Numbers in a name by their value. Splitting at digits puts them in every second place, so types never mix."""
    parts = re.split(r"(\d+)", path.stem.casefold())
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], path.name


def _whole(path: Path) -> Item:
    item = Item(id=readable(path.stem), name=safe_name(path.stem), place=readable(path.name))
    try:
        with read_errors(path):
            data = path.read_bytes()
        text = data.decode("utf-16", "replace") if data.startswith(_WIDE) else data.decode("utf-8-sig")
    except BadInputError as error:
        return _without_text(item, error.problem, error.remedy)
    except UnicodeDecodeError as error:
        problem = not_utf8(item.place, data, error, item.id)
        return _without_text(item, problem.problem, problem.remedy)
    return _nameable(replace(item, text=text))


def _file(path: Path) -> list[Item]:
    ending = path.suffix.lower()
    if ending != ".txt" and ending not in _READERS:
        raise UsageError(f"--batch is {path}, which ends in {ending or 'nothing'!r}", f"give {_KINDS}")
    with read_errors(path):
        data = path.read_bytes()
    return _lines(data, path.name) if ending == ".txt" else _rows(data, path.name, *_READERS[ending])


def _lines(data: bytes, name: str) -> list[Item]:
    found = list(split_lines(data, name))
    digits = max(_LEAST_DIGITS, len(str(len(found))))
    items = []
    for number, (place, line) in enumerate(found, start=1):
        item = Item(id=f"{number:0{digits}}", name=f"{number:0{digits}}", place=place)
        if isinstance(line, Problem):
            items.append(_without_text(item, line.problem, line.remedy))
        else:
            items.append(replace(item, text=line.strip()))
    return items


def _rows(
    data: bytes, name: str, read: Callable[[bytes, str], tuple[list[TranscriptRow], list[Problem]]], remedy: str
) -> list[Item]:
    rows, problems = read(data, name)
    items = [_of_row(row, remedy) for row in rows]
    for bad in problems:
        item = Item(id=readable(bad.id), name="", place=bad.place)
        items.append(_without_text(item, bad.problem, remedy if bad.kind == "bad-line" else bad.remedy))
    return sorted(items, key=lambda item: int(item.place.rpartition(":")[2]))


def _of_row(row: TranscriptRow, remedy: str) -> Item:
    id = identity(row.file)
    item = Item(id=readable(id), name=safe_name(id), text=row.text, place=row.line, speaker=row.speaker)
    if readable(row.text) != row.text or readable(row.speaker or "") != (row.speaker or ""):
        return _without_text(item, "the line holds half of a character (a lone surrogate)", "write the line again")
    return _nameable(item, remedy)


def _nameable(item: Item, remedy: str = "rename it, with letters or digits") -> Item:
    return item if item.name else _without_text(item, f"{item.id!r} is no name for a file", remedy)


def _without_text(item: Item, problem: str, remedy: str) -> Item:
    return replace(item, name="", text="", finding=Finding(problem=problem, remedy=remedy))


def _check_names(items: list[Item], what: Path) -> None:
    first: dict[str, Item] = {}
    pairs = []
    for item in items:
        if item.name:
            other = first.setdefault(same_file(item.name), item)
            if other is not item:
                pairs.append(f"{other.id!r} ({other.place}) and {item.id!r} ({item.place})")
    if pairs:
        more = f"; and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
        raise BadInputError(
            f"texts of {what} would be written to the same file: {'; '.join(pairs[:_SHOWN])}{more}",
            "give each an id of its own (small and capital letters are the same to some systems)",
        )
