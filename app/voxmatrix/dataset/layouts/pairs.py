"""`NAME.wav` + `NAME.txt`, in a folder and the folders in it."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.dataset.layouts.layout import Layout, Transcript
from voxmatrix.transcripts.lines import not_utf8
from voxmatrix.transcripts.problem import Problem
from voxmatrix.transcripts.recording_names import SUFFIXES, suffix_of
from voxmatrix.transcripts.row import TranscriptRow

#: A transcript of one recording is read up to here; what is longer is no sentence, and is reported by its length.
MAX_TEXT_BYTES = 1 << 20
#: Texts that stand in many folders and belong to no recording.
_OTHER_TEXTS = {
    "readme",
    "license",
    "licence",
    "copying",
    "notes",
    "changelog",
    "metadata",
    "credits",
    "about",
    "source",
}


def read(root: Path) -> Transcript | None:
    """Every recording with a text as a row; every one without, and every text without a recording, as a problem."""
    rows: list[TranscriptRow] = []
    problems: list[Problem] = []
    for folder, names in _folders(root, problems):
        sounds, texts = _sort(names)
        for stem in sorted(sounds.keys() | texts.keys()):
            text = texts.get(stem)
            for sound in sounds.get(stem, ()):
                found = _row(root, folder, sound, text)
                (problems if isinstance(found, Problem) else rows).append(found)  # type: ignore[arg-type]
            if text and stem not in sounds and stem.lower() not in _OTHER_TEXTS:
                problems.append(_no_sound(_shown(root, folder, text)))
    return (rows, problems) if rows or problems else None


LAYOUT = Layout(looks_like="NAME.wav with NAME.txt", read=read)


def _folders(root: Path, problems: list[Problem]) -> Iterator[tuple[str, list[str]]]:
    """Each folder with its names. A link to a folder is named, not followed: it may lead anywhere, and in circles."""
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in [name for name in inner if os.path.islink(os.path.join(folder, name))]:  # noqa: PTH114, PTH118
            shown = _shown(root, folder, name)
            remedy = f"name that folder itself on the command line, or move it to {shown}"
            what = f"{shown} is a link to a folder; it is not followed"
            problems.append(
                Problem(id=shown, kind="outside", path=shown, problem=what, remedy=remedy, severity="warning")
            )
        # A folder called x.wav is listed as if it were a recording, and is then reported as what it is.
        yield folder, sorted([*names, *(name for name in inner if suffix_of(name) in SUFFIXES)])


def _sort(names: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    sounds: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for name in names:
        suffix = suffix_of(name)
        stem = unicodedata.normalize("NFC", name[: len(name) - len(suffix)])
        if name.startswith("."):
            continue
        if suffix in SUFFIXES:
            sounds.setdefault(stem, []).append(name)
        elif suffix == ".txt":
            texts[stem] = name
    return sounds, texts


def _row(root: Path, folder: str, sound: str, text: str | None) -> TranscriptRow | Problem:
    shown = _shown(root, folder, sound)
    stem = shown.rpartition(".")[0]
    if shown != os.path.relpath(os.path.join(folder, sound), root):  # noqa: PTH118
        remedy = f"give the file a name in UTF-8: convmv -f latin1 -t utf-8 -r --notest {root}"
        return Problem(id=stem, kind="bad-encoding", path=shown, problem="the file's name is not UTF-8", remedy=remedy)
    if text is None:
        what, remedy = f"no text stands beside {shown}", f"write what is said into {stem}.txt"
        return Problem(id=stem, kind="no-transcript", path=shown, problem=what, remedy=remedy)
    place = _shown(root, folder, text)
    try:
        with open(os.path.join(folder, text), "rb") as file:  # noqa: PTH118, PTH123
            raw = file.read(MAX_TEXT_BYTES)
        return TranscriptRow(line=place, file=shown, text=raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return not_utf8(place, raw, error, name=stem)
    except OSError as error:
        what = f"{place} cannot be read: {error.strerror}"
        return Problem(id=stem, kind="unreadable", path=place, place=place, problem=what, remedy="make it readable")


def _no_sound(shown: str) -> Problem:
    stem = shown.rpartition(".")[0]
    what, remedy = f"{shown} has no recording beside it", f"put the recording there as {stem}.wav, or remove {shown}"
    return Problem(id=stem, kind="missing", path=shown, place=shown, problem=what, remedy=remedy)


def _shown(root: Path, folder: str, name: str) -> str:
    """The path below the root, readable even when its bytes are not UTF-8."""
    relative = os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118
    return relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
