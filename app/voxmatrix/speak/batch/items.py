"""Read the texts of a batch from a folder of `.txt` files, or from a file with one text per line."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import read_errors
from voxmatrix.speak.batch.filenames import safe_name, same_file
from voxmatrix.transcripts.json_lines import read_json_lines
from voxmatrix.transcripts.lines import (
    Problem,
    TranscriptRow,
    check_text,
    decode,
    identity,
    not_utf8_problem,
    readable,
    split_lines,
)
from voxmatrix.transcripts.natural_order import natural_order
from voxmatrix.transcripts.table import read_table

_READERS: dict[str, tuple[Callable[[bytes, str], tuple[list[TranscriptRow], list[Problem]]], str]] = {
    ".csv": (read_table, "write id|text on every line"),
    ".tsv": (read_table, "write id and text on every line, separated by a tab"),
    ".jsonl": (read_json_lines, 'write {"id": "name", "text": "what is said"} on every line'),
    ".ndjson": (read_json_lines, 'write {"id": "name", "text": "what is said"} on every line'),
}
_KINDS = "a folder of .txt files, a .txt with one text per line, a .csv (id|text), or a .jsonl"
#: As in 0001.wav.
_MIN_DIGITS = 4
#: Pairs of equal names listed in the error.
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Item:
    """One text, or the reason why it cannot be read."""

    id: str
    name: str  # of the file, without extension; "" if there is a finding
    text: str = ""
    place: str = ""  # its source, e.g. "list.csv:12"
    speaker: str | None = None
    finding: Finding | None = None


def read_items(source: Path) -> list[Item]:
    """All texts in order: the files of a folder in natural order (2 before 10), or the lines of a file.

    Texts that cannot be read are items with a finding.

    Raises:
        UsageError: the extension of the file is unknown.
        BadInputError: `source` does not exist, is not a text or contains none, or two texts would be written to the
            same file.
    """
    items = _folder(source) if source.is_dir() else _file(source)
    if not items:
        raise BadInputError(f"{source} contains no text", f"choose {_KINDS}")
    _check_names(items, source)
    return items


def _folder(folder: Path) -> list[Item]:
    with read_errors(folder):
        texts = [path for path in folder.iterdir() if path.suffix.lower() == ".txt" and not path.is_dir()]
    return [_text_file(path) for path in sorted(texts, key=lambda path: (natural_order(path.stem), path.name))]


def _text_file(path: Path) -> Item:
    item = Item(id=readable(path.stem), name=safe_name(path.stem), place=readable(path.name))
    try:
        with read_errors(path):
            data = path.read_bytes()
        text = decode(data)
    except BadInputError as error:
        return _without_text(item, error.problem, error.remedy)
    except UnicodeDecodeError as error:
        problem = not_utf8_problem(item.place, data, error, item.id)
        return _without_text(item, problem.problem, problem.remedy)
    return _with_valid_name(replace(item, text=text))


def _file(path: Path) -> list[Item]:
    if not path.exists():
        raise BadInputError(f"`batch={path}`: No such file or folder", f"choose {_KINDS}")
    extension = path.suffix.lower()
    if extension != ".txt" and extension not in _READERS:
        raise UsageError(f"`batch={path}` has no known extension: {extension!r}", f"choose {_KINDS}")
    with read_errors(path):
        data = path.read_bytes()
    check_text(data, path)
    return _lines(data, path.name) if extension == ".txt" else _rows(data, path.name, *_READERS[extension])


def _lines(data: bytes, name: str) -> list[Item]:
    lines = list(split_lines(data, name))
    digits = max(_MIN_DIGITS, len(str(len(lines))))
    items = []
    for number, (place, line) in enumerate(lines, start=1):
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
        return _without_text(item, "the line contains half a character (a lone surrogate)", "write the line again")
    return _with_valid_name(item, remedy)


def _with_valid_name(item: Item, remedy: str = "rename it, using letters or digits") -> Item:
    return item if item.name else _without_text(item, f"{item.id!r} is not a valid file name", remedy)


def _without_text(item: Item, problem: str, remedy: str) -> Item:
    return replace(item, name="", text="", finding=Finding(problem=problem, remedy=remedy))


def _check_names(items: list[Item], source: Path) -> None:
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
            f"texts of {source} would be written to the same file: {'; '.join(pairs[:_SHOWN])}{more}",
            "give each text a unique id (some systems do not distinguish upper and lower case)",
        )
