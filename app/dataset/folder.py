"""A folder of recordings: finds what a transcript names, and never leaves the folder."""

import os
import unicodedata
from functools import cached_property
from pathlib import Path, PurePosixPath

#: What soundfile reads, likeliest first: `id|text` names no ending and takes the first that is there.
SOUND_SUFFIXES = (
    *(".wav", ".flac", ".ogg", ".opus", ".mp3", ".oga", ".aiff", ".aif", ".aifc", ".au", ".snd", ".caf", ".w64"),
    *(".rf64", ".wave", ".voc", ".sph", ".nist"),
)
#: Sound as well, which soundfile does not read: found, so that it can be reported.
OTHER_SUFFIXES = (".m4a", ".aac", ".mp4", ".wma", ".webm", ".amr", ".mka", ".mpeg", ".3gp")
SUFFIXES = frozenset((*SOUND_SUFFIXES, *OTHER_SUFFIXES))
#: Where recordings lie beside their metadata.csv.
SOUND_FOLDERS = ("", "wav", "wavs", "audio", "clips", "flac", "mp3")


class OutsideError(ValueError):
    """A name that leads out of the folder."""


class Folder:
    """Listings of the folders that are asked for, each read once. Names are compared in Unicode's form NFC."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._listings: dict[str, dict[str, str]] = {}

    def find(self, name: str) -> Path | None:
        """The entry that a transcript calls `name`, with or without its ending, in the folder or a sound folder of it.

        Raises:
            OutsideError: the name is absolute or climbs out of the folder.
        """
        relative = self.relative(name)
        places = [relative if not folder else f"{folder}/{relative}" for folder in SOUND_FOLDERS]
        endings = (
            ("",) if PurePosixPath(relative).suffix.lower() in SUFFIXES else (*SOUND_SUFFIXES, "", *OTHER_SUFFIXES)
        )
        for place in places:
            parent, _, leaf = place.rpartition("/")
            listing = self._listing(parent)
            for ending in endings:
                found = listing.get(leaf + ending) or (listing.get(leaf + ending.upper()) if ending else None)
                if found is not None:
                    return Path(os.path.join(self._root, parent, found))  # noqa: PTH118  three times as fast, for each line
        return None

    def relative(self, name: str) -> str:
        """`name` below the root, with `/`, in NFC.

        Raises:
            OutsideError: it is not below the root.
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
        """What lies where `name` was expected and differs only in its ending or its case."""
        stem = str(PurePosixPath(self.relative(name)).with_suffix("")).lower()
        for folder in SOUND_FOLDERS:
            parent, _, leaf = f"{folder}/{stem}".lstrip("/").rpartition("/")
            for entry in self._listing(parent).values():
                if PurePosixPath(entry).stem.lower() == leaf and PurePosixPath(entry).suffix.lower() in SUFFIXES:
                    return f"{parent}/{entry}".lstrip("/")
        return None

    @cached_property
    def _root(self) -> str:
        return str(self.root)

    @cached_property
    def _absolute(self) -> str:
        return str(self.root.absolute())

    def _listing(self, folder: str) -> dict[str, str]:
        listing = self._listings.get(folder)
        if listing is None:
            try:
                names = os.listdir(os.path.join(self._root, folder))  # noqa: PTH118, PTH208  names, not paths
            except (OSError, ValueError):  # not there, no folder, a null byte in its name
                names = []
            listing = {unicodedata.normalize("NFC", name): name for name in sorted(names)}
            self._listings[folder] = listing
        return listing
