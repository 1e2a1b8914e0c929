"""The text of a recording, in a file of its name beside it: what is said, or labels with times."""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from voxmatrix.dataset.layouts.walk import shown
from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.label import joined_text
from voxmatrix.transcripts.label_lines import read_label_lines
from voxmatrix.transcripts.lines import Problem, ProblemKind, TranscriptRow, decode, not_utf8_problem
from voxmatrix.transcripts.timed import read_timed

#: The text as a whole, and labels of its parts, in order of preference. `.lab`: MFA, Bert-VITS2, fish-speech.
PLAIN_SUFFIXES = (".txt", ".lab")
LABEL_SUFFIXES = (".srt", ".vtt", ".json", ".textgrid")
TEXT_SUFFIXES = (*PLAIN_SUFFIXES, *LABEL_SUFFIXES)
#: The longest clip, and more characters than anybody says meanwhile.
_CLIP_SECONDS, _CLIP_CHARACTERS = 20.0, 900
#: Read at most this much of a transcript; a text this long is reported by its length anyway.
MAX_TEXT_BYTES = 1 << 20
#: A line of HTK's labels: the beginning and the end in units of 100 ns, and a sound.
_HTK = re.compile(r"\s*\d+\s+\d+\s+\S+(\s+-?[\d.]+)*\s*")


def text_beside(root: Path, folder: str, sound: str, texts: Mapping[str, str]) -> TranscriptRow | Problem:
    """The row of a recording, given the names of the files beside it by their suffix; or what is wrong with them.

    A recording that is longer than a clip by its labels, or by the length of its text, is a problem: it is to be cut.
    """
    path = shown(root, folder, sound)
    stem = path.rpartition(".")[0]
    damaged: Problem | None = None
    said = place = ""
    for name in (texts[suffix] for suffix in LABEL_SUFFIXES if suffix in texts):
        try:
            labels = read_timed(Path(folder, name))
        except BadInputError as error:
            at = shown(root, folder, name)
            damaged = _problem(path, "bad-line", error.problem, error.remedy, at)
            continue
        if labels and labels[-1].end - labels[0].start > _CLIP_SECONDS:
            return _too_long(root, path, shown(root, folder, name))
        if labels and not said:
            said, place = joined_text(labels), shown(root, folder, name)
    for name in (texts[suffix] for suffix in PLAIN_SUFFIXES if suffix in texts):
        return _plain(root, folder, path, name)
    if said:
        return TranscriptRow(line=place, file=path, text=said)
    return damaged or _problem(path, "no-transcript", f"{path} has no text", f"write the spoken text to {stem}.txt")


def _plain(root: Path, folder: str, path: str, name: str) -> TranscriptRow | Problem:
    stem, place = path.rpartition(".")[0], shown(root, folder, name)
    if not Path(folder, name).is_file():  # to open a pipe may wait for ever
        return _problem(path, "unreadable", f"{place} is no file", f"write the spoken text to {stem}.txt", place)
    try:
        with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123
            raw = file.read(MAX_TEXT_BYTES)
        text = decode(raw)
    except UnicodeDecodeError as error:
        return not_utf8_problem(place, raw, error, name=stem)
    except OSError as error:
        what = f"{place} cannot be read: {error.strerror}"
        return _problem(path, "unreadable", what, "give this user read access", place)
    lines = text.splitlines()
    if place.lower().endswith(".lab") and lines and all(_HTK.fullmatch(line) for line in lines if line.strip()):
        what = f"{place} has sounds with their times (HTK), not the words that are said"
        return _problem(path, "bad-line", what, f"write the spoken text to {stem}.txt", place)
    labels = read_label_lines(text) if "\t" in text else None
    if labels:
        text = joined_text(labels)
    if len(text) > _CLIP_CHARACTERS:
        return _too_long(root, path, shown(root, folder, name))
    return TranscriptRow(line=place, file=path, text=text)


def _too_long(root: Path, path: str, place: str) -> Problem:
    what = f"{path} is longer than a clip of {_CLIP_SECONDS:g} s by its text, {place}"
    words = ["voxmatrix", "segment", str(root / path), "--text", str(root / place), "--out"]
    return _problem(path, "too-long", what, f"cut it into clips: {shlex.join(words)} DIR")


def _problem(path: str, kind: ProblemKind, problem: str, remedy: str, place: str = "") -> Problem:
    id = path.rpartition(".")[0]
    return Problem(id=id, kind=kind, path=path, place=place, problem=problem, remedy=remedy)
