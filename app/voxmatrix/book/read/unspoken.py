"""What is in a document and is not read: page numbers, contents, ruby, what is hidden or no text at all."""

import re
from collections.abc import Collection

from lxml import etree

from voxmatrix.book.read.markup import attribute, children, descendants, kinds, text_of
from voxmatrix.book.read.paths import Link, resolve
from voxmatrix.book.read.whitespace import tidy

_NO_TEXT = frozenset(
    ("audio", "head", "nav", "rp", "rt", "rtc", "script", "select", "style", "template", "textarea", "video")
    + ("annotation", "annotation-xml")
)
_CONTENTS = frozenset({"landmarks", "loa", "loi", "lot", "lov", "page-list", "pagelist", "toc"})
_PAGE_NUMBERS = frozenset({"pagebreak", "page-number", "pageno", "pagenum", "page-num", "page_number"})
#: A page number is shorter: some books wrap the whole page into its mark.
_LONGEST_PAGE_NUMBER = 20
_HIDDEN = re.compile(r"(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b")
_FILE_NAME = re.compile(r"(?i)[\w./%() -]+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)")
_NOTHING = ("image", "images", "img", "picture")
_LISTS = ("ol", "ul", "dl", "table", "menu", "dir")
_SECTIONS = ("body", "div", "section")
_FEWEST_LINES = 3
_MOSTLY = 0.8
_CONTENTS_TITLE = re.compile(
    r"(?i)(?:table of )?contents|inneh\u00e5ll(?:sf\u00f6rteckning)?|inhalt(?:sverzeichnis)?|table des mati\u00e8res"
    r"|sommaire|\u00edndice|sum\u00e1rio|indice|inhoud(?:sopgave)?|ind?n?hold(?:sfortegnelse)?|sis\u00e4llys"
    r"|spis tre\u015bci|\u76ee\u6b21|\u76ee\u5f55|\u76ee\u9304"
    r"|\u0441\u043e\u0434\u0435\u0440\u0436\u0430\u043d\u0438\u0435"
)


def is_unspoken(element: etree._Element, name: str) -> bool:
    """Whether an element with all that is in it is nothing to be read."""
    if name in _NO_TEXT or element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    if _HIDDEN.search(element.get("style") or ""):
        return True
    what = kinds(element)
    if what & _CONTENTS and name not in ("html", "a"):
        return True
    if name == "case" and any(True for _ in children(element.getparent(), "default")):  # of epub:switch
        return True
    named = what.union((element.get("class") or "").lower().split())
    return bool(named & _PAGE_NUMBERS) and len(text_of(element).strip()) <= _LONGEST_PAGE_NUMBER


def spoken_alt(element: etree._Element) -> str | None:
    """The description of a picture or formula, empty if it says nothing; None for a formula without one."""
    if "math" in str(element.tag):
        return tidy(attribute(element, "alttext")) or None
    alt = tidy(attribute(element, "alt"))
    return "" if _FILE_NAME.fullmatch(alt) or alt.lower() in _NOTHING or "presentation" in kinds(element) else alt


def is_contents_list(
    element: etree._Element, name: str, path: str, targets: Collection[Link], *, on_page: bool
) -> bool:
    """Whether a list or table is a table of contents: nearly all of it links to where the book's contents lead.

    On a page that is said to be one, a body or a section may be as well.
    """
    if not targets or name not in (*_LISTS, *(_SECTIONS if on_page else ())):
        return False
    links = [link for link in descendants(element, "a") if link.get("href")]
    if len(links) < _FEWEST_LINES or sum(_leads_to(link, path, targets) for link in links) < _MOSTLY * len(links):
        return False
    shown = len(tidy(text_of(element)))
    return sum(len(tidy(text_of(link))) for link in links) >= _MOSTLY * _letters(element, shown)


def _leads_to(link: etree._Element, path: str, targets: Collection[Link]) -> bool:
    target = resolve(path, attribute(link, "href"))
    return target is not None and (target in targets or Link(target.path, "") in targets)


def _letters(element: etree._Element, shown: int) -> int:
    """How many characters of a list count: page numbers and leading dots do not."""
    return shown - sum(len(match) for match in re.findall(r"[\d\s.\u2026]+", text_of(element)))


def is_contents_title(text: str) -> bool:
    """Whether a heading says that a table of contents follows."""
    return _CONTENTS_TITLE.fullmatch(text.strip(" .:")) is not None
