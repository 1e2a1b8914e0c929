"""The voices of a family that can be downloaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from voxmatrix.errors import UsageError
from voxmatrix.progress import OnProgress

#: The remedy for who cannot download a voice.
OFFLINE = "voxmatrix voices download NAME --from FOLDER, with the files in FOLDER"


@dataclass(frozen=True, kw_only=True)
class LibraryVoice:
    """What the library knows of a voice before it is downloaded."""

    name: str  # also when it is installed
    family: str
    title: str  # as people call it: Heart
    language: str  # as espeak-ng names it: en-us
    language_name: str  # American English
    size: int  # bytes to download
    exact_size: int = 0  # bytes of the files that are nearer to the original, if there are such
    quality: str = ""
    gender: str = ""
    num_speakers: int = 1
    license: str = ""  # "": it stands in the model card, which has to be fetched


@dataclass(frozen=True, kw_only=True)
class License:
    """The licence of a voice, and the card that says so."""

    words: str
    permissive: bool  # it allows any use
    card: str = ""

    def check(self, name: str, *, accepted: bool) -> None:
        """Check that the voice may be downloaded.

        Raises:
            UsageError: its licence restricts what the voice may be used for, and nobody has accepted that.
        """
        if not self.permissive and not accepted:
            raise UsageError(
                f"the licence of {name} may restrict its use: {self.words}",
                f"read it, then download {name} with `accept_licence`",
            )


V = TypeVar("V", bound=LibraryVoice)


class Library(Protocol[V]):
    """The voices of a family that can be downloaded. Methods that take a voice get one of `voices`."""

    title: str  # whose voices they are, in messages: Kokoro
    together: bool  # all come at once, and the name of the family means all of them
    exact: bool  # there are also larger files, which are nearer to the original

    @property
    def origin(self) -> str:
        """The address that they come from, if no mirror is named.

        Raises:
            UsageError: the environment names another one, which is no URL.
        """
        ...

    def voices(self) -> Mapping[str, V]:
        """All of them by name.

        Raises:
            DamagedFileError: their list is damaged.
            UnreachableError: it cannot be fetched, and never was.
        """
        ...

    def has(self, name: str) -> bool:
        """Whether one of them could have this name. Nothing is fetched."""
        ...

    def license_of(self, voice: V, url: str = "") -> License:
        """The licence of a voice, for which a file may be fetched.

        Raises:
            As `install`.
        """
        ...

    def install(self, voice: V, *, exact: bool, url: str, accepted: bool, on_progress: OnProgress) -> None:
        """Download a voice into the folder of voices, unless it is there.

        `exact`: the files that are nearer to the original. `url`: of a mirror. `accepted`: whatever the licence says.
        `on_progress` is told bytes.

        Raises:
            BadInputError: the server does not have a file, or the voice cannot be used.
            DamagedFileError: a file is not what it should be.
            UnreachableError: no connection, no permission, or no space; what was downloaded is kept for the next try.
            UsageError: the licence is not accepted, or another process downloads.
        """
        ...

    def install_from(self, name: str, source: Path, *, exact: bool, accepted: bool) -> None:
        """Install a voice from a folder with its files, without a network. It need not be one of `voices`.

        Raises:
            BadInputError: they are not there, or do not fit together.
            DamagedFileError: one is corrupt.
            UnreachableError: the folder of voices cannot be written to.
            UsageError: the licence is not accepted, or another process downloads.
        """
        ...

    def add(self, files: Sequence[Path], name: str) -> bool:
        """Copy a voice of these files into the folder of voices under this name; False if they are none of the family.

        Raises:
            As `install_from`.
        """
        ...
