"""Footnotes and endnotes, and the links to them, in the ways that books mark them."""

import re
from itertools import islice
from typing import NamedTuple

from lxml import etree

from voxmatrix.book.read.markup import attribute, kinds, links_in, local_name, text_of
from voxmatrix.book.read.paths import Link, resolve

_NOTES = frozenset({"footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"})
#: Elements that can be notes by their class: a `<span class="footnote">` is often a link to one.
_HOLDS_NOTES = ("aside", "div", "dl", "li", "ol", "p", "section", "table", "ul", "dd", "td", "tr")
_REFERENCE_CLASS = re.compile(r"(?i)noteref|footnote|endnote|fn-?ref|fnanchor|note-?link|note-?anchor")
_MARK = r"\d{1,4}|[ivxlc]{1,6}|[a-z]|[*\u2020\u2021\u00a7\u00b6\u2016#]{1,4}"
_MARKER = re.compile(rf"(?i)[\[({{]?\s*(?:note\s*)?(?:{_MARK})\s*[\])}}]?[.:]?")
_UNMISTAKABLE = re.compile(r"\[\s*(?:\w{1,4}|[*\u2020\u2021\u00a7\u00b6\u2016#]{1,4})\s*\]|[*\u2020\u2021\u2016]{1,4}")
_MAX_MARKER = 20
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
        return bool(kinds(element) & {"noteref", "backlink"}) or _is_marked_link(element)
    if name not in ("sup", "span") or not _short(element, _MARKER):
        return False
    links = links_in(element)
    if not links or not all(_is_internal(link) for link in links):
        return False
    says_so = any("noteref" in kinds(found) for found in (element, *links))
    return name == "sup" or says_so


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
