"""`NAME.wav` with `NAME.txt`, in a folder and its subfolders."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.dataset.layouts.layout import Layout, Transcript
from voxmatrix.transcripts.lines import SUFFIXES, Problem, TranscriptRow, decode, not_utf8_problem, suffix_of

#: Read at most this much of a transcript; a text this long is reported by its length anyway.
MAX_TEXT_BYTES = 1 << 20
#: Text files common in data sets that are not transcripts.
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
    """A row for each pair; a problem for each recording without a text and each text without a recording."""
    rows: list[TranscriptRow] = []
    problems: list[Problem] = []
    for folder, names in _folders(root, problems):
        sounds, texts = _sort(names)
        for stem in sorted(sounds.keys() | texts.keys()):
            text = texts.get(stem)
            for sound in sounds.get(stem, ()):
                row = _row(root, folder, sound, text)
                (problems if isinstance(row, Problem) else rows).append(row)  # type: ignore[arg-type]
            if text and stem not in sounds and stem.lower() not in _OTHER_TEXTS:
                problems.append(_no_sound(_shown(root, folder, text)))
    return (rows, problems) if rows or problems else None


LAYOUT = Layout(looks_like="NAME.wav with NAME.txt", read=read)


def _folders(root: Path, problems: list[Problem]) -> Iterator[tuple[str, list[str]]]:
    """Each folder with its file names. Links to folders are reported but not followed: they may form cycles."""
    for folder, inner, names in os.walk(root):
        inner.sort()
        for name in [name for name in inner if os.path.islink(os.path.join(folder, name))]:  # noqa: PTH114, PTH118
            shown = _shown(root, folder, name)
            remedy = f"give that folder itself on the command line, or move it to {shown}"
            what = f"{shown} is a link to a folder; links are not followed"
            problems.append(
                Problem(id=shown, kind="outside", path=shown, problem=what, remedy=remedy, severity="warning")
            )
        # A folder called x.wav is listed like a recording, so that reading it reports that it is a folder.
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
        remedy = f"rename the file to UTF-8: convmv -f latin1 -t utf-8 -r --notest {root}"
        return Problem(id=stem, kind="bad-encoding", path=shown, problem="the file name is not UTF-8", remedy=remedy)
    if text is None:
        what, remedy = f"{shown} has no text", f"write the spoken text to {stem}.txt"
        return Problem(id=stem, kind="no-transcript", path=shown, problem=what, remedy=remedy)
    place = _shown(root, folder, text)
    try:
        with open(os.path.join(folder, text), "rb") as file:  # noqa: PTH118, PTH123
            raw = file.read(MAX_TEXT_BYTES)
        return TranscriptRow(line=place, file=shown, text=decode(raw))
    except UnicodeDecodeError as error:
        return not_utf8_problem(place, raw, error, name=stem)
    except OSError as error:
        what = f"{place} cannot be read: {error.strerror}"
        remedy = "give this user read access"
        return Problem(id=stem, kind="unreadable", path=place, place=place, problem=what, remedy=remedy)


def _no_sound(shown: str) -> Problem:
    stem = shown.rpartition(".")[0]
    what, remedy = f"{shown} has no recording", f"add the recording as {stem}.wav, or remove {shown}"
    return Problem(id=stem, kind="missing", path=shown, place=shown, problem=what, remedy=remedy)


def _shown(root: Path, folder: str, name: str) -> str:
    """The path relative to the root, with bytes that are not UTF-8 replaced."""
    relative = os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118
    return relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
