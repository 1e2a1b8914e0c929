"""Piper's public voices: their index, fetched at run time, and the files of one, downloaded or from a folder."""

import hashlib
import json
import re
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from voxmatrix.config import home, voice_folders
from voxmatrix.download import RemoteFile, download, hub_endpoint, read_remote
from voxmatrix.encoding import parse_json
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError
from voxmatrix.files import read_errors, read_text_or_empty, replacing_path, write_text
from voxmatrix.inference.onnx_outline import check_whole
from voxmatrix.lock import locked
from voxmatrix.models.library import OFFLINE, Library, LibraryVoice, License
from voxmatrix.piper.card import NAME, card_of
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import ONNX, PUBLIC_NAME, config_path, source_path, title_of
from voxmatrix.progress import OnProgress

_CARD = "MODEL_CARD"
UNKNOWN = "it is not known"
_MAX_INDEX_BYTES, _MAX_CARD_BYTES = 16 * 2**20, 2**20
#: For this long, an index is not fetched again.
INDEX_SECONDS = 24 * 3600.0
_LICENSE = re.compile(r"^\W*licen[cs]e\s*:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_RESTRICTED = re.compile(r"\b(nc|nd|sa|non-?commercial|no-?deriv\w*|share-?alike|research)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class PublicVoice(LibraryVoice):
    """A voice of the index."""

    folder: str  # of its files: en/en_US/joe/medium
    files: tuple[RemoteFile, ...]
    card: RemoteFile | None
    commit: str


class PiperLibrary:
    """Piper's public voices."""

    title = "Piper"
    together = False
    exact = False

    @property
    def origin(self) -> str:
        """The model hub."""
        return hub_endpoint()

    def voices(self) -> dict[str, PublicVoice]:
        """All voices of the index, which is fetched once a day."""
        kept = home() / "cache" / "piper-voices.json"
        fresh = kept.exists() and 0 <= time.time() - kept.stat().st_mtime < INDEX_SECONDS
        known = _read_kept(kept)
        if known is None or not fresh:
            try:
                address = f"{_repository()}/resolve/main/{table()['index']}"
                content, commit = read_remote(address, _MAX_INDEX_BYTES, offline=OFFLINE)
                known = parse_index(content, commit or "main")
                write_text(kept, json.dumps({"commit": commit or "main", "voices": json.loads(content)}))
            except UnreachableError:
                if known is None:
                    raise
        return known

    def has(self, name: str) -> bool:
        """Whether it looks like the names of the index."""
        return PUBLIC_NAME.fullmatch(name) is not None

    def license_of(self, voice: PublicVoice, url: str = "") -> License:
        """The licence, as the model card says it."""
        if voice.card is None:
            return License(words=UNKNOWN, permissive=False)
        content, _ = read_remote(f"{_address(voice, url)}/{_CARD}", _MAX_CARD_BYTES, offline=OFFLINE)
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != voice.card.md5:
            raise DamagedFileError(f"the model card of {voice.name} is not the one of the index", "try again later")
        return license_in(content.decode("utf-8", "replace"))

    def install(self, voice: PublicVoice, *, exact: bool, url: str, accepted: bool, on_progress: OnProgress) -> None:
        """Download the JSON first, which says whether the voice can be spoken with, and then its network."""
        target, downloads = voice_folders()[0] / f"{voice.name}{ONNX}", home() / "cache" / "downloads"
        with locked(downloads, "download", "wait for it"):
            if all(file.is_at(target.with_name(file.name)) for file in voice.files):
                return
            license = self.license_of(voice, url)
            license.check(voice.name, accepted=accepted)
            found, done = {}, 0
            for file in voice.files:
                progress = partial(_part_progress, on_progress, done, voice.size)
                address = _address(voice, url)
                found[file.name] = path = download(file, address, downloads / voice.name, progress, offline=OFFLINE)
                done += file.size
                if path.suffix == ".json":  # it comes first
                    card_of(target, VoiceConfig.read(path), None)
            about = {
                "source": url or f"{_repository()}/tree/{voice.commit}/{voice.folder}",
                "version": voice.commit[:8],
                "license": license.words,
                "accepted": "" if license.permissive else datetime.now(UTC).isoformat(timespec="seconds"),
                "model_card": license.card,
            }
            _place(found[target.name], found[f"{target.name}.json"], voice.name, about, shutil.move)
            shutil.rmtree(downloads / voice.name, ignore_errors=True)

    def install_from(self, name: str, source: Path, *, exact: bool, accepted: bool) -> None:
        """The files may be at any depth of the folder. The MODEL_CARD, if any, is beside them."""
        onnx = next(iter(sorted(source.rglob(f"{name}{ONNX}"))), None)
        if onnx is None:
            remedy = f"choose a folder with {name}{ONNX} and {name}{ONNX}.json"
            raise BadInputError(f"{source} has no {name}{ONNX}", remedy)
        card = read_text_or_empty(onnx.with_name(_CARD))
        license = license_in(card)
        if card:
            license.check(name, accepted=accepted)
        with suppress(UnreachableError):  # without an index, the file itself has to do
            for file in getattr(self.voices().get(name), "files", ()):
                beside = onnx.with_name(file.name)
                if beside.exists() and not file.is_at(beside):
                    raise DamagedFileError(f"{beside} is not the file of the index", "copy or download it again")
        about = {"source": "", "version": "", "license": license.words, "model_card": card} if card else {}
        _place(onnx, config_path(onnx), name, about, shutil.copyfile)

    def add(self, files: Sequence[Path], name: str) -> bool:
        """NAME.onnx and NAME.onnx.json, whatever they are called."""
        onnx, config = (next((file for file in files if file.suffix.lower() == end), None) for end in (ONNX, ".json"))
        if onnx is None or config is None:
            return False
        _place(onnx, config, name, {}, shutil.copyfile)
        return True


def license_in(card: str) -> License:
    """The licence that a model card names. What cannot be told is taken for a restriction."""
    words = "; ".join(dict.fromkeys(_LICENSE.findall(card)))
    allowed = re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in table()["permissive"]), re.IGNORECASE)
    permissive = bool(words) and not _RESTRICTED.search(words)
    permissive &= all(allowed.search(each) for each in words.split("; "))
    return License(words=words or UNKNOWN, permissive=permissive, card=card)


def _part_progress(on_progress: OnProgress, begun: int, total: int, done: int, _total: int) -> None:
    on_progress(begun + done, total)


def _place(
    onnx: Path, config: Path, name: str, about: Mapping[str, str], transfer: Callable[[Path, Path], Any]
) -> None:
    """Check a voice and write it, its ONNX file last: without that it is not found."""
    target = voice_folders()[0] / f"{name}{ONNX}"
    with read_errors(onnx):
        VoiceConfig.read(config)
        check_whole(onnx)
    is_new = not target.exists()
    try:
        if about:
            write_text(source_path(target), json.dumps(about, ensure_ascii=False, indent=2))
        for path, place in ((config, config_path(target)), (onnx, target)):
            with replacing_path(place) as beside:
                transfer(path, beside)
    except BaseException:
        for place in (source_path(target), config_path(target)) if is_new else ():
            place.unlink(missing_ok=True)
        raise


def _read_kept(path: Path) -> dict[str, PublicVoice] | None:
    try:
        kept = json.loads(read_text_or_empty(path))
        return parse_index(json.dumps(kept["voices"]).encode(), kept["commit"])
    except (ValueError, KeyError, TypeError, DamagedFileError):
        return None


def parse_index(content: bytes, commit: str) -> dict[str, PublicVoice]:
    """The voices of an index; those that lack a file or a checksum are left out."""
    try:
        return {voice.name: voice for voice in _voices(parse_json(content), commit)}
    except (ValueError, AttributeError, RecursionError) as error:
        raise DamagedFileError(
            f"{_repository()} has no index of voices: {error}", "check HF_ENDPOINT, or try later"
        ) from error


def _voices(index: Mapping[str, Any], commit: str) -> Iterator[PublicVoice]:
    for name, facts in index.items():
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            paths = {PurePosixPath(path): each for path, each in facts["files"].items()}
            wanted = (f"{name}{ONNX}.json", f"{name}{ONNX}")
            files = [
                (path, RemoteFile(name=path.name, size=int(each["size_bytes"]), md5=str(each["md5_digest"])))
                for path, each in paths.items()
                if path.name in (_CARD, *wanted)
            ]
            found = {file.name: file for _, file in files}
            if not PUBLIC_NAME.fullmatch(name) or not found.keys() >= set(wanted):
                continue
            language = facts["language"]
            country = language.get("country_english") or language["region"]
            yield PublicVoice(
                name=name,
                family=NAME,
                title=title_of(name),
                language=str(language["code"]).replace("_", "-").lower(),
                language_name=f"{language['name_english']} ({country})",
                quality=str(facts["quality"]),
                num_speakers=int(facts.get("num_speakers", 1)),
                size=sum(found[each].size for each in wanted),
                folder=str(files[0][0].parent),
                files=tuple(found[each] for each in wanted),
                card=found.get(_CARD),
                commit=commit,
            )


def _address(voice: PublicVoice, url: str) -> str:
    return f"{url.rstrip('/') or f'{_repository()}/resolve/{voice.commit}'}/{quote(voice.folder)}"


def _repository() -> str:
    return f"{hub_endpoint()}/{table()['repository']}"


@cache
def table() -> dict[str, Any]:
    """The content of library.toml."""
    return tomllib.loads(Path(__file__).with_name("library.toml").read_text(encoding="utf-8"))


LIBRARY: Library[PublicVoice] = PiperLibrary()
