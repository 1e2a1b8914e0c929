"""Find the recordings of a folder in any supported layout."""

import re
import shlex
from pathlib import Path

from voxmatrix.dataset.folder import Folder, OutsideError, Recording
from voxmatrix.dataset.layouts import LAYOUTS, below, json_lines, metadata_csv, pairs
from voxmatrix.dataset.layouts.layout import Transcript
from voxmatrix.dataset.layouts.tables import read_listed
from voxmatrix.dataset.layouts.without_texts import without_texts
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.files import read_errors
from voxmatrix.transcripts.lines import Problem, ProblemKind, TranscriptRow, identity, readable
from voxmatrix.transcripts.timed import read_timed

Found = tuple[list[Recording], list[Problem]]
#: Control characters, except line ends, tabs and the like, which count as spaces.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def find(root: Path, profile: str | None = None, prompt_list: str | None = None) -> Found:
    """The recordings of a folder and all problems of its transcripts.

    The first of `LAYOUTS` in which there are any is read. With a profile P and a prompt list L, the folder is
    `ROOT/P/L`. `root` may also be the transcript itself.

    Raises:
        UsageError: the profile or prompt list is not a folder name.
        BadInputError: the folder does not exist or matches no layout.
    """
    if root.is_file():
        if profile or prompt_list:
            raise UsageError(f"{root} is a file and has no profiles", "give the folder that contains the profiles")
        if read_timed(root) is not None:
            remedy = (
                f"to have clips with texts, run: voxmatrix segment RECORDING --text {shlex.quote(str(root))} --out DIR"
            )
            raise BadInputError(f"{root} has the texts of one recording, by times", remedy)
        listed = read_listed(root)
        if not any(listed):
            raise BadInputError(f"{root} names no recording", "write a line for each: FILE|TEXT")
        return _resolve(root.parent, listed)
    folder = _select_folder(root, profile, prompt_list)
    with read_errors(folder):
        return _find(folder)


def _find(folder: Path) -> Found:
    found = {}
    tables = (metadata_csv.LAYOUT, json_lines.LAYOUT)
    for layout in LAYOUTS:
        transcript = found[layout] = layout.read(folder)
        if transcript is not None and (transcript[0] or (layout in tables and transcript[1])):
            recordings, problems = _resolve(folder, transcript)
            if layout is below.LAYOUT:
                problems += _without_row(found[pairs.LAYOUT], recordings, folder)
            return recordings, problems
    paired = found[pairs.LAYOUT]
    if paired is None:
        if any(found[layout] for layout in tables):
            return [], []
        raise BadInputError(f"{folder} contains no recordings with texts", f"add {_supported_layouts()}")
    if (error := without_texts(folder, paired[1])) is not None:
        raise error
    return _resolve(folder, paired)


def _without_row(paired: Transcript | None, recordings: list[Recording], folder: Path) -> list[Problem]:
    """The problems of recordings that no table names."""
    named = {recording.path for recording in recordings}
    return [one for one in (paired or ([], []))[1] if one.kind == "no-transcript" and folder / one.path not in named]


def _supported_layouts() -> str:
    *first, last = (layout.looks_like for layout in LAYOUTS)
    return f"{', '.join(first)}, or {last}"


def _select_folder(root: Path, profile: str | None, prompt_list: str | None) -> Path:
    if prompt_list and not profile:
        raise UsageError(f"`prompt_list={prompt_list}` needs a profile", f"add `profile`: one of {_subfolders(root)}")
    folder = root
    for setting, name in (("`profile`", profile), ("`prompt_list`", prompt_list)):
        if name is None:
            continue
        if name in ("", ".", "..") or any(char in name for char in "/\\\0"):
            raise UsageError(
                f"{setting} is {name!r}, which is not a folder name", f"choose one of: {_subfolders(folder)}"
            )
        if not (folder / name).is_dir():
            raise BadInputError(f"{folder / name} is not a folder", f"set {setting} to one of: {_subfolders(folder)}")
        folder /= name
    if not folder.is_dir():
        raise BadInputError(f"{folder} does not exist", f"give a folder with {_supported_layouts()}")
    return folder


def _subfolders(folder: Path) -> str:
    names = sorted(path.name for path in _entries(folder) if path.is_dir())
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return shown.encode("utf-8", "replace").decode("utf-8") or f"({folder} contains no folders)"


def _entries(folder: Path) -> list[Path]:
    with read_errors(folder):
        return list(folder.iterdir())


class _RowError(Exception):
    def __init__(self, kind: ProblemKind, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind: ProblemKind = kind
        self.problem = problem
        self.remedy = remedy


def _resolve(root: Path, transcript: Transcript) -> Found:
    """Turn rows into recordings: the file must exist inside the folder, and the line must be valid text."""
    folder = Folder(root)
    recordings: list[Recording] = []
    rows, problems = transcript[0], list(transcript[1])
    for row in rows:
        shown = readable(row.file)
        try:
            recording = _recording(folder, row)
        except _RowError as error:
            what, remedy = error.problem, error.remedy
            problems.append(
                Problem(id=identity(shown), kind=error.kind, path=shown, place=row.line, problem=what, remedy=remedy)
            )
            continue
        recordings.append(recording)
        if _CONTROLS.search(row.text):
            problems.append(_controls(recording))
    return recordings, problems


def _recording(folder: Folder, row: TranscriptRow) -> Recording:
    fields = (row.file, row.text, row.speaker or "")
    if any(readable(text) != text for text in fields):
        raise _RowError("bad-encoding", "the line contains a lone surrogate", "write the line again")
    if any("\0" in text for text in fields):
        raise _RowError("bad-line", "the line contains a null byte", "write the line again: the file may be damaged")
    try:
        relative = folder.relative(row.file)
    except OutsideError:
        remedy = "move the recording into the folder and write its path relative to it"
        raise _RowError("outside", f"{row.file} is outside of {folder.root}", remedy) from None
    path = folder.find(relative)
    if path is None:
        similar = folder.similar(relative)
        alternative = f"write {similar}, which exists" if similar else "remove its line"
        raise _RowError("missing", f"{row.file} does not exist", f"add the recording, or {alternative}")
    text = " ".join(_CONTROLS.sub(" ", row.text).split())
    return Recording(id=identity(relative), path=path, text=text, speaker=row.speaker, line=row.line)


def _controls(recording: Recording) -> Problem:
    return Problem(
        id=recording.id,
        kind="control-characters",
        path=str(recording.path),
        place=recording.line,
        problem="the text contains control characters; they are replaced by spaces",
        remedy="remove them from the text",
        severity="warning",
    )
