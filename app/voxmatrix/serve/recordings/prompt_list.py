"""A list of sentences to read, with what was recorded of it: `prompts.json`, and `0001.wav` with `0001.txt` beside it.

This is the layout that `--profile` and `--prompt-list` name. Texts that were not recorded stand in `prompts.json`
only, since `prepare` reports a text without a recording.

The lists that come with voxmatrix have one sentence per line, written for it.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Self

from voxmatrix.errors import DamagedFileError
from voxmatrix.files import write_text
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


@dataclass(frozen=True, kw_only=True)
class PromptList:
    """A list as it is on the disk. Prompts are numbered from 1."""

    profile: str
    name: str
    folder: Path
    language: str
    prompts: tuple[str, ...]
    skipped: frozenset[int] = frozenset()

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The list in a folder.

        Raises:
            DamagedFileError: its file is not what we have written.
            OSError: it cannot be read.
        """
        path = folder / FILE_NAME
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                profile=folder.parent.name,
                name=folder.name,
                folder=folder,
                language=str(content["language"]),
                prompts=tuple(map(str, content["prompts"])),
                skipped=frozenset(map(int, content["skipped"])),
            )
        except (ValueError, LookupError, TypeError) as error:
            raise DamagedFileError(f"{path} is damaged: {error}", "repair or remove it") from error

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
