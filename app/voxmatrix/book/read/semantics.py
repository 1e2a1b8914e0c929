"""Of which kind an element says it is: by `epub:type`, `role`, its name or its class."""

import re

from lxml import etree

from voxmatrix.book.read.markup import children, descendants, kinds, local_name, text_of
from voxmatrix.book.read.play_marks import is_stage_block
from voxmatrix.book.read.unspoken import CONTENTS, is_note

#: Words of `epub:type` and `role`, of landmarks, and of the guide of EPUB 2.
SEMANTICS = {
    **dict.fromkeys(CONTENTS, "contents"),
    **dict.fromkeys(("cover", "cover-page"), "cover"),
    **dict.fromkeys(("titlepage", "halftitlepage", "title-page"), "title-page"),
    **dict.fromkeys(("copyright-page", "copyright"), "copyright"),
    **dict.fromkeys(("imprint", "colophon", "imprimatur"), "imprint"),
    "index": "index",
    "bibliography": "bibliography",
}
_NO_SECTIONS = ("html", "a", "img", "image", "li", "dt", "dd", "span")
_CODE_CLASS = re.compile(
    r"(?i)(?:^|[\s_-])(?:code|sourcecode|programlisting|highlight|language-\w+|screen|listing)(?:$|[\s_-])"
)
_BOILERPLATE = frozenset(("pg-boilerplate", "pg-header", "pg-footer", "pgheader", "pgfooter"))
_VERSE_CLASSES = frozenset(
    ("verse-num", "versenum", "verse-number", "verse_number", "versenumber", "verse-no", "vnum", "v-num")
)
_VERSE_NUMBER = re.compile(r"(?:\d{1,3}:)?\d{1,3}[a-z]?")
_RAISED, _LOWERED = {"sup", "super", "superscript"}, {"sub", "subscript"}
#: Longer cells are text that a table only arranges.
_MAX_CELL = 60


def kind_of(element: etree._Element, name: str) -> str:
    """The kind of an element, one of `voxmatrix.book.kinds`, or nothing."""
    if name == "nav":
        return "contents"
    if found := "" if name in _NO_SECTIONS else _section(element, name):
        return found
    if is_note(element, name):
        return "notes"
    if name in ("title", "desc") and any(local_name(above) == "svg" for above in element.iterancestors()):
        return "pictures"
    if name == "pre" and _is_code(element):
        return "code"
    is_outermost = name == "table" and not any(local_name(above) == "table" for above in element.iterancestors())
    return "tables" if is_outermost and _has_data(element) else ""


def _section(element: etree._Element, name: str) -> str:
    if is_stage_block(element, name):
        return "stage-directions"
    if _is_boilerplate(element, name):
        return "boilerplate"
    return next((SEMANTICS[word] for word in sorted(kinds(element)) if word in SEMANTICS), "")


def _is_boilerplate(element: etree._Element, name: str) -> bool:
    """Whether an element is the header or the licence of Project Gutenberg; others have such ids, too."""
    if name not in ("div", "section", "header", "footer"):
        return False
    said = {*(element.get("class") or "").lower().split(), (element.get("id") or "").lower()}
    return bool(said & _BOILERPLATE) and "project gutenberg" in text_of(element).lower()


def is_verse_number(element: etree._Element) -> bool:
    """Whether the class of an element says that it is the number of a verse."""
    named = _VERSE_CLASSES.intersection((element.get("class") or "").lower().split())
    return bool(named) and _VERSE_NUMBER.fullmatch(text_of(element).strip()) is not None


def _is_code(element: etree._Element) -> bool:
    """Whether preformatted text is code: it says so, or is nothing but an element for code."""
    if _CODE_CLASS.search(element.get("class") or "") or element.get("data-type") == "programlisting":
        return True
    inner = list(children(element, "code", "samp", "kbd"))
    return bool(inner) and not (element.text or "").strip() and not any((part.tail or "").strip() for part in inner)


def _has_data(table: etree._Element) -> bool:
    """Whether a table has several rows and columns of short texts, and was not made for their place on the page."""
    if "presentation" in kinds(table):
        return False
    rows = [list(children(row, "td", "th")) for row in descendants(table, "tr")]
    cells = [cell for row in rows for cell in row]
    several = len(rows) > 1 and max(map(len, rows)) > 1
    return several and all(len(text_of(cell)) <= _MAX_CELL for cell in cells)


def shift_of(element: etree._Element, name: str) -> str:
    """`sup` for raised text, `sub` for lowered text, else nothing."""
    named = set((element.get("class") or "").lower().split()) if name == "span" else {name}
    shift = "sup" if named & _RAISED else "sub" if named & _LOWERED else ""
    return "" if shift and any(True for _ in descendants(element, "img", "math", "br", "ruby")) else shift
