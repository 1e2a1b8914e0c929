"""Tags and chapter marks, as ffmpeg's metadata file has them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from voxmatrix.book.content import Book
from voxmatrix.book.join.languages import three_letters
from voxmatrix.book.join.timeline import Timeline

GENRE = "Audiobook"
#: The list of chapters that older players read has one byte for the length of a title.
MAX_TITLE_BYTES = 255
#: "Audiobook" among the kinds of media that iTunes knows; the tag appears in MP4 files only.
_MEDIA_TYPE = "2"
_SPECIAL = re.compile(r"[=;#\\\n]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


@dataclass(frozen=True, kw_only=True)
class Track:
    """The place of a file among those of a book."""

    number: int
    of: int
    title: str


def one_line(text: str, most_bytes: int = MAX_TITLE_BYTES) -> str:
    """Text in one line, without control characters, cut to `most_bytes` of UTF-8."""
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    return line.encode("utf-8")[:most_bytes].decode("utf-8", "ignore").rstrip()


def tags(book: Book, *, narrator: str = "", track: Track | None = None) -> dict[str, str]:
    """The tags of the file of a whole book, or of a track of it. No tag is empty."""
    authors = one_line(", ".join(book.authors))
    title = one_line(book.title)
    found = {
        "title": one_line(track.title) if track else title,
        "album": title,
        "artist": authors,
        "album_artist": authors,
        "composer": one_line(narrator),  # where players of audiobooks look for the narrator
        "genre": GENRE,
        "language": three_letters(book.language),
        "track": f"{track.number}/{track.of}" if track else "",
        "media_type": "" if track else _MEDIA_TYPE,
    }
    return {name: value for name, value in found.items() if value}


def metadata_file(found: Mapping[str, str], line: Timeline | None = None) -> str:
    """ffmpeg's metadata file: the tags, and a mark for each chapter of `line`."""
    parts = [";FFMETADATA1", *(f"{name}={_escaped(value)}" for name, value in found.items())]
    for chapter in line.chapters if line else ():
        title = chapter_title(chapter.chapter.title, chapter.chapter.index)
        times = f"START={chapter.start}\nEND={chapter.end}"
        parts.append(f"[CHAPTER]\nTIMEBASE=1/{line.rate_hz if line else 1}\n{times}\ntitle={_escaped(title)}")
    return "\n".join(parts) + "\n"


def chapter_title(title: str, index: int) -> str:
    """The title of a chapter as players show it; its number if it has none."""
    return one_line(title) or str(index)


def _escaped(value: str) -> str:
    """ffmpeg takes a backslash at the end of a line for an escaped line break, even if it is escaped itself."""
    escaped = _SPECIAL.sub(lambda found: f"\\{found.group()}", value)
    return f"{escaped} " if escaped.endswith("\\") else escaped
