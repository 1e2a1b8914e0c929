"""Split a transcript into lines: UTF-8, or UTF-16 with a byte order mark; any line ending; bad lines are reported."""

import codecs
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.rows import Problem, identity

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEGINNING_BYTES = 1000


def decode(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return data.decode("utf-16", "replace") if data.startswith(UTF16_MARKS) else data.decode("utf-8-sig")


def check_text(data: bytes, path: Path) -> None:
    """Check that a file is a text: each line of another file would be a problem.

    A damaged text may have a null byte in a line; a sound, an archive or a picture begins with several.

    Raises:
        BadInputError: it is not.
    """
    beginning = data[:_BEGINNING_BYTES]
    if beginning.count(b"\0") > beginning.count(b"\n") and not data.startswith(UTF16_MARKS):
        raise BadInputError(
            f"{path} is not a text: it contains null bytes", "choose a text file in UTF-8 (file|text on every line)"
        )


def split_lines(data: bytes, name: str) -> Iterator[tuple[str, str | Problem]]:
    """Each line that is not blank as ("metadata.csv:12", text), with a problem instead of a text that is not UTF-8."""
    if data.startswith(UTF16_MARKS):
        data = data.decode("utf-16", "replace").encode("utf-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    for number, part in enumerate(data.split(b"\n"), start=1):
        raw = part.removesuffix(b"\r")
        place = f"{name}:{number}"
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield place, not_utf8(place, raw, error)
            continue
        if line.strip():
            yield place, line


def not_utf8(place: str, raw: bytes, error: UnicodeDecodeError, name: str = "") -> Problem:
    """The problem for a line that is not UTF-8; its id is `name`, or else what is readable of its first field."""
    shown = name or raw.split(b"|")[0].split(b"\t")[0][:60].decode("utf-8", "replace").strip()
    return Problem(
        id=identity(shown),
        kind="bad-encoding",
        place=place,
        problem=f"the text is not UTF-8 (byte 0x{raw[error.start]:02x} at position {error.start})",
        remedy=f"convert it: iconv -f latin1 -t utf-8 {place.partition(':')[0]} > NEW.txt",
    )


def readable(text: str) -> str:
    """`text` with lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
