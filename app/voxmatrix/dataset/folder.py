"""Recordings as listed in their folder, and the files named in a transcript, never outside of it."""

import os
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from voxmatrix.transcripts.lines import OTHER_SUFFIXES, SOUND_SUFFIXES, SUFFIXES, identity, suffix_of


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A sound file with its text and speaker, before the file is read."""

    id: str
    path: Path
    text: str
    speaker: str | None
    line: str  # e.g. "metadata.csv:12"


#: Where recordings may be, relative to their metadata.csv.
SOUND_FOLDERS = ("", "wav", "wavs", "audio", "clips", "flac", "mp3")


class OutsideError(ValueError):
    """A path outside of the folder."""


#: Of several recordings with the same stem, the first in this order is used.
_ORDER = {suffix: number for number, suffix in enumerate((*SOUND_SUFFIXES, *OTHER_SUFFIXES))}


class _Listing(NamedTuple):
    names: dict[str, str]  # all entries, by name in NFC
    stems: dict[str, str]  # one recording per stem, by stem in NFC


class Folder:
    """A folder whose subfolders are each listed once. Names are compared in Unicode normalisation form NFC."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._listings: dict[str, _Listing] = {}

    def find(self, name: str) -> Path | None:
        """The file called `name`, with or without its extension, in the folder or one of its SOUND_FOLDERS.

        Raises:
            OutsideError: the name is a path outside of the folder.
        """
        parent, _, leaf = self.relative(name).rpartition("/")
        for folder in SOUND_FOLDERS:
            place = f"{folder}/{parent}".strip("/")
            listing = self._listing(place)
            found = listing.names.get(leaf) if suffix_of(leaf) in SUFFIXES else listing.stems.get(leaf)
            if found is not None:
                return Path(f"{self._root}/{place}/{found}" if place else f"{self._root}/{found}")
        return None

    def relative(self, name: str) -> str:
        """`name` as a path relative to the root, with `/` and in NFC.

        Raises:
            OutsideError: the path is outside of the root.
        """
        name = unicodedata.normalize("NFC", name.replace("\\", "/"))
        if name.startswith("/") or name[1:3] == ":/":
            root = unicodedata.normalize("NFC", self._absolute) + "/"
            if not os.path.normpath(name).startswith(root):
                raise OutsideError(name)
            name = os.path.normpath(name)[len(root) :]
        relative = os.path.normpath(name) if "." in name or "//" in name else name
        if relative == ".." or relative.startswith("../"):
            raise OutsideError(name)
        return relative

    def similar(self, name: str) -> str | None:
        """A file in the place of `name` that differs from it only in its extension, or in the case of its path."""
        *parents, leaf = identity(self.relative(name)).lower().split("/")
        for folder in SOUND_FOLDERS:
            place: str | None = ""
            for parent in filter(None, (folder, *parents)):
                place = self._in_any_case(place, parent) if place is not None else None
            for stem, entry in self._listing(place).stems.items() if place is not None else ():
                if stem.lower() == leaf:
                    return f"{place}/{entry}".lstrip("/")
        return None

    def _in_any_case(self, place: str, name: str) -> str | None:
        found = next((entry for entry in self._listing(place).names.values() if entry.lower() == name), None)
        return found and f"{place}/{found}".lstrip("/")

    @cached_property
    def _root(self) -> str:
        return str(self.root)

    @cached_property
    def _absolute(self) -> str:
        return str(self.root.absolute())

    def _listing(self, folder: str) -> _Listing:
        listing = self._listings.get(folder)
        if listing is None:
            try:
                names = os.listdir(f"{self._root}/{folder}")  # noqa: PTH208  names, not paths
            except (OSError, ValueError):  # missing, not a folder, or a null byte in the name
                names = []
            listing = _Listing({unicodedata.normalize("NFC", name): name for name in names}, {})
            sounds = [name for name in listing.names if suffix_of(name) in SUFFIXES]
            for name in sorted(sounds, key=lambda name: (-_ORDER[suffix_of(name)], name)):
                listing.stems[name.rpartition(".")[0]] = listing.names[name]
            self._listings[folder] = listing
        return listing
