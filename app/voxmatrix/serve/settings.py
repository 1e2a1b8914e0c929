"""The settings of the server."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from voxmatrix.errors import UsageError
from voxmatrix.models.style import Style
from voxmatrix.plan.device_request import AUTO, DeviceRequest
from voxmatrix.text.lexicon import Lexicon


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """How the server listens, whom it answers, and what it may use."""

    voice: Path | None = None  # the default voice; None: the first one that can be loaded
    aliases: Mapping[str, str] = field(default_factory=dict)  # other names of voices
    sentence_pause: float | None = None  # seconds; None: as in each API, which is none in Piper's
    volume: float = 1.0
    lexicon: Lexicon = field(default_factory=Lexicon)  # of every text; the words of a request are stronger
    dialogue_voice: str = ""  # of text in quotation marks; "": the voice of the text
    emphasis_voice: str = ""  # of text in *asterisks*
    host: str = "127.0.0.1"
    port: int = 3000  # 0: any free one
    wyoming_host: str = "127.0.0.1"
    wyoming_port: int | None = None  # None: Wyoming is not spoken
    key_digests: frozenset[bytes] = frozenset()  # SHA-256 of the keys; none: no key is needed
    allowed_hosts: tuple[str, ...] = ()  # names that a request may address, besides loopback's and `host`
    allowed_origins: tuple[str, ...] = ()  # of pages of other sites that may use the server; "*": all
    open_lists: bool = False  # voices and models are listed without a key
    root_path: str = ""  # the path under which a proxy shows the server: /voice
    mcp: bool = False  # the Model Context Protocol, at /mcp
    zeroconf: bool = False  # Home Assistant finds the Wyoming server by itself
    device: DeviceRequest = AUTO
    threads: int = 0  # CPU threads; 0: all that this process may use
    max_input: int = 4096  # characters; OpenAI's limit
    queue: int = 32  # answers that wait for a voice
    voice_memory_mib: int = 2048
    voice_idle_seconds: float = 3600.0
    max_upload_bytes: int = 2 * 2**30
    cluster: str = ""  # the broker that books may be spoken with; none: this computer only

    @property
    def style(self) -> Style:
        """How a text is spoken, as far as its request does not say it.

        Raises:
            UsageError: a value is out of its range.
        """
        return Style(
            pause_seconds=Style.pause_seconds if self.sentence_pause is None else self.sentence_pause,
            volume=self.volume,
            lexicon=self.lexicon,
            dialogue_voice=self.dialogue_voice,
            emphasis_voice=self.emphasis_voice,
        )

    @property
    def max_body_bytes(self) -> int:
        """The longest input as JSON, where a character takes up to twelve bytes (two escapes), and the other fields."""
        return 12 * self.max_input + 64 * 1024


#: A path that may stand in HTML as it is.
PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")


def checked_aliases(given: Iterable[str]) -> dict[str, str]:
    """Other names of voices, of words NAME=VOICE.

    Raises:
        UsageError: one has another form.
    """
    pairs = [word.partition("=") for word in given]
    for name, mark, voice in pairs:
        if not (name and voice):
            raise UsageError(f"`alias` is {f'{name}{mark}{voice}'!r}", "give NAME=VOICE, e.g. echo=kokoro/am_echo")
    return {name: voice for name, _, voice in pairs}


def checked_origin(given: str) -> str:
    """The origin of a site as browsers send it, or "*".

    Raises:
        UsageError: it is none.
    """
    parts = urlsplit(given)
    if given == "*" or (parts.scheme and parts.netloc and not parts.path.strip("/") and not parts.query):
        return given.rstrip("/").lower()
    raise UsageError(f"`allow_origin` is {given!r}", "give the address of a site, e.g. https://chat.example, or *")


def checked_root_path(given: str) -> str:
    """The path of the server behind a proxy, with a slash before it and none after it.

    Raises:
        UsageError: it has characters that would have to be quoted.
    """
    path = "".join(f"/{part}" for part in given.split("/") if part)
    if path and not PREFIX.fullmatch(path):
        raise UsageError(f"`root_path` is {given!r}", "give a path of letters, digits and hyphens, e.g. /voice")
    return path
