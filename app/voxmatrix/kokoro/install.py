"""Kokoro's network and voices: from their public release, or from a folder."""

import shutil
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.config import home, voice_folders
from voxmatrix.download import RemoteFile, download
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.files import digest, read_errors, replacing, replacing_path
from voxmatrix.kokoro.names import GENDERS, LANGUAGES, NAME
from voxmatrix.kokoro.styles import MAX_IDS, SUFFIX, WIDTH, read_styles
from voxmatrix.lock import locked
from voxmatrix.models.library import OFFLINE, Library, LibraryVoice, License
from voxmatrix.progress import OnProgress


@dataclass(frozen=True, kw_only=True)
class Release:
    """What can be downloaded, and from where."""

    url: str
    license: str
    voices_in_pack: tuple[str, ...]
    int8: RemoteFile
    exact: RemoteFile  # float32: nearer to the original, 3.5 times as large
    voices: RemoteFile  # the styles of all voices, numpy's npz


@cache
def release() -> Release:
    """The pinned release."""
    table = tomllib.loads(Path(__file__).with_name("release.toml").read_text(encoding="utf-8"))
    files = {name: RemoteFile(**table[name]) for name in ("int8", "exact", "voices")}
    return Release(url=table["url"], license=table["license"], voices_in_pack=tuple(table["voices_in_pack"]), **files)


class KokoroLibrary:
    """The voices of the release."""

    title = "Kokoro"
    together = True
    exact = True

    @property
    def origin(self) -> str:
        """The address of the release."""
        return release().url

    def voices(self) -> dict[str, LibraryVoice]:
        """All voices of the release."""
        size, exact_size = (sum(file.size for file in _needed(exact=exact)) for exact in (False, True))
        found = {}
        for stem in release().voices_in_pack:
            language, words = LANGUAGES[stem[0]]
            found[f"{NAME}/{stem}"] = LibraryVoice(
                name=f"{NAME}/{stem}",
                family=NAME,
                title=stem.partition("_")[2].title(),
                language=language,
                language_name=words,
                gender=GENDERS[stem[1]],
                size=size,
                exact_size=exact_size,
                license=release().license,
            )
        return found

    def has(self, name: str) -> bool:
        """Whether it is a voice of the release."""
        return name in self.voices()

    def license_of(self, voice: LibraryVoice, url: str = "") -> License:
        """That of the release."""
        return License(words=voice.license, permissive=True)

    def install(self, voice: LibraryVoice, *, exact: bool, url: str, accepted: bool, on_progress: OnProgress) -> None:
        """Download what is missing of the network and of all voices."""
        folder = voice_folders()[0] / NAME
        downloads = home() / "cache" / "downloads"
        network, voices = _needed(exact=exact)
        total = network.size + voices.size
        with locked(downloads, "download", "wait for it"):
            graph = folder / network.name
            wanted = [folder / "voices" / f"{name}{SUFFIX}" for name in release().voices_in_pack]
            if network.is_at(graph) and all(file.exists() for file in wanted):
                return
            fetch = partial(download, url=url or release().url, folder=downloads, offline=OFFLINE)
            pack = fetch(voices, on_progress=lambda done, _: on_progress(done, total))
            if not network.is_at(graph):
                graph = fetch(network, on_progress=lambda done, _: on_progress(voices.size + done, total))
            _write(folder, _unpacked(pack), graph)
            for file in (pack, downloads / network.name):
                file.unlink(missing_ok=True)

    def install_from(self, name: str, source: Path, *, exact: bool, accepted: bool) -> None:
        """The folder has a network (of two, the exact one counts), and voices-v1.0.bin or voices/NAME.bin."""
        wanted = [release().exact] if exact else [release().exact, release().int8]
        networks = [file for file in wanted if (source / file.name).is_file()]
        pack, single = source / release().voices.name, sorted((source / "voices").glob(f"*{SUFFIX}"))
        if not networks or not (pack.is_file() or single):
            raise BadInputError(
                f"{source} has no {'voices' if networks else 'network'} of Kokoro",
                f"choose a folder with {' or '.join(file.name for file in wanted)}, and {pack.name} or voices/NAME.bin",
            )
        for file in (networks[0], *([release().voices] if pack.is_file() else [])):
            if (found := digest(source / file.name)) != file.sha256:
                raise DamagedFileError(
                    f"{source / file.name} is not the file of the release: its SHA-256 is {found}, not {file.sha256}",
                    "copy or download it again",
                )
        folder = voice_folders()[0] / NAME
        with locked(home() / "cache" / "downloads", "download", "wait for it"):
            styles = _unpacked(pack) if pack.is_file() else ((one.stem, read_styles(one)) for one in single)
            _write(folder, styles, source / networks[0].name)

    def add(self, files: Sequence[Path], name: str) -> bool:
        """False: a voice needs the network of all."""
        return False


def _needed(*, exact: bool) -> tuple[RemoteFile, RemoteFile]:
    """The files to download: the network and the voices."""
    return release().exact if exact else release().int8, release().voices


def _write(folder: Path, styles: Iterator[tuple[str, Any]], graph: Path) -> None:
    """Write the voices and then the network, without which they are not found."""
    for name, table in styles:
        with replacing(folder / "voices" / f"{name}{SUFFIX}") as file:
            file.write(np.asarray(table, "<f4").tobytes())
    if graph.parent != folder:
        with replacing_path(folder / graph.name) as beside:
            shutil.copyfile(graph, beside)


def _unpacked(pack: Path) -> Iterator[tuple[str, Any]]:
    """The voices of a pack, by name."""
    try:
        with read_errors(pack), np.load(pack, allow_pickle=False) as tables:
            content: Mapping[str, Any] = {name: tables[name].reshape(MAX_IDS, WIDTH) for name in tables.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DamagedFileError(f"{pack} has no voices of Kokoro: {error}", "download it again") from error
    yield from content.items()


LIBRARY: Library[LibraryVoice] = KokoroLibrary()
