"""The recordings of a folder, in whatever layout it has."""

import re
from pathlib import Path

from voxmatrix.dataset.folder import Folder, OutsideError
from voxmatrix.dataset.layouts import LAYOUTS, json_lines
from voxmatrix.dataset.layouts.layout import Transcript, read_transcript
from voxmatrix.dataset.recording import Recording
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.transcripts.json_lines import read_json_lines
from voxmatrix.transcripts.lines import readable
from voxmatrix.transcripts.problem import Problem, ProblemKind
from voxmatrix.transcripts.recording_names import identity
from voxmatrix.transcripts.row import TranscriptRow
from voxmatrix.transcripts.table import read_table

Found = tuple[list[Recording], list[Problem]]
#: Control characters; line ends, tabs and their like are spaces between words and no matter.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def find(root: Path, profile: str | None = None, prompt_list: str | None = None) -> Found:
    """Every recording of a folder and everything that is wrong with its transcripts.

    The first of `LAYOUTS` that the folder has is read. With a profile P and a prompt list L the folder is `ROOT/P/L`.
    `root` may also be the transcript itself.

    Raises:
        UsageError: the profile or prompt list is no name of a folder.
        BadInputError: the folder is not there, or none of the layouts is in it.
    """
    if root.is_file():
        if profile or prompt_list:
            raise UsageError(f"{root} is a file, and has no profiles", "name the folder in which the profiles lie")
        return _admit(root.parent, _read_file(root))
    folder = _chosen(root, profile, prompt_list)
    _entries(folder)  # a folder that cannot be read is named here
    for layout in LAYOUTS:
        transcript = layout.read(folder)
        if transcript is not None:
            return _admit(folder, transcript)
    raise BadInputError(f"{folder} holds no recordings with texts", f"put there {_known_layouts()}")


def _read_file(path: Path) -> Transcript:
    is_json = path.suffix.lower() in (*json_lines.SUFFIXES, ".json")
    return read_transcript(path, read_json_lines if is_json else read_table)


def _known_layouts() -> str:
    *first, last = (layout.looks_like for layout in LAYOUTS)
    return f"{', '.join(first)}, or {last}"


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
        raise BadInputError(f"{folder} is not there", f"name a folder with {_known_layouts()}")
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


class _RefusedError(Exception):
    def __init__(self, kind: ProblemKind, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind: ProblemKind = kind
        self.problem = problem
        self.remedy = remedy


def _admit(root: Path, transcript: Transcript) -> Found:
    """Turn rows into recordings: the file must be there and inside, the text must be text."""
    folder = Folder(root)
    recordings: list[Recording] = []
    rows, problems = transcript[0], list(transcript[1])
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


def _recording(folder: Folder, row: TranscriptRow) -> Recording:
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
