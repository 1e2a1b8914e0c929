"""The package document of an EPUB 2 as that of an EPUB 3."""

import re

from lxml import etree

from voxmatrix.book.join.overlay.package import DC, AuthorsPackage
from voxmatrix.book.read.markup import attribute, children, local_name, text_of, tidy

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_OF_PACKAGE = ("version", "unique-identifier", "id", "prefix", "dir", _XML_LANG)
_OF_ITEM = ("id", "href", "media-type", "fallback", "properties", "media-overlay")
_OF_DC = ("id", "dir", _XML_LANG)
_NCX_TYPE = "application/x-dtbncx+xml"
XHTML_TYPE = "application/xhtml+xml"
#: Media types that EPUB 3 does not know by these names.
_MEDIA_TYPES = {
    "text/html": XHTML_TYPE,
    "text/x-oeb1-document": XHTML_TYPE,
    "text/x-oeb1-css": "text/css",
    "image/jpg": "image/jpeg",
}
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d.*)?)?")


def upgrade_package(package: AuthorsPackage) -> None:
    """Change what EPUB 3 says in another way, or does not know."""
    root = package.root
    root.set("version", "3.0")
    _keep_only(root, _OF_PACKAGE)
    for part in list(root):
        if local_name(part) == "tours":
            root.remove(part)
    _unwrap(package)
    for element in list(package.metadata):
        if isinstance(element.tag, str):
            _upgrade_metadata(package, element)
    _keep_one_date(package)
    cover = {m.get("content") for m in package.metadata if (m.get("name") or "").lower() == "cover"}
    for item in package.items.values():
        media_type = attribute(item, "media-type").strip().lower()
        item.set("media-type", _MEDIA_TYPES.get(media_type, media_type))
        _keep_only(item, _OF_ITEM)
        if item.get("id") in cover and media_type.startswith("image/"):
            package.add_property(item, "cover-image")
    _repair_spine(package)


def without_ncx(package: AuthorsPackage) -> list[str]:
    """Remove the contents of EPUB 2, which a navigation document replaces; the names of the files are returned."""
    removed = [file for file, item in package.items.items() if item.get("media-type") == _NCX_TYPE]
    for file in removed:
        package.manifest.remove(package.items.pop(file))
    for spine in children(package.root, "spine"):
        spine.attrib.pop("toc", None)
    return removed


def complete_metadata(package: AuthorsPackage, *, title: str, language: str, identifier: str, converted: bool) -> None:
    """Add what every EPUB must say, where the author's does not.

    A program that `converted` the book gave it an identifier and a time, which are others each time: they are replaced.
    """
    named = package.root.get("unique-identifier") or ""
    for element in list(package.metadata) if converted else ():
        if element.get("id") == named or element.get("name") == "calibre:timestamp":
            package.metadata.remove(element)
    for name, value in (("title", title or "?"), ("language", language or "und")):
        if not any(local_name(element) == name and tidy(text_of(element)) for element in package.metadata):
            etree.SubElement(package.metadata, f"{{{DC}}}{name}").text = value
    identifiers = [element for element in package.metadata if local_name(element) == "identifier"]
    if any(element.get("id") == named and tidy(text_of(element)) for element in identifiers):
        return
    element = etree.SubElement(package.metadata, f"{{{DC}}}identifier", id=package.free_id("id"))
    element.text = identifier
    package.root.set("unique-identifier", element.get("id") or "")


def _keep_only(element: etree._Element, names: tuple[str, ...]) -> None:
    for name in list(element.attrib):
        if name not in names:
            del element.attrib[name]


def _unwrap(package: AuthorsPackage) -> None:
    """Metadata of EPUB 2 may stand in elements of their own."""
    for wrapper in list(children(package.metadata, "dc-metadata", "x-metadata")):
        for element in list(wrapper):
            package.metadata.append(element)
        package.metadata.remove(wrapper)


def _upgrade_metadata(package: AuthorsPackage, element: etree._Element) -> None:
    if local_name(element) == "meta":
        if not (element.get("property") or (element.get("name") and element.get("content"))):
            package.metadata.remove(element)
        elif not element.get("property"):
            _keep_only(element, ("name", "content"))
            element.text = None
        return
    if not str(element.tag).startswith(f"{{{DC}}}") or not tidy(text_of(element)):
        package.metadata.remove(element)
        return
    roles = (("role", attribute(element, "role")), ("file-as", attribute(element, "file-as")))
    said = [(name, value) for name, value in roles if value]
    if attribute(element, "event") not in ("", "publication", "original-publication"):
        package.metadata.remove(element)
        return
    _keep_only(element, _OF_DC)
    if said and local_name(element) in ("creator", "contributor", "title"):
        identity = element.get("id") or package.free_id(local_name(element))
        element.set("id", identity)
        for name, value in said:
            scheme = {"scheme": "marc:relators"} if name == "role" else {}
            if name == "file-as" or local_name(element) != "title":
                package.add_meta(name, value, refines=f"#{identity}", **scheme)


def _keep_one_date(package: AuthorsPackage) -> None:
    dates = list(children(package.metadata, "date"))
    valid = [date for date in dates if _DATE.fullmatch(tidy(text_of(date)))]
    for date in dates:
        if date is not next(iter(valid), None):
            package.metadata.remove(date)


def _repair_spine(package: AuthorsPackage) -> None:
    """Remove what EPUB 3 refuses: a second place of the same file, and an empty guide."""
    known = {item.get("id") for item in package.manifest}
    for spine in list(children(package.root, "spine")):
        seen: set[str | None] = set()
        _keep_only(spine, ("id", "page-progression-direction"))
        for reference in list(children(spine, "itemref")):
            identity = reference.get("idref")
            if identity in seen or identity not in known:
                spine.remove(reference)
            seen.add(identity)
            _keep_only(reference, ("id", "idref", "linear", "properties"))
    for guide in list(children(package.root, "guide")):
        if not any(True for _ in children(guide, "reference")):
            package.root.remove(guide)
