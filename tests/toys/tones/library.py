"""Voices of tones that can be downloaded: HF_ENDPOINT/tones has index.json and the files."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from voxmatrix.config import home, voice_folders
from voxmatrix.download import RemoteFile, download, hub_endpoint, read_remote
from voxmatrix.errors import BadInputError
from voxmatrix.files import replacing_path
from voxmatrix.lock import locked
from voxmatrix.models.library import OFFLINE, Library, LibraryVoice, License
from voxmatrix.progress import OnProgress

SUFFIX = ".tones"
#: What the names of public voices begin with.
PREFIX = "tones_"
_FREE = "CC0"


class TonesLibrary:
    """All of them."""

    title = "Toy"
    together = False
    exact = False

    @property
    def origin(self) -> str:
        return f"{hub_endpoint()}/tones"

    def voices(self) -> dict[str, LibraryVoice]:
        return {
            name: LibraryVoice(
                name=name,
                family="tones",
                title=name.removeprefix(PREFIX).title(),
                language="en-us",
                language_name="American English",
                size=facts["size"],
                license=facts["license"],
            )
            for name, facts in self._index().items()
        }

    def has(self, name: str) -> bool:
        return name.startswith(PREFIX)

    def license_of(self, voice: LibraryVoice, url: str = "") -> License:
        return License(words=voice.license, permissive=voice.license == _FREE, card=f"# {voice.title}")

    def install(self, voice: LibraryVoice, *, exact: bool, url: str, accepted: bool, on_progress: OnProgress) -> None:
        downloads = home() / "cache" / "downloads"
        self.license_of(voice).check(voice.name, accepted=accepted)
        facts = self._index()[voice.name]
        file = RemoteFile(name=f"{voice.name}{SUFFIX}", size=facts["size"], sha256=facts["sha256"])
        with locked(downloads, "download", "wait for it"):
            found = download(file, url or self.origin, downloads, on_progress, offline=OFFLINE)
            _copy(found, voice.name)
            found.unlink()

    def install_from(self, name: str, source: Path, *, exact: bool, accepted: bool) -> None:
        if not (source / f"{name}{SUFFIX}").is_file():
            raise BadInputError(f"{source} has no {name}{SUFFIX}", "choose another folder")
        _copy(source / f"{name}{SUFFIX}", name)

    def add(self, files: Sequence[Path], name: str) -> bool:
        if [file.suffix for file in files] != [SUFFIX]:
            return False
        _copy(files[0], name)
        return True

    def _index(self) -> dict[str, dict[str, object]]:
        content, _ = read_remote(f"{self.origin}/index.json", 2**20, offline=OFFLINE)
        return json.loads(content)


def _copy(file: Path, name: str) -> None:
    with replacing_path(voice_folders()[0] / f"{name}{SUFFIX}") as beside:
        shutil.copyfile(file, beside)


LIBRARY: Library[LibraryVoice] = TonesLibrary()
