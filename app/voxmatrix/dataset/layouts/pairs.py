"""`NAME.wav` with `NAME.txt`, in a folder and its subfolders; or texts in folders of their own, as VCTK has them."""

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from voxmatrix.dataset.layouts.beside import TEXT_SUFFIXES, text_beside
from voxmatrix.dataset.layouts.layout import Layout, Transcript
from voxmatrix.dataset.layouts.walk import shown, walk
from voxmatrix.transcripts.lines import SUFFIXES, Problem, TranscriptRow, suffix_of

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
#: A folder of texts beside one of recordings, VCTK's folders of recordings, and its second microphone.
_TEXT_FOLDER = re.compile(r"txts?|texts?|transcript(ion)?s?|labels?|labs?|scripts?|sentences?", re.IGNORECASE)
_VCTK_FOLDER = re.compile(r"wav48.*", re.IGNORECASE)
_MICROPHONE = re.compile(r"_mic\d")
#: Suffixes of files that are nothing but the texts of recordings.
_ONLY_TEXTS = (".txt", ".lab", ".textgrid")


class _Lone(NamedTuple):
    """Recordings of one name without a text beside them, or texts without a recording, by their suffix."""

    folder: str
    stem: str
    sounds: Sequence[str]
    texts: dict[str, str]


def read(root: Path) -> Transcript | None:
    """A row for each pair; a problem for each recording without a text and each text without a recording."""
    rows: list[TranscriptRow] = []
    problems: list[Problem] = []
    lone: list[_Lone] = []
    for folder, names in walk(root, problems):
        sounds, texts = _sort(names)
        for stem in sorted(sounds.keys() | texts.keys()):
            one = _Lone(folder, stem, sounds.get(stem, ()), texts.get(stem, {}))
            if not (one.sounds and one.texts):
                lone.append(one)
                continue
            for sound in one.sounds:
                _add(_row(root, one.folder, sound, one.texts), rows, problems)
    _pair_across(root, lone, rows, problems)
    return (rows, problems) if rows or problems else None


LAYOUT = Layout(looks_like="NAME.wav with NAME.txt", read=read)


def _sort(names: list[str]) -> tuple[dict[str, list[str]], dict[str, dict[str, str]]]:
    sounds: dict[str, list[str]] = {}
    texts: dict[str, dict[str, str]] = {}
    for name in names:
        suffix = suffix_of(name)
        stem = unicodedata.normalize("NFC", name[: len(name) - len(suffix)])
        if name.startswith("."):
            continue
        if suffix in SUFFIXES:
            sounds.setdefault(stem, []).append(name)
        elif suffix in TEXT_SUFFIXES:
            texts.setdefault(stem, {})[suffix] = name
    return sounds, texts


def _add(found: TranscriptRow | Problem, rows: list[TranscriptRow], problems: list[Problem]) -> None:
    if isinstance(found, Problem):
        problems.append(found)
    else:
        rows.append(found)


def _row(root: Path, folder: str, sound: str, texts: dict[str, str]) -> TranscriptRow | Problem:
    path = shown(root, folder, sound)
    if path != os.path.relpath(os.path.join(folder, sound), root):  # noqa: PTH118
        remedy = f"rename the file to UTF-8: convmv -f latin1 -t utf-8 -r --notest {root}"
        stem = path.rpartition(".")[0]
        return Problem(id=stem, kind="bad-encoding", path=path, problem="the file name is not UTF-8", remedy=remedy)
    return text_beside(root, folder, sound, texts)


def _pair_across(root: Path, lone: list[_Lone], rows: list[TranscriptRow], problems: list[Problem]) -> None:
    """Pair what is in two folders (wav48/p225/p225_001.wav, txt/p225/p225_001.txt); the others are problems."""
    texts = {key: one for one in lone if one.texts for key in _text_keys(root, one)}
    used: set[tuple[str, str]] = set()
    stems = {(one.folder, one.stem) for one in lone}
    for one in lone:
        first = _MICROPHONE.sub("_mic1", one.stem)
        if one.sounds and first != one.stem and (one.folder, first) in stems:
            continue  # the same words at another microphone
        for sound in one.sounds:
            partner, speaker = _partner(root, one, texts)
            if partner is None:
                _add(_row(root, one.folder, sound, {}), rows, problems)
                continue
            used.add((partner.folder, partner.stem))
            files = {
                suffix: os.path.relpath(f"{partner.folder}/{name}", one.folder)
                for suffix, name in partner.texts.items()
            }
            found = _row(root, one.folder, sound, files)
            _add(replace(found, speaker=speaker) if isinstance(found, TranscriptRow) else found, rows, problems)
    for one in lone:
        if one.texts and (one.folder, one.stem) not in used and one.stem.lower() not in _OTHER_TEXTS:
            problems += [
                _no_sound(shown(root, one.folder, one.texts[suffix])) for suffix in _ONLY_TEXTS if suffix in one.texts
            ]


_Key = tuple[tuple[str, ...], str]


def _text_keys(root: Path, one: _Lone) -> Iterator[_Key]:
    parts = _parts(root, one)
    for place, part in enumerate(parts):
        if _TEXT_FOLDER.fullmatch(part):
            yield (*parts[:place], *parts[place + 1 :]), one.stem


def _partner(root: Path, one: _Lone, texts: dict[_Key, _Lone]) -> tuple[_Lone | None, str | None]:
    """The text of a recording in another folder, and the speaker, who has a folder in VCTK."""
    parts, stem = _parts(root, one), _MICROPHONE.sub("", one.stem)
    for place in range(len(parts)):
        others = (*parts[:place], *parts[place + 1 :])
        if (found := texts.get((others, one.stem)) or texts.get((others, stem))) is not None:
            return found, others[-1] if others and _VCTK_FOLDER.fullmatch(parts[place]) else None
    return texts.get((parts, one.stem)), None


def _parts(root: Path, one: _Lone) -> tuple[str, ...]:
    return Path(os.path.relpath(one.folder, root)).parts


def _no_sound(path: str) -> Problem:
    stem = path.rpartition(".")[0]
    what, remedy = f"{path} has no recording", f"add the recording as {stem}.wav, or remove {path}"
    return Problem(id=stem, kind="missing", path=path, place=path, problem=what, remedy=remedy)
