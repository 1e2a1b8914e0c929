"""Voices on their way to workers: the coordinator publishes one, and a worker fetches it once, by checksum."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError
from voxmatrix.files import content_digest, replacing
from voxmatrix.models.card import VoiceCard, joint_digest
from voxmatrix.models.style import Role
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.cluster.messages import SharedFile, SharedVoice
from voxmatrix.work.cluster.store import Store

#: Files travel in parts: no store holds a server up with a large value, and checkpoints exceed the limit of Redis.
_PART_BYTES = 8 * 1024 * 1024
#: Voices that no coordinator needs any more are deleted after this time, where the store can do so.
KEEP_SECONDS = 3600
#: A worker deletes voices that it has not used for this long: every new export of a voice is another voice to it.
_UNUSED_SECONDS = 30 * 24 * 3600


def shared_voice(voice: VoiceCard) -> SharedVoice:
    """A voice as workers will know it.

    Raises:
        BadInputError: it cannot be sent to them.
    """
    if not voice.capabilities.portable:
        raise BadInputError(
            f"the voice {voice.id} cannot be sent to the workers of a cluster",
            "speak on this computer, or choose another voice",
        )
    files = tuple(
        SharedFile(name=path.name, sha256=content_digest(path), size=path.stat().st_size) for path in voice.files
    )
    return SharedVoice(checksum=voice.digest, files=files)


def publish(store: Store, voice: SharedVoice, paths: Sequence[Path]) -> None:
    """Put the files of a voice into the store, unless they are there.

    Raises:
        UnreachableError: the store does not answer, or is full.
    """
    for file, path in zip(voice.files, paths, strict=True):
        if store.keep(_parts(file), KEEP_SECONDS):
            continue
        with path.open("rb") as opened:
            for name in _parts(file):
                store.put(name, opened.read(_PART_BYTES), KEEP_SECONDS)


class PublishedVoices:
    """What a run puts into the store: its voice, and those of casts that its units name."""

    def __init__(self, voice: VoiceCard) -> None:
        """Raises what `shared_voice` raises."""
        self.own = shared_voice(voice)
        self._voices = {self.own.checksum: (self.own, voice.files)}

    def renew(self, store: Store) -> None:
        """Put into the store what it has lost, and keep the rest there.

        Raises:
            UnreachableError: the store does not answer, or is full.
        """
        for shared, paths in self._voices.values():
            publish(store, shared, paths)

    def of_casts(self, store: Store, casts: Iterable[Mapping[str, Role]]) -> tuple[SharedVoice, ...]:
        """The other voices of these casts, each put into the store when it is first needed.

        Raises:
            BadInputError: one cannot be sent to workers.
            UnreachableError: the store does not answer, or is full.
        """
        roles = {role.digest: role for cast in casts for role in cast.values()}
        for digest, role in roles.items():
            if digest not in self._voices:
                card = resolve(role.voice)
                shared = shared_voice(card)
                publish(store, shared, card.files)
                self._voices[digest] = (shared, card.files)
        return tuple(self._voices[digest][0] for digest in roles if digest != self.own.checksum)


def fetch(store: Store, voice: SharedVoice) -> Path:
    """The file of a voice on this computer, fetched from the store if it was never needed before.

    Raises:
        DamagedFileError: what is in the store, or in the cache of this computer, is not this voice.
        UnreachableError: the store does not answer or does not have the voice, or the cache cannot be written.
    """
    if joint_digest(file.sha256 for file in voice.files) != voice.checksum:
        raise DamagedFileError(
            f"the voice {voice.files[0].name} that was sent does not match its checksum",
            "start the coordinator again",
        )
    folder = home() / "cache" / "voices" / voice.checksum
    paths = [folder / file.name for file in voice.files]
    if not folder.is_dir():
        _delete_unused(folder.parent)
    for file, path in zip(voice.files, paths, strict=True):
        if not path.is_file() or content_digest(path) != file.sha256:
            _fetch(store, file, path)
    with contextlib.suppress(OSError):  # the folder is another user's
        os.utime(folder)
    return paths[0]


def _delete_unused(cache: Path) -> None:
    for folder in cache.glob("*/"):
        with contextlib.suppress(OSError):  # another worker deletes it, too
            if folder.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                shutil.rmtree(folder)


def _fetch(store: Store, file: SharedFile, path: Path) -> None:
    checksum, left = sha256(), file.size
    with replacing(path) as opened:
        for name in _parts(file):
            expected = min(_PART_BYTES, left)
            (data,) = store.get([(name, expected)]) if expected else (b"",)
            if data is None:
                raise UnreachableError(
                    f"the store does not have the voice {file.name}",
                    "check that this worker and the coordinator were started with the same `store`",
                )
            checksum.update(data)
            opened.write(data)
            left -= len(data)
        if checksum.hexdigest() != file.sha256:
            raise DamagedFileError(f"{file.name} was damaged on its way to this worker", "it is fetched again")


def _parts(file: SharedFile) -> list[str]:
    count = max(1, -(-file.size // _PART_BYTES))
    return [f"voices/{file.sha256}.{part}" for part in range(count)]
