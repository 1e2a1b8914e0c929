"""What is in a document and is not read: page numbers, contents, ruby, what is hidden or no text at all."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from voxmatrix.book.read.markup import attribute, children, descendants, kinds, text_of
from voxmatrix.book.read.paths import Link, resolve
from voxmatrix.book.read.whitespace import tidy

_NO_TEXT = frozenset(
    ("audio", "head", "nav", "rp", "rt", "rtc", "script", "select", "style", "template", "textarea", "video")
).union(("annotation", "annotation-xml"))
_CONTENTS = frozenset({"landmarks", "loa", "loi", "lot", "lov", "page-list", "pagelist", "toc"})
_PAGE_NUMBERS = frozenset({"pagebreak", "page-number", "pageno", "pagenum", "page-num", "page_number"})
#: A page number is shorter: some books wrap the whole page into its mark.
_MAX_PAGE_NUMBER = 20
_HIDDEN = re.compile(r"(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b")
_FILE_NAME = re.compile(r"(?i)[\w./%() -]+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)")
_NOTHING = ("image", "images", "img", "picture")
MAY_BE_CONTENTS = ("ol", "ul", "dl", "table", "menu", "dir", "body", "div", "section", "p")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MIN_LINKS = 2
_MOSTLY = 0.8
_CONTENTS_CLASS = re.compile(r"(?i)(?:^|\s)(?:toc|toctree|table-of-contents)(?![a-z])")
#: How much else there may be, e.g. in `Back to the cover`.
_FEW_LETTERS = 20
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
    return bool(named & _PAGE_NUMBERS) and len(text_of(element).strip()) <= _MAX_PAGE_NUMBER


def spoken_alt(element: etree._Element) -> str | None:
    """The description of a picture or formula, empty if it says nothing; None for a formula without one."""
    if "math" in str(element.tag):
        return tidy(attribute(element, "alttext")) or None
    alt = tidy(attribute(element, "alt"))
    return "" if _FILE_NAME.fullmatch(alt) or alt.lower() in _NOTHING or "presentation" in kinds(element) else alt


@dataclass(frozen=True)
class Listed:
    """The contents of the book, by which a repetition of them in the text is recognised."""

    #: Where the lines lead to, with their titles.
    titles: Mapping[Link, str] = field(default_factory=dict)
    #: So many of them are a table of contents; fewer are references.
    fewest: int = 2
    #: Documents that are said to be tables of contents.
    pages: Collection[str] = ()


def is_contents_list(element: etree._Element, links: Sequence[etree._Element], path: str, listed: Listed) -> bool:
    """Whether a list, table or section repeats the contents of the book, or says so, and holds nothing else."""
    if len(links) < _MIN_LINKS:
        return False
    if _CONTENTS_CLASS.search(element.get("class") or "") is None and path not in listed.pages:
        targets = [target for link in links if (target := _repeated(link, path, listed.titles))]
        if len(targets) < _MOSTLY * len(links) or len(set(targets)) < listed.fewest:
            return False
    headings = (part for part in descendants(element, *_HEADINGS) if not any(True for _ in descendants(part, "a")))
    linked = sum(map(_letters, links))
    return _letters(element) - linked - sum(map(_letters, headings)) <= min(_FEW_LETTERS, linked)


def _repeated(link: etree._Element, path: str, titles: Mapping[Link, str]) -> Link | None:
    """Where a link leads if the contents have its text there."""
    target = resolve(path, attribute(link, "href"))
    if target is None:
        return None
    found = target if target in titles else Link(target.path, "")
    if found not in titles:
        return None
    shown, listed = _plain(text_of(link)), _plain(titles[found])
    return found if shown and listed and (shown in listed or listed in shown) else None


def _plain(title: str) -> str:
    """The letters of a title: numbers and marks may differ."""
    return "".join(filter(str.isalpha, title.casefold()))


def _letters(element: etree._Element) -> int:
    return len(_plain(text_of(element)))


def is_contents_title(text: str) -> bool:
    """Whether a heading says that a table of contents follows."""
    return _CONTENTS_TITLE.fullmatch(text.strip(" .:")) is not None
