"""Books that are a single file of text, in whatever encoding, and whatever they say of it."""

import codecs
import re
from pathlib import Path

from voxmatrix.book.read.epub_archive import MIB
from voxmatrix.errors import BadInputError

#: Byte order marks; the longer of two that begin alike comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""")
_DECLARED_WITHIN = 2048
#: Python's codecs that are encodings of text: others, e.g. punycode, take hours for a hostile file.
_ENCODINGS = re.compile(
    r"(?i)(iso[-_]?8859|latin|windows|cp|koi8|shift|sjis|euc|gb|big5|iso[-_]?2022|mac|tis|us-ascii|utf[-_]?(8|16|32))[\w-]*"
)
_SEVEN_BIT = re.compile(r"(?i)iso[-_]?2022")
_SAMPLE = 4096
#: Control characters that no format allows in its text, halves of characters, and characters that are none.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def decode(data: bytes) -> str:
    """Text from bytes.

    UTF-8 that is valid is believed before what the file declares, and Windows-1252 is the last guess.
    Form feeds become line feeds; other control characters are left out.
    """
    return _FORBIDDEN.sub("", _decoded(data)).replace("\x0c", "\n")


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if (wide := _without_mark(data[:_SAMPLE])) is not None:
        return data.decode(wide, "replace")
    declared = _declared(data)
    candidates = (declared, "utf-8") if _SEVEN_BIT.match(declared) else ("utf-8", declared)
    for encoding in filter(None, candidates):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return _mostly_utf8(data) or data.decode("cp1252", "replace")


def _without_mark(sample: bytes) -> str | None:
    """UTF-16 without a byte order mark, if every second byte of most of the sample is zero."""
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if zeros and zeros.count(0) > 0.6 * len(zeros) and sample.count(0) < 0.6 * len(sample):
            return encoding
    return None


def _declared(data: bytes) -> str:
    match = _DECLARED.search(data[:_DECLARED_WITHIN])
    name = match[1].decode("ascii") if match else ""
    return name if _ENCODINGS.fullmatch(name) else ""


def _mostly_utf8(data: bytes) -> str | None:
    """The text of UTF-8 with few damaged characters."""
    text = data.decode("utf-8", "replace")
    foreign = sum(1 for character in text if character > "\x7f")
    return text if text.count("\ufffd") * 10 < foreign else None


_CONTROLS = bytes({*range(32)} - set(b"\t\n\x0b\x0c\r\x1b"))
#: Of the beginning of a file. Compressed data have ten percent.
_MAX_CONTROLS, _MIN_SAMPLE = 0.02, 64


def _is_binary(sample: bytes) -> bool:
    is_wide = sample.startswith(tuple(mark for mark, _ in _MARKS)) or _without_mark(sample) is not None
    if is_wide or len(sample) < _MIN_SAMPLE:
        return False
    return len(sample) - len(sample.translate(None, _CONTROLS)) > _MAX_CONTROLS * len(sample)


#: War and Peace has 3 MiB.
MAX_FILE_BYTES = 32 * MIB


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises:
        BadInputError: it is larger than any text, or none.
    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        problem = f"{path} has more than {MAX_FILE_BYTES // MIB} MiB; no book is that large"
        raise BadInputError(problem, "divide it into several files")
    if _is_binary(data[:_SAMPLE]):
        raise BadInputError(f"{path} is not a text: it is binary", "check that it is the right file, and its extension")
    return data


def no_text(path: Path) -> BadInputError:
    """The error for a book in which there is nothing to be spoken."""
    remedy = (
        "check that it is the right file; if its pages are pictures, recognise their text first, e.g. with Tesseract,"
        " or read their descriptions (`include=pictures`)"
    )
    return BadInputError(f"{path} has no text to be spoken", remedy)
