"""Tables of other names: `validated.tsv`, `metadata_train.csv`, `slicer_opt.list`, `Book1.xlsx` …"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voxmatrix.dataset.folder import Folder, OutsideError
from voxmatrix.dataset.layouts.layout import Layout, Transcript, read_transcript
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.transcripts.lines import TranscriptRow
from voxmatrix.transcripts.timed import read_timed

_TABLE = re.compile(r".+\.(csv|tsv|list|xlsx)|.*(metadata|transcript|filelist).*\.txt", re.IGNORECASE)
#: Tables that are read by no program but their own.
_OTHER_TABLE = re.compile(r".+\.(xls|xlsm|xlsb|ods|numbers)", re.IGNORECASE)
#: What programs call the parts of a data set, which are read together.
_PART = re.compile(r"(?<![a-z])(train(ing)?|eval(uation)?|val(id(ation)?)?|dev|test)(?![a-z])", re.IGNORECASE)
#: Of Common Voice, whose other tables are parts of it, or of what was not confirmed.
_WHOLE = "validated.tsv"
#: Tables named in the error.
_NAMED = 5


def read(folder: Path) -> Transcript | None:
    """The rows of the only such table, or of those that are parts of one set; None if none of them is of this folder.

    Raises:
        BadInputError: there are several tables, or one of a spreadsheet program that is not read; or one is damaged.
    """
    names = sorted(path.name for path in _files(folder) if _TABLE.fullmatch(path.name) and not _is_timed(path))
    if not names:
        others = sorted(path.name for path in _files(folder) if _OTHER_TABLE.fullmatch(path.name))
        if others:
            raise BadInputError(f"{folder / others[0]} is a table that is not read", "save it as .xlsx or .csv")
        return None
    chosen = [_WHOLE] if _WHOLE in names else names
    parts = [read_listed(folder / name) for name in chosen] if len({_whole(name) for name in chosen}) == 1 else []
    rows = [row for part, _ in parts for row in part]
    if not parts:
        largest = max((folder / name for name in names), key=lambda path: path.stat().st_size)
        named = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        raise BadInputError(
            f"{folder} contains no recordings with texts beside them, but {named}",
            f"give the table instead of the folder: {largest}",
        )
    problems = [problem for _, some in parts for problem in some]
    return (rows, problems) if any(_exists(Folder(folder), row) for row in rows) else None


LAYOUT = Layout(looks_like="a table (.csv, .tsv, .list, .xlsx)", read=read)


def read_listed(path: Path, root: Path | None = None) -> Transcript:
    """The rows of a table. Paths of a `.list` (GPT-SoVITS, Bert-VITS2) are those of the program that wrote it.

    They are then looked for by their ends in `root`, or else in the folder of the table: output/slicer/a.wav,
    slicer/a.wav, a.wav.

    Raises:
        BadInputError: it cannot be read, or its columns cannot be told.
    """
    rows, problems = read_transcript(path)
    if path.suffix.lower() == ".list":
        folder = Folder(root or path.parent)
        rows = [_beside(folder, row) for row in rows]
    return rows, problems


def _beside(folder: Folder, row: TranscriptRow) -> TranscriptRow:
    parts = [part for part in re.split(r"[/\\]", row.file) if part not in ("", ".", "..")]
    for first in range(len(parts)):
        moved = replace(row, file="/".join(parts[first:]))
        if _exists(folder, moved):
            return moved
    return row


def _exists(folder: Folder, row: TranscriptRow) -> bool:
    try:
        return folder.find(row.file) is not None
    except OutsideError:
        return False


def _whole(name: str) -> str:
    return _PART.sub("", name.lower()).replace("__", "_")


def _files(folder: Path) -> Sequence[Path]:
    with read_errors(folder):
        return [path for path in folder.iterdir() if not path.name.startswith((".", "~$")) and path.is_file()]


def _is_timed(path: Path) -> bool:
    try:
        return path.suffix.lower() in (".tsv", ".txt") and read_timed(path) is not None
    except BadInputError:
        return False
