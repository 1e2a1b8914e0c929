"""What is in a document and is never read, and what is known by its links: contents, and notes as books mark them.

Never read are numbers of pages and lines, ruby, navigation, what is hidden or no text at all.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from lxml import etree

from voxmatrix.book.read.markup import (
    Link,
    attribute,
    children,
    descendants,
    kinds,
    links_in,
    local_name,
    resolve,
    text_of,
    tidy,
)

_NO_TEXT = frozenset(
    ("audio", "head", "rp", "rt", "rtc", "script", "select", "style", "template", "textarea", "video")
).union(("annotation", "annotation-xml"))
_NAVIGATION = frozenset({"landmarks", "page-list", "pagelist"})
_NUMBERS = frozenset({"pagebreak", "page-number", "pageno", "pagenum", "page-num", "page_number"})
_LINE_NUMBERS = frozenset({"lnum", "linenum", "linenumber", "line-number", "line_number", "lineno", "ln"})
#: A page number is shorter: some books wrap the whole page into its mark.
_MAX_PAGE_NUMBER = 20
_HIDDEN = re.compile(r"(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b")
_FILE_NAME = re.compile(r"(?i)[\w./%() -]+\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?)")
#: Descriptions that say nothing.
_NOTHING = re.compile(
    r"(?i)\W*(?:images?|img|pictures?|pic|picto(?:gram)?s?|illustrations?|figures?|fig|photos?|photographs?|icons?|logo|covers?"
    r"|decorat(?:ive|ion)s?|ornaments?|vignettes?|dividers?|separators?|spacer|bullet|abbildung|bild|omslag"
    r"|alternative text not available"
    r")?[\W\d_]*"
)
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
    if what & _NAVIGATION and name not in ("html", "a"):
        return True
    if name == "case" and any(True for _ in children(element.getparent(), "default")):  # of epub:switch
        return True
    named = what.union((element.get("class") or "").lower().split())
    text = text_of(element).strip() if named & _NUMBERS or named & _LINE_NUMBERS else ""
    return bool(named & _NUMBERS and len(text) <= _MAX_PAGE_NUMBER) or text.strip(" .[]()").isdecimal()


def spoken_alt(element: etree._Element) -> str | None:
    """The description of a picture or formula, empty if it says nothing; None for a formula without one."""
    formula = "math" in str(element.tag)
    alt = tidy(attribute(element, "alttext" if formula else "alt"))
    if formula:
        return None if not alt or (_NOTHING.fullmatch(alt) and any(map(str.isalpha, alt))) else alt
    says_nothing = _NOTHING.fullmatch(alt) and len(alt) > 1 and not alt.isdecimal()
    return "" if _FILE_NAME.fullmatch(alt) or says_nothing or {"presentation", "none"} & kinds(element) else alt


@dataclass(frozen=True)
class Listed:
    """The contents of the book, by which a repetition of them in the text is recognised."""

    #: Where the lines lead to, with their titles.
    titles: Mapping[Link, str] = field(default_factory=dict)
    #: This many of them are a table of contents; fewer are references.
    fewest: int = 2
    #: Documents that are said to be tables of contents.
    pages: Collection[str] = ()
    #: All documents of the book: where links within it lead to.
    documents: Collection[str] = ()


def is_contents_list(
    element: etree._Element, links: Sequence[etree._Element], path: str, listed: Listed, before: Collection[str]
) -> bool:
    """Whether a list, table or section repeats the contents of the book, or says so, and holds nothing else.

    So does one all of whose lines are links to places of the book. `before` are the anchors above it: notes lead there.
    """
    if len(links) < _MIN_LINKS:
        return False
    if _are_places(element, path, listed, before):
        return True
    if _CONTENTS_CLASS.search(element.get("class") or "") is None and path not in listed.pages:
        targets = [target for link in links if (target := _repeated(link, path, listed.titles))]
        if len(targets) < _MOSTLY * len(links) or len(set(targets)) < listed.fewest:
            return False
    headings = (part for part in descendants(element, *_HEADINGS) if not any(True for _ in descendants(part, "a")))
    linked = sum(map(_letters, links))
    return _letters(element) - linked - sum(map(_letters, headings)) <= min(_FEW_LETTERS, linked)


#: The elements that are the lines of a list, a table or a section.
_LINES = {"table": ("tr",), "dl": ("dt",), "div": ("p",), "section": ("p",)}
_MAX_LINE, _MAX_BESIDE_LINK = 250, 80
_NO_NAME = re.compile(r"(?i)[\W\d_]*(?:[ivxlc]+[\W\d_]*)?")


def _are_places(element: etree._Element, path: str, listed: Listed, before: Collection[str]) -> bool:
    """Whether nearly all lines of an element, at least two, have a link to a place of the book and little else."""
    name = local_name(element)
    if name in ("body", "p") or (name in ("div", "section") and any(True for _ in _others(element))):
        return False
    lines = [line for line in islice(descendants(element, *_LINES.get(name, ("li",))), _MOST_LINES) if _letters(line)]
    targets = [target for line in lines if (target := _place(line, path, listed, before))]
    fewest = max(_MIN_LINKS, _MOSTLY * len(lines)) if len(lines) > _FEW_LINES else len(lines)
    return len(targets) >= fewest and len(set(targets)) >= max(_MIN_LINKS, _MOSTLY * len(targets))


_MOST_LINES, _FEW_LINES = 2000, 3


def _others(element: etree._Element) -> Iterator[etree._Element]:
    """What is in a section and is neither a heading nor a paragraph."""
    return (child for child in element if local_name(child) not in ("p", "hr", "br", "a", "", *_HEADINGS))


def _place(line: etree._Element, path: str, listed: Listed, before: Collection[str]) -> Link | None:
    """Where a line of contents leads to; None for another line."""
    links = links_in(line)
    targets = {resolve(path, attribute(link, "href")) for link in links}
    if len(targets) != 1 or (target := targets.pop()) is None:
        return None
    is_here = target.path == path and bool(target.anchor)
    letters, linked = _letters(line), sum(map(_letters, links))
    if not (is_here or target.path in listed.documents) or letters > _MAX_LINE or letters - linked > _MAX_BESIDE_LINK:
        return None
    only_number = all(_NO_NAME.fullmatch(text_of(link)) for link in links)
    return None if only_number and (not is_here or target.anchor in before) else target


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


#: Kinds by `epub:type` and `role` that are contents, or lists like them.
CONTENTS = frozenset({"loa", "loi", "lot", "lov", "toc", "toc-brief"})
_NOTES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"})
#: Elements that can be notes by their class: a `<span class="footnote">` is often a link to one.
_HOLDS_NOTES = ("aside", "div", "dl", "li", "ol", "p", "section", "table", "ul", "dd", "td", "tr")
_REFERENCE_CLASS = re.compile(r"(?i)noteref|footnote|endnote|fn-?ref|fnanchor|note-?link|note-?anchor")
_MARK = r"\d{1,4}|[ivxlc]{1,6}|[a-z]|[*\u2020\u2021\u00a7\u00b6\u2016#]{1,4}"
_MARKER = re.compile(rf"(?i)[\[({{]?\s*(?:note\s*)?(?:{_MARK})\s*[\])}}]?[.:]?")
_UNMISTAKABLE = re.compile(r"\[\s*(?:\w{1,4}|[*\u2020\u2021\u00a7\u00b6\u2016#]{1,4})\s*\]|[*\u2020\u2021\u2016]{1,4}")
_MAX_MARKER, _MAX_LETTERS_OF_MARK = 20, 4
_BACK = re.compile("[\u21a9\u2191\u21b5\u2934^\ufe0e\ufe0f\\s]+")
_BEFORE_MARKER = re.compile(r"[\s\[(]*")
_MAX_BEFORE = 1000
#: A note's link is among its first elements.
_FIRST_ELEMENTS = 50


class NoteStart(NamedTuple):
    """What looks like a note: it begins with a link back. It is one if a reference leads to one of its anchors."""

    anchors: frozenset[str]
    back: Link


def is_note(element: etree._Element, name: str) -> bool:
    """Whether an element calls itself a note or notes."""
    if kinds(element) & _NOTES and name != "a":
        return True
    return name in _HOLDS_NOTES and not _NOTES.isdisjoint((element.get("class") or "").lower().split())


def is_note_reference(element: etree._Element, name: str) -> bool:
    """Whether an element is nothing but the sign of a note in the text: a superscript link, or one that says so."""
    if name == "a":
        if not element.get("href"):
            return False
        what = kinds(element)
        return "backlink" in what or ("noteref" in what and _is_mark(element)) or _is_marked_link(element)
    if name not in ("sup", "span") or not _short(element, _MARKER):
        return False
    links = links_in(element)
    if not links or not all(_is_internal(link) for link in links):
        return False
    says_so = any("noteref" in kinds(found) for found in (element, *links))
    return name == "sup" or says_so


def _is_mark(link: etree._Element) -> bool:
    """Whether a reference to a note is no words of the text, as in `see <a>this note</a>`."""
    return len(_plain(text_of(link))) <= _MAX_LETTERS_OF_MARK or _short(link, _MARKER)


def _is_marked_link(link: etree._Element) -> bool:
    if not _is_internal(link) or not _short(link, _MARKER):
        return False
    parent = link.getparent()
    around = (link,) if parent is None else (link, parent)
    raised = any(local_name(found) == "sup" for found in (*link.iter(), *around))
    named = _REFERENCE_CLASS.search(" ".join(found.get("class") or "" for found in around))
    return raised or named is not None or _short(link, _UNMISTAKABLE)


def _is_internal(link: etree._Element) -> bool:
    return resolve("", attribute(link, "href").replace("../", "")) is not None


def _short(element: etree._Element, pattern: re.Pattern[str]) -> bool:
    text = text_of(element).strip()
    return len(text) <= _MAX_MARKER and pattern.fullmatch(text) is not None


def note_start(element: etree._Element, path: str) -> NoteStart | None:
    """What a block says of itself if it begins with a marker that is a link, or ends with an arrow back."""
    anchors: set[str] = set()
    link, text = _first_link(element, anchors)
    if link is None or not (_BEFORE_MARKER.fullmatch(text) and _short(link, _MARKER)):
        link = _last_link(element)
        if link is None or not _short(link, _BACK):
            return None
    anchors.update(filter(None, (link.get("id"), link.get("name"))))
    back = resolve(path, attribute(link, "href"))
    return NoteStart(frozenset(anchors), back) if back is not None and anchors else None


def _first_link(element: etree._Element, anchors: set[str]) -> tuple[etree._Element | None, str]:
    """The first link of an element with the text before it, adding the anchors on the way."""
    before = ""
    for found in islice(element.iter(), _FIRST_ELEMENTS):
        if not local_name(found):
            continue
        anchors.update(filter(None, (found.get("id"), found.get("name"))))
        if local_name(found) == "a" and found.get("href"):
            return found, before
        before += (found.text or "") + ("" if len(found) else _tail(found, element))
        if len(before) > _MAX_BEFORE or not _BEFORE_MARKER.fullmatch(before):
            break
    return None, before


def _tail(element: etree._Element, root: etree._Element) -> str:
    return "" if element is root else element.tail or ""


def _last_link(element: etree._Element) -> etree._Element | None:
    """The link that is the last of an element, if nothing but whitespace follows."""
    while len(element):
        last = element[-1]
        if (last.tail or "").strip() or not local_name(last):
            return None
        element = last
        if local_name(element) == "a" and element.get("href"):
            return element
    return None
