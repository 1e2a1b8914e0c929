"""Which of the known layouts a folder has, and the recordings it names."""

import re
from collections.abc import Callable
from pathlib import Path

from app.dataset.folder import Folder, OutsideError, identity
from app.dataset.jsonlines import read_json_lines
from app.dataset.pairs import read_pairs
from app.dataset.problem import Kind, Problem
from app.dataset.recording import Recording, Row
from app.dataset.table import read_table
from app.errors import BadInputError, UsageError

Found = tuple[list[Recording], list[Problem]]
TABLE_NAME = "metadata.csv"
#: Control characters; line ends, tabs and their like are spaces between words and no matter.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_JSON_SUFFIXES = (".jsonl", ".ndjson")
_LAYOUTS = "metadata.csv (file|text), *.jsonl, or NAME.wav with NAME.txt"


def find(root: Path, profile: str | None = None, prompt_list: str | None = None) -> Found:
    """Every recording of a folder and everything that is wrong with its transcripts.

    `metadata.csv` is read if it is there, else every `*.jsonl`, else pairs of `NAME.wav` and `NAME.txt`. With a
    profile P and a prompt list L the folder is `ROOT/P/L`. `root` may also be the transcript itself.

    Raises:
        UsageError: the profile or prompt list is no name of a folder.
        BadInputError: the folder is not there, or none of the layouts is in it.
    """
    if root.is_file():
        if profile or prompt_list:
            raise UsageError(f"{root} is a file, and has no profiles", "name the folder in which the profiles lie")
        read = read_json_lines if root.suffix.lower() in (*_JSON_SUFFIXES, ".json") else read_table
        return _admit(root.parent, *_read(root, read))
    folder = _chosen(root, profile, prompt_list)
    if (table := folder / TABLE_NAME).is_file():
        return _admit(folder, *_read(table, read_table))
    if objects := sorted(path for path in _entries(folder) if path.suffix.lower() in _JSON_SUFFIXES and path.is_file()):
        parts = [_read(path, read_json_lines) for path in objects]
        return _admit(folder, [row for rows, _ in parts for row in rows], [one for _, bad in parts for one in bad])
    rows, problems = read_pairs(folder)
    if not rows and not problems:
        raise BadInputError(f"{folder} holds no recordings with texts", f"put there {_LAYOUTS}")
    return _admit(folder, rows, problems)


def _chosen(root: Path, profile: str | None, prompt_list: str | None) -> Path:
    if prompt_list and not profile:
        raise UsageError(f"--prompt-list {prompt_list} needs a profile", f"add --profile, one of: {_inside(root)}")
    folder = root
    for flag, name in (("--profile", profile), ("--prompt-list", prompt_list)):
        if name is None:
            continue
        if name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
            raise UsageError(f"{flag} is {name!r}, which is no name of a folder", f"choose one of: {_inside(folder)}")
        if not (folder / name).is_dir():
            raise BadInputError(f"there is no folder {folder / name}", f"choose for {flag} one of: {_inside(folder)}")
        folder /= name
    if not folder.is_dir():
        raise BadInputError(f"{folder} is not there", f"name a folder with {_LAYOUTS}")
    return folder


def _inside(folder: Path) -> str:
    names = sorted(path.name for path in _entries(folder) if path.is_dir())
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return shown.encode("utf-8", "replace").decode("utf-8") or f"(there is no folder in {folder})"


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise BadInputError(f"{folder} cannot be read: {error.strerror}", "name a folder that can be read") from error


def _read(path: Path, read: Callable[[bytes, str], tuple[list[Row], list[Problem]]]) -> tuple[list[Row], list[Problem]]:
    try:
        return read(path.read_bytes(), path.name)
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}", "make it readable for this user") from error


class _RefusedError(Exception):
    def __init__(self, kind: Kind, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind: Kind = kind
        self.problem = problem
        self.remedy = remedy


def _admit(root: Path, rows: list[Row], problems: list[Problem]) -> Found:
    """Turn rows into recordings: the file must be there and inside, the text must be text."""
    folder = Folder(root)
    recordings: list[Recording] = []
    problems = list(problems)
    for row in rows:
        shown = readable(row.file)
        try:
            recording = _recording(folder, row)
        except _RefusedError as no:
            entry = Problem(
                id=identity(shown), kind=no.kind, path=shown, place=row.line, problem=no.problem, remedy=no.remedy
            )
            problems.append(entry)
            continue
        recordings.append(recording)
        if _CONTROLS.search(row.text):
            problems.append(_controls(recording, shown))
    return recordings, problems


def _recording(folder: Folder, row: Row) -> Recording:
    written = (row.file, row.text, row.speaker or "")
    if any(readable(text) != text for text in written):
        raise _RefusedError(
            "bad-encoding", "the line holds half of a character (a lone surrogate)", "write the line again"
        )
    if any("\0" in text for text in written):
        raise _RefusedError("bad-line", "the line holds a null byte", "the file may be damaged: write the line again")
    try:
        relative = folder.relative(row.file)
    except OutsideError:
        remedy = "put the recording inside, and name it from there"
        raise _RefusedError("outside", f"{row.file} leads out of {folder.root}", remedy) from None
    path = folder.find(relative)
    if path is None:
        similar = folder.similar(relative)
        hint = f"write {similar}, which is there" if similar else "remove its line"
        raise _RefusedError("missing", f"{row.file} is not there", f"put the recording there, or {hint}")
    text = " ".join(_CONTROLS.sub(" ", row.text).split())
    return Recording(id=identity(relative), path=path, text=text, speaker=row.speaker, line=row.line)


def _controls(recording: Recording, shown: str) -> Problem:
    return Problem(
        id=recording.id,
        kind="control-characters",
        path=shown,
        place=recording.line,
        problem="the text holds control characters; they are read as spaces",
        remedy="remove them from the text",
        severity="warning",
    )


def readable(text: str) -> str:
    """`text` with what is no character (a lone surrogate) replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
