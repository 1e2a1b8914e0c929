"""A voice that can be downloaded."""

from dataclasses import dataclass

from voxmatrix.errors import UsageError

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
