"""The process in which PDFium reads a file of a stranger: what stands where on its pages, as JSON lines.

Run by path:  python -I extract.py FILE. The first line out says what the file is, or is an `error`; then comes a line
for each page. Its text is in `runs`: `[text, left, right, base, size, bold]`, in points. A run stands on one base line,
which counts from the top of the page, in one size, without a wide gap.
"""

import ctypes
import json
import math
import os
import statistics
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

MAX_PAGES = 20_000
#: The Bible has 4 million.
MAX_CHARACTERS = 10_000_000
MAX_OUTLINE = 20_000
_MEMORY_BYTES = 2 * 2**30
#: In ems. A gap is wider than any between words of a line that is set to its full width.
_GAP, _BACK, _SPACE, _SHIFT = 0.9, 0.3, 0.16, 0.05
_LEAST_SPACE, _SPACED_OUT = 0.1, 0.12
#: Accents that old fonts draw over the next letter, as they are combined with it; and how far that stands below them.
_ACCENTS = dict(
    zip("\u00b4`\u00a8\u02c6\u02dc\u02c7\u02da\u00af", "\u0301\u0300\u0308\u0302\u0303\u030c\u030a\u0304", strict=True)
)
_PLAIN = {"\u0131": "i", "\u0237": "j"}
_OVER = 0.3
_ERRORS = {3: "format", 4: "password", 5: "security"}
_BOLD = 600
_QUARTER = math.pi / 2
_PICTURE = 0.5
#: What PDFium says of a hyphen at the end of a line.
_HYPHENS = (2, 0xFFFE)
#: The encodings OT1 and T1, as far as they use the codes of control characters.
_OF_TEX = {
    9: " ", 10: " ", 13: " ", 11: "ff", 12: "fi", 14: "ffi", 15: "ffl", 16: "\u201c", 17: "\u201d", 18: "\u201e",
    19: "\u00ab", 20: "\u00bb", 21: "\u2013", 22: "\u2014", 23: "", 27: "ff", 28: "fi", 29: "fl", 30: "ffi", 31: "ffl",
}  # fmt: skip

#: A character, its edges to the left and right, its base line, its size, whether it is bold, and whether PDFium sees a
#: space before it.
_Character = tuple[str, float, float, float, float, bool, bool]


def main() -> None:
    """Write what the file has."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits, and macOS not this one
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints stays out of the answers

    def say(answer: Any) -> None:
        output.write(json.dumps(answer, separators=(",", ":")).encode("ascii") + b"\n")

    try:
        import pypdfium2.raw as pdfium
    except ImportError as error:
        say({"error": "missing", "detail": str(error)})
    else:
        for answer in _answers(pdfium, sys.argv[1]):
            say(answer)
    output.close()


def _answers(pdfium: Any, path: str) -> Iterator[dict[str, Any]]:
    document = pdfium.FPDF_LoadDocument(os.fsencode(path) + b"\0", None)
    if not document:
        yield {"error": _ERRORS.get(pdfium.FPDF_GetLastError(), "format")}
        return
    count = pdfium.FPDF_GetPageCount(document)
    if count > MAX_PAGES:
        yield {"error": "pages", "detail": count}
        return
    said = {name.lower(): _text_of(pdfium.FPDF_GetMetaText, document, name.encode()) for name in ("Title", "Author")}
    language = _text_of(pdfium.FPDFCatalog_GetLanguage, document)
    yield {**said, "language": language, "pages": count, "outline": list(_outline(pdfium, document))}
    left = MAX_CHARACTERS
    for number in range(count):
        page = _page(pdfium, document, number, left)
        left -= page.pop("characters", 0)
        yield page


def _text_of(function: Any, *arguments: Any) -> str:
    """What a function writes in UTF-16 into a buffer, after it was asked for the length."""
    size = min(function(*arguments, None, 0), 2**16)
    buffer = ctypes.create_string_buffer(size)
    pointer = ctypes.cast(buffer, function.argtypes[-2]) if size else None
    function(*arguments, pointer, size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def _outline(pdfium: Any, document: Any) -> Iterator[tuple[int, str, int, float | None]]:
    """Level, title, page and height of the bookmarks that lead to a page."""
    seen: set[int] = set()
    waiting = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    while waiting:
        bookmark, level = waiting.pop()
        place = ctypes.cast(bookmark, ctypes.c_void_p).value
        if not place or place in seen or len(seen) >= MAX_OUTLINE:
            continue
        seen.add(place)
        destination = pdfium.FPDFBookmark_GetDest(document, bookmark)
        if not destination and (action := pdfium.FPDFBookmark_GetAction(bookmark)):
            destination = pdfium.FPDFAction_GetDest(document, action)
        if destination:
            page = pdfium.FPDFDest_GetDestPageIndex(document, destination)
            title = _text_of(pdfium.FPDFBookmark_GetTitle, bookmark)
            yield level, title, page, _height(pdfium, document, destination, page)
        waiting.append((pdfium.FPDFBookmark_GetNextSibling(document, bookmark), level))
        waiting.append((pdfium.FPDFBookmark_GetFirstChild(document, bookmark), level + 1))


def _height(pdfium: Any, document: Any, destination: Any, page: int) -> float | None:
    """How far below the top of its page a bookmark leads."""
    has_x, has_y, has_zoom = (ctypes.c_int() for _ in range(3))
    x, y, zoom = (ctypes.c_float() for _ in range(3))
    pdfium.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom)
    size = pdfium.FS_SIZEF()
    known = has_y.value and pdfium.FPDF_GetPageSizeByIndexF(document, page, size)
    return round(size.height - y.value, 1) if known else None


def _page(pdfium: Any, document: Any, number: int, most: int) -> dict[str, Any]:
    page = pdfium.FPDF_LoadPage(document, number)
    text = pdfium.FPDFText_LoadPage(page) if page else None
    if not text:
        return {"damaged": True, "runs": []}
    box = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, box)
    count = pdfium.FPDFText_CountChars(text)
    found = {"characters": count, "runs": []} if count <= most else {"damaged": True, "runs": []}
    if 0 < count <= most:
        found["runs"] = _runs(_upright(_characters(pdfium, text, count, box), box))
    if not found["runs"]:
        found["picture"] = _has_picture(pdfium, page, box)
    pdfium.FPDFText_ClosePage(text)
    pdfium.FPDF_ClosePage(page)
    return found


def _has_picture(pdfium: Any, page: Any, box: Any) -> bool:
    """Whether a picture fills most of a page, as in a scan."""
    edges = [ctypes.c_float() for _ in range(4)]
    area: float = abs(box.right - box.left) * abs(box.top - box.bottom)
    covered = 0.0
    for index in range(min(pdfium.FPDFPage_CountObjects(page), 2000)):
        found = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(found)
        if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM) and pdfium.FPDFPageObj_GetBounds(
            found, *edges
        ):
            left, bottom, right, top = (edge.value for edge in edges)
            covered += (right - left) * (top - bottom)
    return covered > _PICTURE * area


def _characters(pdfium: Any, text: Any, count: int, box: Any) -> Iterator[tuple[_Character, int]]:
    """The characters that are drawn on the page, each with how often it is turned by 90 degrees."""
    rectangle, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    x, y = ctypes.c_double(), ctypes.c_double()
    drawn, size, bold, quarters, spaced = None, 1.0, False, 0, False
    for index in range(count):
        if pdfium.FPDFText_IsGenerated(text, index) == 1:
            spaced = True
            continue
        character = _sign(pdfium.FPDFText_GetUnicode(text, index))
        element = ctypes.cast(pdfium.FPDFText_GetTextObject(text, index), ctypes.c_void_p).value
        if element != drawn:
            drawn = element
            pdfium.FPDFText_GetMatrix(text, index, matrix)
            angle = math.atan2(matrix.b, matrix.a)
            quarters = round(angle / _QUARTER) % 4 if abs(angle / _QUARTER - round(angle / _QUARTER)) < 0.02 else -1
            size = abs(pdfium.FPDFText_GetFontSize(text, index)) * math.hypot(matrix.c, matrix.d) or 1.0
            bold = _is_bold(pdfium, text, index)
        if not pdfium.FPDFText_GetCharOrigin(text, index, x, y):
            continue
        pdfium.FPDFText_GetLooseCharBox(text, index, rectangle)
        if not (box.left <= x.value <= box.right and box.bottom <= y.value <= box.top) or quarters < 0:
            continue
        left, right = (rectangle.left, rectangle.right) if quarters % 2 == 0 else (rectangle.bottom, rectangle.top)
        if quarters == 0:
            left = x.value  # the box of a j begins to the left of it
        base = y.value if quarters % 2 == 0 else x.value
        yield (character, left, right, base, size, bold, spaced), quarters
        spaced = False


def _sign(code: int) -> str:
    """A character; controls are those of TeX's fonts that do not say what they have."""
    if code in _HYPHENS:
        return "-"
    if code < 32:
        return _OF_TEX.get(code, "\ufffd")
    return "\ufffd" if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)


def _is_bold(pdfium: Any, text: Any, index: int) -> bool:
    name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text, index, name, len(name), flags)
    lower = name.value.lower()
    weight: int = pdfium.FPDFText_GetFontWeight(text, index)
    return bool(weight >= _BOLD or b"bold" in lower or b"black" in lower)


def _upright(characters: Iterator[tuple[_Character, int]], box: Any) -> list[_Character]:
    """Those that stand as most of the page does, as if it were upright; not stamps along the edge."""
    found = list(characters)
    if not found:
        return []
    quarters = statistics.mode(turned for _, turned in found)
    return [_turned(character, quarters, box) for character, turned in found if turned == quarters]


def _turned(character: _Character, quarters: int, box: Any) -> _Character:
    sign, left, right, base, size, *rest = character
    if quarters == 0:
        return sign, left - box.left, right - box.left, box.top - base, size, *rest
    if quarters == 1:  # it is read upwards
        return sign, left - box.bottom, right - box.bottom, base - box.left, size, *rest
    if quarters == 2:  # upside down
        return sign, box.right - right, box.right - left, base - box.bottom, size, *rest
    return sign, box.top - right, box.top - left, box.right - base, size, *rest


def _runs(characters: list[_Character]) -> list[list[Any]]:
    runs: list[list[_Character]] = []
    for character in characters:
        if runs and _goes_on(runs[-1][-1], character):
            runs[-1].append(character)
        else:
            runs.append([character])
    return [run for run in map(_run, runs) if run[0].strip()]


def _goes_on(last: _Character, following: _Character) -> bool:
    size = max(last[4], following[4])
    gap = following[1] - last[2]
    return (
        abs(last[3] - following[3]) <= _SHIFT * size
        and abs(last[4] - following[4]) <= _SHIFT * size
        and last[5] == following[5]
        and (-_BACK * size <= gap <= _GAP * size or last[0] in _ACCENTS or last[1:3] == following[1:3])  # of a ligature
    )


def _run(characters: list[_Character]) -> list[Any]:
    """A run with the spaces that are only gaps. In a word that is spaced out, they are wider."""
    size = characters[0][4]
    gaps = [after[1] - before[2] for before, after in pairwise(characters)]
    spread = statistics.median(gaps) if len(gaps) > 2 else 0.0
    widest = _SPACE * size + (spread if spread > _SPACED_OUT * size else 0.0)
    text = characters[0][0]
    for (before, after), gap in zip(pairwise(characters), gaps, strict=True):
        if before[0] in _ACCENTS and gap < -_OVER * (before[2] - before[1]):
            text = text[:-1] + unicodedata.normalize("NFC", _PLAIN.get(after[0], after[0]) + _ACCENTS[before[0]])
            continue
        is_space = gap > widest or (after[6] and gap > _LEAST_SPACE * size and widest == _SPACE * size)
        text += (" " if is_space and not text[-1].isspace() and not after[0].isspace() else "") + after[0]
    edges = (min(one[1] for one in characters), max(one[2] for one in characters), characters[0][3], size)
    return [text, *(round(edge, 2) for edge in edges), characters[0][5]]


if __name__ == "__main__":
    main()
