"""All prompt lists under one folder: `ROOT/PROFILE/LIST/`. Names are checked before they become part of a path."""

import io
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from voxmatrix.audio.checks import AudioError
from voxmatrix.audio.load import read
from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.files import read_errors, replacing_path, write_text
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.recordings.prompt_list import FILE_NAME, PromptList

#: A minute at 48 kHz, in 32 bits and two channels, and the header.
MAX_SECONDS = 60.0
TAKE_BYTES = 60 * 48_000 * 4 * 2 + 64 * 1024
LIST_BYTES = 2 * 2**20

_TAKE = re.compile(r"/v1/recordings/[^/]+/[^/]+/\d{1,5}")


def body_limit(method: str, path: str) -> int | None:
    """The most bytes that a body may have; None for the usual limit."""
    if method == "PUT" and _TAKE.fullmatch(path):
        return TAKE_BYTES
    return LIST_BYTES if method == "POST" and path == "/v1/recordings" else None


_MAX_BYTES = 120  # file systems allow 255, and an archive or a backup may add to a name
#: Separators, and what Windows allows in no name.
_FORBIDDEN_SHOWN = '/ \\ : * ? " < > |'
_FORBIDDEN = frozenset(_FORBIDDEN_SHOWN) - {" "}
#: Windows opens devices by these names, whatever the ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def checked_name(name: str, param: str) -> str:
    """The name in Unicode's form NFC, without spaces around it.

    Raises:
        ApiError: no folder can have this name everywhere.
    """
    name = normal(name)
    problem = _problem(name)
    if problem:
        raise ApiError(400, f"{param} {problem}", param=param, code="invalid_value")
    return name


def is_name(name: str) -> bool:
    """Whether a folder of this name can be one of ours."""
    return normal(name) == name and not _problem(name)


def normal(name: str) -> str:
    """The name as folders have it: macOS sends accents as characters of their own."""
    return unicodedata.normalize("NFC", name).strip()


def _problem(name: str) -> str:
    """The first thing that is wrong with a name; empty if nothing is."""
    rules = (
        (not name, "is empty"),
        # Also control characters and lone surrogates.
        (not name.isprintable(), "contains a character that cannot be shown"),
        (len(name.encode("utf-8", "replace")) > _MAX_BYTES, f"is longer than {_MAX_BYTES} bytes"),
        (not _FORBIDDEN.isdisjoint(name), f"contains one of {_FORBIDDEN_SHOWN}, which not every folder name can"),
        (name.startswith((".", "-")) or name.endswith("."), "begins with a dot or a hyphen, or ends with a dot"),
        (_DEVICES.fullmatch(name) is not None, "is the name of a device on Windows"),
    )
    return next((problem for broken, problem in rules if broken), "")


#: What libsndfile calls WAV files.
_WAV = ("WAV", "WAVEX")
#: Any rate would do: the file is only read to its end here.
_CHECK_RATE_HZ = 16_000


class RecordingStore:
    """Reads and writes the lists. Safe for several threads."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._writing = threading.Lock()

    def lists(self) -> list[PromptList]:
        """All lists, the one that was changed last first. What is wrong with one is its `problem`."""
        found: list[tuple[int, PromptList]] = []
        for folder in self._folders():
            with suppress(FileNotFoundError):  # removed in the meantime
                changed = folder.stat().st_mtime_ns
                try:
                    found.append((changed, PromptList.read(folder)))
                except (BadInputError, UnreachableError) as error:
                    found.append((changed, PromptList.rebuilt(folder, error.problem)))
        return [each for _, each in sorted(found, key=lambda item: -item[0])]

    def find(self, profile: str, name: str) -> PromptList:
        """A list by its names.

        Raises:
            ApiError: there is none.
            UnreachableError: it cannot be read now.
        """
        folder = self.root / profile / name
        links = (
            (self.root / profile).is_symlink() or folder.is_symlink() if is_name(profile) and is_name(name) else True
        )
        if links or not (folder / FILE_NAME).is_file():
            raise ApiError(404, "there is no such list of prompts", code="not_found")
        return PromptList.read(folder)

    def create(self, profile: str, name: str, language: str, prompts: Sequence[str]) -> PromptList:
        """Make a new list.

        Raises:
            ApiError: a name cannot be used, or something of this name exists, or it cannot be saved.
        """
        profile, name = checked_name(profile, "profile"), checked_name(name, "name")
        folder = self.root / profile / name
        made = PromptList(profile=profile, name=name, folder=folder, language=language, prompts=tuple(prompts))
        with self._writing, _saving("the list"):
            if folder.exists():
                message = f"{profile} already has recordings called {name}; choose another name"
                raise ApiError(409, message, param="name", code="already_exists")
            made.write()
        return made

    def save(self, found: PromptList, number: int, wav: bytes) -> PromptList:
        """Save a take of a sentence in place of the previous one, and return the list as it is now.

        Raises:
            ApiError: it is not a complete WAV file, or it cannot be saved. The previous take stays.
        """
        _check_format(wav)
        with self._writing, _saving("the recording", "; the previous one, if any, is unchanged"):
            for path in (found.sound_path(number), found.text_path(number)):
                if path.is_symlink():  # of somebody who would have its target written
                    path.unlink()
            with replacing_path(found.sound_path(number)) as beside:
                beside.write_bytes(wav)
                _check_sound(beside)
                write_text(found.text_path(number), found.text(number) + "\n")
            return self._with_skipped(found, number, False)

    def skip(self, found: PromptList, number: int, skipped: bool) -> PromptList:
        """Skip a sentence or not, and return the list as it is now.

        Raises:
            ApiError: it cannot be saved.
        """
        with self._writing, _saving("the list"):
            return self._with_skipped(found, number, skipped)

    def delete(self, found: PromptList, number: int) -> None:
        """Delete a take. Without one, nothing happens.

        Raises:
            ApiError: it cannot be deleted.
        """
        with self._writing, _saving("the list"):
            found.sound_path(number).unlink(missing_ok=True)
            found.text_path(number).unlink(missing_ok=True)

    def _with_skipped(self, found: PromptList, number: int, skipped: bool) -> PromptList:
        """Read again what may have changed since, and change it. The lock must be held."""
        current = PromptList.read(found.folder)
        if current.problem or (number in current.skipped) != skipped:
            current = replace(current.with_skipped(number, skipped), problem="")
            current.write()
        return current

    def _folders(self) -> Iterator[Path]:
        if not self.root.is_dir():
            return
        with read_errors(self.root):
            for profile in self.root.iterdir():
                if is_name(profile.name) and profile.is_dir() and not profile.is_symlink():
                    yield from (
                        folder
                        for folder in profile.iterdir()
                        if is_name(folder.name) and not folder.is_symlink() and (folder / FILE_NAME).is_file()
                    )


@contextmanager
def _saving(what: str, consequence: str = "") -> Iterator[None]:
    """Say that the disk is full, or cannot be written, as an answer of its own."""
    try:
        yield
    except UnreachableError as error:
        raise ApiError(
            507, f"{what} was not saved: {error.problem}{consequence}", code="insufficient_storage"
        ) from error


def _check_format(wav: bytes) -> None:
    """Refuse what libsndfile does not read as WAV.

    Raises:
        ApiError: it does not.
    """
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(wav)) as file:
            container = file.format
    except (soundfile.LibsndfileError, RuntimeError, TypeError, ValueError):
        container = ""
    if container not in _WAV:
        raise ApiError(415, "the body is not a WAV file that can be read", code="unsupported_media_type")


def _check_sound(path: Path) -> None:
    """Read a file to its end.

    Raises:
        ApiError: it is truncated, empty or too long, or contains something other than sound.
    """
    try:
        read(path, _CHECK_RATE_HZ, max_seconds=MAX_SECONDS)
    except AudioError as error:
        raise ApiError(400, error.problem.replace(path.name, "the recording"), code="invalid_audio") from error
