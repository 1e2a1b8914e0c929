"""Formulas of Word documents (OMML) as text in their paragraphs: Calibre drops them without a word."""

import zipfile
from pathlib import Path

from lxml import etree

from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.formulas import grouped
from voxmatrix.book.read.marks import lowered, raised
from voxmatrix.book.read.markup import attribute, children, local_name, text_of, tidy
from voxmatrix.errors import BadInputError

_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
#: Of these, the parts are written each for itself; of all others, what is in them.
_WITH_PARTS = ("f", "ssup", "ssub", "ssubsup", "rad", "nary", "func", "limlow", "limupp")
#: What elements are when they do not say it.
_SUM, _OPEN, _CLOSE = "\u222b", "(", ")"


def with_readable_formulas(path: Path, folder: Path) -> tuple[Path, int]:
    """A copy of a document in which formulas are text, and their number; the document itself if it has none.

    A damaged document, which Calibre may repair, is left to it.

    Raises:
        BadInputError: a file in it would fill the memory.
    """
    changed: dict[str, bytes] = {}
    count = 0
    try:
        with Archive(path) as archive:
            parts = {name: archive.read(name) for name in _PARTS if archive.find(name)}
    except BadInputError:
        return path, 0
    for name, data in parts.items():
        if b"oMath" in data and (root := _parsed(data)) is not None:
            count += _replace(root)
            changed[name] = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    if not count:
        return path, 0
    copy = folder / "book.docx"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            with target.open(entry.filename, "w") as file:
                file.write(changed.get(entry.filename) or _content(source, entry))
    return copy, count


#: In bytes, of any other file in the document: pictures, styles.
_MAX_ENTRY = 256 * 2**20


def _content(source: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with source.open(entry) as file:
        data = file.read(_MAX_ENTRY + 1)
    if len(data) > _MAX_ENTRY:
        raise BadInputError(f"{source.filename}: {entry.filename} is too large", "convert it to EPUB yourself")
    return data


def _parsed(data: bytes) -> etree._Element | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None


def _replace(root: etree._Element) -> int:
    """Put a run of text in the place of each formula; the paragraph around displayed ones is left out."""
    formulas = list(root.iter(_FORMULA))
    for formula in formulas:
        run = etree.Element(f"{_WORD}r")
        text = etree.SubElement(run, f"{_WORD}t")
        text.text = f" {tidy(_written(formula))} "
        text.set(_SPACE, "preserve")
        parent = formula.getparent()
        outer = parent if parent is not None and local_name(parent) == "omathpara" else formula
        outer.addprevious(run)
        (parent if parent is not None else formula).remove(formula)
    return len(formulas)


def _written(element: etree._Element) -> str:
    """A formula in one line, in the same notation as those of MathML: `a/2 + x²`."""
    name = local_name(element)
    parts = {local_name(part): _all(part) for part in element} if name in _WITH_PARTS else {}
    base = parts.get("e", "")
    match name:
        case "r":
            text = "".join(text_of(part) for part in children(element, "t"))
            written = text if text.isalnum() or len(text) > 1 else f" {text} "
        case "f":
            written = f" {grouped(parts.get('num', ''))}/{grouped(parts.get('den', ''))} "
        case "ssup" | "ssub" | "ssubsup":
            written = f"{grouped(base)}{_low(parts.get('sub', ''))}{_high(parts.get('sup', ''))}"
        case "rad":
            written = f" {_high(parts.get('deg', ''))}\u221a{grouped(base)} "
        case "d":
            inner = ", ".join(tidy(_all(part)) for part in children(element, "e"))
            written = f"{_sign(element, 'begchr', _OPEN)}{inner}{_sign(element, 'endchr', _CLOSE)}"
        case "nary":
            written = f" {_sign(element, 'chr', _SUM)}{_low(parts.get('sub', ''))}{_high(parts.get('sup', ''))} {base} "
        case "mr" | "eqarr":
            written = ", ".join(tidy(_all(part)) for part in children(element, "e")) + "; " * (name == "mr")
        case "func":
            written = f" {parts.get('fname', '')} {base} "
        case "limlow" | "limupp":
            written = f" {base} {parts.get('lim', '')} "
        case _:
            written = _all(element)
    return written


def _all(element: etree._Element) -> str:
    return "".join(_written(part) for part in element if not local_name(part).endswith("pr"))


def _sign(element: etree._Element, name: str, usual: str) -> str:
    properties = (part for part in element if local_name(part).endswith("pr"))
    return next((attribute(sign, "val") for part in properties for sign in children(part, name)), usual)


def _high(text: str) -> str:
    text = tidy(text)
    shifted = raised(text, "0") if text else ""
    return shifted if shifted != text or not text else f"^{grouped(text)}"


def _low(text: str) -> str:
    text = tidy(text)
    shifted = lowered(text)
    return shifted if shifted != text or not text else f"_{grouped(text)}"
