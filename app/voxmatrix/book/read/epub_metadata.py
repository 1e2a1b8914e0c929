"""What the package document of an EPUB says of the book beside title, authors and language."""

import re
from collections.abc import Iterable

from lxml import etree

from voxmatrix.book.content import Metadata
from voxmatrix.book.read.markup import attribute, descendants, text_of, tidy

_TAG = re.compile(r"<[^<>]{0,500}>")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


#: What Calibre calls an author that it does not know, in some of its languages.
_UNKNOWN = [
    "unknown",
    "unbekannt",
    "inconnu",
    "inconnu(e)",
    "desconocido",
    "desconhecido",
    "sconosciuto",
    "onbekend",
    "okänd",
    "nieznany",
]


def known_authors(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, without those that say nothing."""
    return tuple(dict.fromkeys(name for name in names if name and name.casefold() not in _UNKNOWN))


def read_metadata(root: etree._Element) -> Metadata:
    """Series (EPUB 3's collection or Calibre's meta elements), publisher, date, description and narrator."""
    series, index = _collection(root)
    return Metadata(
        series=series or _named(root, "calibre:series"),
        series_index=index if series else _named(root, "calibre:series_index").removesuffix(".0"),
        publisher=_first(root, "publisher"),
        date=_date(root),
        description=tidy(_TAG.sub(" ", _first(root, "description"))),
        narrator=_narrator(root),
    )


def _first(root: etree._Element, name: str) -> str:
    return next(filter(None, (tidy(text_of(element)) for element in descendants(root, name))), "")


def _named(root: etree._Element, name: str) -> str:
    metas = (meta for meta in descendants(root, "meta") if attribute(meta, "name").lower() == name)
    return next((tidy(attribute(meta, "content")) for meta in metas), "")


def _refinements(root: etree._Element, what: str) -> dict[str, str]:
    """The value of a property for each id that a meta element refines."""
    metas = (meta for meta in descendants(root, "meta") if attribute(meta, "property") == what)
    return {attribute(meta, "refines").lstrip("#"): tidy(text_of(meta)) for meta in metas}


def _collection(root: etree._Element) -> tuple[str, str]:
    types, places = _refinements(root, "collection-type"), _refinements(root, "group-position")
    for meta in descendants(root, "meta"):
        identity = attribute(meta, "id")
        if attribute(meta, "property") == "belongs-to-collection" and types.get(identity, "series") == "series":
            return tidy(text_of(meta)), places.get(identity, "")
    return "", ""


def _date(root: etree._Element) -> str:
    """The date of publication; others, e.g. of a conversion, are marked as such in EPUB 2."""
    dates = [(attribute(element, "event"), tidy(text_of(element))) for element in descendants(root, "date")]
    said = [date for event, date in dates if event in ("", "publication", "original-publication")]
    match = _DATE.match(said[0]) if said else None
    return match[0] if match else ""


def _narrator(root: etree._Element) -> str:
    roles = _refinements(root, "role")
    names = (
        tidy(text_of(element))
        for element in descendants(root, "contributor", "creator")
        if "nrt" in (attribute(element, "role"), roles.get(attribute(element, "id")))
    )
    return ", ".join(dict.fromkeys(filter(None, names)))
