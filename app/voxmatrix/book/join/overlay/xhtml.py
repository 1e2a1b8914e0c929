"""Documents of EPUB 2, and those that are no XML, as XHTML of EPUB 3."""

import re
from collections.abc import Iterator

from lxml import etree

from voxmatrix.book.join.overlay.spans import XHTML
from voxmatrix.book.read.markup import descendants, local_name

OPS = "http://www.idpf.org/2007/ops"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def as_xhtml(root: etree._Element) -> etree._Element:
    """A document in the namespace of XHTML: what was read as HTML has none."""
    if root.tag != "html":
        return root
    new = etree.Element(f"{{{XHTML}}}html", nsmap={None: XHTML, "epub": OPS})
    new.text = root.text
    for name, value in root.attrib.items():
        new.set(name, value)
    new.extend(list(root))
    etree.strip_tags(new, etree.Comment, etree.ProcessingInstruction)
    for element in list(new.iter()):
        if not element.tag.startswith("{"):
            element.tag = f"{{{XHTML}}}{element.tag if _NAME.fullmatch(element.tag) else 'span'}"
        for name in list(element.attrib):
            if not name.startswith("{") and (name.startswith("xmlns") or not _NAME.fullmatch(name)):
                value = element.attrib.pop(name)
                if name in _PREFIXED:
                    element.set(_PREFIXED[name], value)
    return new


_PREFIXED = {"xml:lang": _XML_LANG, "epub:type": f"{{{OPS}}}type"}


def serialised(root: etree._Element) -> bytes:
    """A document as XML. What is empty keeps its end tag: some readers take the file for HTML."""
    for element in root.iter(f"{{{XHTML}}}*"):
        if not len(element) and element.text is None and local_name(element) not in _EMPTY:
            element.text = ""
    doctype = "<!DOCTYPE html>" if local_name(root) == "html" else None
    data: bytes = etree.tostring(root.getroottree(), encoding="UTF-8", xml_declaration=True, doctype=doctype)
    return data


def link_style(root: etree._Element, href: str) -> None:
    """Link a style sheet behind those of the author."""
    if local_name(root) != "html":
        return
    head = next(descendants(root, "head"), None)
    if head is None:
        head = root.makeelement(f"{{{XHTML}}}head")
        root.insert(0, head)
        etree.SubElement(head, f"{{{XHTML}}}title").text = "?"
    etree.SubElement(head, f"{{{XHTML}}}link", rel="stylesheet", type="text/css", href=href)


def properties(root: etree._Element) -> Iterator[str]:
    """What the package must say of a document: that it has drawings, formulas or scripts."""
    if local_name(root) == "html":
        for name, found in (("svg", "svg"), ("mathml", "math"), ("scripted", "script")):
            if any(True for _ in descendants(root, found)):
                yield name
