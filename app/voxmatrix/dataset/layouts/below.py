"""Tables in folders below: `train/metadata.csv` (Hugging Face), one for each book (M-AILABS)."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voxmatrix.dataset.folder import Folder, OutsideError
from voxmatrix.dataset.layouts.json_lines import read as read_json_lines
from voxmatrix.dataset.layouts.layout import Layout, Transcript
from voxmatrix.dataset.layouts.metadata_csv import read as read_metadata
from voxmatrix.dataset.layouts.tables import read as read_tables
from voxmatrix.dataset.layouts.tables import read_listed
from voxmatrix.dataset.layouts.walk import walk
from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.lines import SUFFIXES, Problem, TranscriptRow, suffix_of

#: Folders within folders: M-AILABS has en_US/by_book/female/NAME/BOOK.
_MAX_DEPTH = 6


def read(root: Path) -> Transcript | None:
    """The rows of all tables below, with their paths as they are from `root`.

    Raises:
        BadInputError: a table cannot be read, or a folder has several that are no parts of one set.
    """
    rows: list[TranscriptRow] = []
    problems: list[Problem] = []
    folders = [(Path(place), names) for place, names in walk(root, [])]
    with_sound = _with_sound(folders)
    for folder, _ in folders:
        depth = len(folder.relative_to(root).parts)
        if not 0 < depth <= _MAX_DEPTH:
            continue
        try:
            found = read_metadata(folder) or read_json_lines(folder) or _listed(folder, root)
        except BadInputError:
            if folder in with_sound:
                raise
            continue  # it is about something else
        if found is None:
            continue
        inside = Folder(folder)
        speaker = _speaker(folder)
        rows += [_from(root, inside, row, speaker) for row in found[0]]
        prefix = folder.relative_to(root).as_posix()
        problems += [replace(one, id=f"{prefix}/{one.id}", place=f"{prefix}/{one.place}") for one in found[1]]
    return (rows, problems) if rows else None


LAYOUT = Layout(looks_like="folders with such tables", read=read)


def _with_sound(folders: Sequence[tuple[Path, Sequence[str]]]) -> set[Path]:
    """The folders in which, or below which, recordings are; and those of lists, whose recordings are elsewhere."""
    found: set[Path] = set()
    for folder, names in folders:
        suffixes = set(map(suffix_of, names))
        if ".list" in suffixes:
            found.add(folder)
        if suffixes & SUFFIXES:
            found.update((folder, *folder.parents))
    return found


def _listed(folder: Path, root: Path) -> Transcript | None:
    """The tables of other names; those of a `.list` may be in a folder beside it (output/slicer_opt)."""
    found = read_tables(folder)
    if found is None:
        lists = sorted(path for path in folder.glob("*.list") if path.is_file())
        parts = [read_listed(path, root) for path in lists]
        found = ([row for rows, _ in parts for row in rows], [one for _, some in parts for one in some])
        # Their paths are those of `root` already.
        up = os.path.relpath(root, folder)
        found = ([replace(row, file=f"{up}/{row.file}") for row in found[0]], found[1])
    return found if found[0] else None


def _from(root: Path, inside: Folder, row: TranscriptRow, speaker: str | None) -> TranscriptRow:
    prefix = inside.root.relative_to(root).as_posix()
    try:
        path = inside.find(row.file)
    except OutsideError:
        path = None
    file = path.relative_to(root).as_posix() if path else row.file
    if path is None and not os.path.isabs(file.replace("\\", "/")):  # noqa: PTH117
        file = os.path.normpath(f"{prefix}/{file}")
    return replace(row, file=file, line=f"{prefix}/{row.line}", speaker=row.speaker or speaker)


def _speaker(folder: Path) -> str | None:
    """Who reads, where M-AILABS says so: by_book/GENDER/SPEAKER/BOOK."""
    parts = folder.absolute().parts
    if "by_book" in parts:
        behind = parts[parts.index("by_book") + 1 :]
        return behind[1] if len(behind) > 2 and behind[0] in ("female", "male") else None
    return None
