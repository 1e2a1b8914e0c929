"""A list of sentences to read, with what was recorded of it: `prompts.json`, and `0001.wav` with `0001.txt` beside it.

This is the layout that `--profile` and `--prompt-list` name. Texts that were not recorded stand in `prompts.json`
only, since `prepare` reports a text without a recording.

The lists that come with voxmatrix have one sentence per line, written for it.
"""

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Self

from voxmatrix.encoding import parse_json
from voxmatrix.files import read_errors, write_text
from voxmatrix.text.prompts import sentence_list


@dataclass(frozen=True, kw_only=True)
class BundledList:
    """A list to choose. `id` is what requests call it."""

    id: str
    title: str
    language: str
    prompts: tuple[str, ...]


@cache
def bundled_lists() -> dict[str, BundledList]:
    """All lists by id."""
    known = (
        ("en", "Everyday English", "en-US"),
        ("sv", "Vardaglig svenska", "sv-SE"),
        ("es", "Español cotidiano", "es-ES"),
        ("fr", "Français de tous les jours", "fr-FR"),
    )
    return {id: BundledList(id=id, title=title, language=tag, prompts=sentence_list(id)) for id, title, tag in known}


FILE_NAME = "prompts.json"
_NUMBERED = "[0-9]" * 4
_ASSUMED = "en-US"
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')


def _salvaged(text: str) -> tuple[str, list[str]]:
    """The language ("" if it is lost) and the first sentences in the beginning of a file."""
    strings = [str(json.loads(found)) for found in _STRING.findall(text)]
    if strings[-1:] == ["skipped"]:
        del strings[-1]
    if strings[:1] != ["language"]:
        return "", []
    return "".join(strings[1:2]), strings[3:] if strings[2:3] == ["prompts"] else []


@dataclass(frozen=True, kw_only=True)
class PromptList:
    """A list as it is on the disk. Prompts are numbered from 1."""

    profile: str
    name: str
    folder: Path
    language: str
    prompts: tuple[str, ...]
    skipped: frozenset[int] = frozenset()
    problem: str = ""  # why this is not what its file says, but what could be found out without it

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The list in a folder; `rebuilt` if its file is damaged.

        Raises:
            BadInputError, UnreachableError: it cannot be read now.
        """
        path = folder / FILE_NAME
        with read_errors(path):
            data = path.read_bytes()
        try:
            content = parse_json(data.decode("utf-8"))
            return cls(
                profile=folder.parent.name,
                name=folder.name,
                folder=folder,
                language=str(content["language"]),
                prompts=tuple(map(str, content["prompts"])),
                skipped=frozenset(map(int, content["skipped"])),
            )
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            return cls.rebuilt(folder, f"{path} is damaged: {error}", data.decode("utf-8", "replace"))

    @classmethod
    def rebuilt(cls, folder: Path, problem: str, remains: str = "") -> Self:
        """The list of the takes in a folder, whose file cannot be used because of `problem`.

        The sentences are those in what `remains` of the file, those beside the takes, and the others of the list that
        comes with voxmatrix and has all of these. A take whose sentence nothing says has an empty one.

        Raises:
            BadInputError, UnreachableError: a text cannot be read now.
        """
        language, prompts = _salvaged(remains)
        known = dict(enumerate(prompts, start=1))
        for path in folder.glob(_NUMBERED + ".txt"):
            with read_errors(path):
                known[int(path.stem)] = path.read_text(encoding="utf-8", errors="replace").strip()
        for bundled in bundled_lists().values():
            sentences = dict(enumerate(bundled.prompts, start=1))
            if known and known.items() <= sentences.items():
                language, known = language or bundled.language, sentences
        last = max([*known, *(int(path.stem) for path in folder.glob(_NUMBERED + ".wav"))], default=0)
        assumed = "" if language else f"; its language is unknown, {_ASSUMED} is assumed"
        return cls(
            profile=folder.parent.name,
            name=folder.name,
            folder=folder,
            language=language or _ASSUMED,
            prompts=tuple(known.get(number, "") for number in range(1, last + 1)),
            problem=f"{problem}; {len(known)} of {last} prompts are known otherwise{assumed}",
        )

    def write(self) -> None:
        """Write the file.

        Raises:
            UnreachableError: the disk is full, or the folder cannot be written.
        """
        content = {"language": self.language, "prompts": self.prompts, "skipped": sorted(self.skipped)}
        write_text(self.folder / FILE_NAME, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    def with_skipped(self, number: int, skipped: bool) -> Self:
        """This list, in which a prompt is skipped or not."""
        return replace(self, skipped=self.skipped | {number} if skipped else self.skipped - {number})

    def text(self, number: int) -> str:
        """The sentence of a number."""
        return self.prompts[number - 1]

    def sound_path(self, number: int) -> Path:
        """The recording of a sentence, which may not exist."""
        return self.folder / f"{number:04}.wav"

    def text_path(self, number: int) -> Path:
        """What was read in that recording."""
        return self.folder / f"{number:04}.txt"

    def has_take(self, number: int) -> bool:
        """Whether it was recorded. A link, which could lead anywhere, is not one of our recordings."""
        path = self.sound_path(number)
        return path.is_file() and not path.is_symlink()

    def recorded(self) -> list[int]:
        """The numbers of all that were recorded."""
        return [number for number in range(1, len(self.prompts) + 1) if self.has_take(number)]
