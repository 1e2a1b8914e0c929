"""The language of documents that Calibre calls English: most of their text says which it is."""

import locale
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.text_file import MAX_FILE_BYTES
from voxmatrix.errors import BadInputError

#: `{\lang1036 text}`, behind the first paragraph; what is before it is of the program that wrote the file.
_PARAGRAPH, _RTF = rb"\pard", re.compile(rb"\\lang(\d{4,5})(?!\d)")
_STYLES = "word/styles.xml"
_DEFAULTS = re.compile(rb"<w:docDefaults>.*?</w:docDefaults>", re.DOTALL)
_WORD = re.compile(rb"<w:lang\b[^<>]{0,200}?w:val=\"([A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?)\"")


def _of_rtf(path: Path) -> str:
    """The language that is set most often; empty if none is. 1024 is no language."""
    with path.open("rb") as file:
        _, _, text = file.read(MAX_FILE_BYTES).partition(_PARAGRAPH)
    numbers = Counter(map(int, _RTF.findall(text)))
    known = [
        (count, locale.windows_locale[number]) for number, count in numbers.items() if number in locale.windows_locale
    ]
    return max(known)[1].replace("_", "-") if known else ""


_CORE = "docProps/core.xml"
_SAID = re.compile(rb"<dc:language>\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*)\s*</dc:language>")
_TEXT = re.compile(rb"<w:t[ >]")


def _of_docx(path: Path) -> str:
    """The language that its properties or most runs of its text have, or its default; empty if there is none."""
    try:
        with Archive(path) as archive:
            text = archive.read("word/document.xml") if archive.find("word/document.xml") else b""
            core = archive.read(_CORE) if archive.find(_CORE) else b""
            styles = archive.read(_STYLES) if archive.find(_STYLES) else b""
    except BadInputError:
        return ""
    if said := _SAID.search(core):
        return str(said[1], "ascii")
    defaults = _DEFAULTS.search(styles)
    found = _WORD.findall(defaults[0] if defaults else b"")
    runs = Counter(_WORD.findall(text)).most_common(1)
    most = [language for language, count in runs if count * 2 > len(_TEXT.findall(text))]
    return next((str(language, "ascii") for language in (*most, *found)), "")


#: By the extension of the file.
LANGUAGES: dict[str, Callable[[Path], str]] = {".rtf": _of_rtf, ".docx": _of_docx}
