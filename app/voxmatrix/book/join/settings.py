"""How speech is joined."""

from dataclasses import dataclass, field

from voxmatrix.book.join.timeline import Pauses


@dataclass(frozen=True, kw_only=True)
class JoinSettings:
    """How the speech of a book becomes an audiobook."""

    pauses: Pauses = field(default_factory=Pauses)
    bitrate: str | None = None  # e.g. 96k; None: what suits speech
    narrator: str = ""  # the name of the voice, for the tags
    subtitles: bool = False  # B.srt and B.vtt as well
    overlay: bool = False  # B.epub as well, an EPUB to read along
