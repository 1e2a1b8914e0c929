"""EPUB files built from their parts, whole or broken."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from html import escape

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
METADATA = "<dc:title>A Book</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>"
#: A line of contents: its title, where it leads, and the lines below it.
Line = tuple[str, str] | tuple[str, str, Sequence["Line"]]
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6390cb7b060002"
    "200173161b2cda0000000049454e44ae426082"
)


def page(body: str, head: str = "<title>page</title>", attributes: str = "") -> str:
    """An XHTML document."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head>{head}</head><body{attributes}>{body}</body></html>"
    )


def nav(lines: Sequence[Line], more: str = "") -> str:
    """A navigation document of EPUB 3."""
    return page(f'<nav epub:type="toc"><h1>Contents</h1>{_list(lines)}</nav>{more}')


def _list(lines: Sequence[Line]) -> str:
    items = (
        f'<li><a href="{escape(line[1])}">{escape(line[0])}</a>{_list(line[2]) if len(line) > 2 else ""}</li>'
        for line in lines
    )
    return f"<ol>{''.join(items)}</ol>"


def ncx(lines: Sequence[Line]) -> str:
    """The contents of EPUB 2."""
    return (
        '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><docTitle><text>Wrong'
        f"</text></docTitle><navMap>{_points(lines)}</navMap></ncx>"
    )


def _points(lines: Sequence[Line]) -> str:
    return "".join(
        f'<navPoint><navLabel><text>{escape(line[0])}</text></navLabel><content src="{escape(line[1])}"/>'
        f"{_points(line[2]) if len(line) > 2 else ''}</navPoint>"
        for line in lines
    )


def package(
    documents: Sequence[str],
    metadata: str = METADATA,
    items: str = "",
    spine: str | None = None,
    guide: str = "",
    has_nav: bool = True,
    has_ncx: bool = False,
    said: str = "3.0",
) -> str:
    """A package document; its ids are the names of the documents, and `said` is its version."""
    manifest = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in documents)
    manifest += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' * has_nav
    manifest += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' * has_ncx
    order = "".join(f'<itemref idref="{name}"/>' for name in documents) if spine is None else spine
    toc = " toc='ncx'" * has_ncx
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" '
        f'version="{said}" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"{metadata}</metadata><manifest>{manifest}{items}</manifest><spine{toc}>{order}</spine>{guide}</package>"
    )


def archive(files: Mapping[str, str | bytes], mimetype: bool = True) -> bytes:
    """A ZIP archive of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        if mimetype:
            file.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in files.items():
            file.writestr(name, content)
    return data.getvalue()


def epub(
    documents: Mapping[str, str | bytes],
    contents: Sequence[Line] | None = None,
    version: int = 3,
    more: Mapping[str, str | bytes] | None = None,
    mimetype: bool = True,
    **package_parts: object,
) -> bytes:
    """A book of documents (name → XHTML, or what stands in the body of one) with contents in the way of the version."""
    lines = contents if contents is not None else ()
    is_3 = version == 3
    files: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(
            list(documents),
            **{"has_nav": is_3 and contents is not None, "has_ncx": not is_3 and contents is not None, **package_parts},  # type: ignore[arg-type]
        ),
    }
    if contents is not None:
        files["OEBPS/nav.xhtml" if is_3 else "OEBPS/toc.ncx"] = nav(lines) if is_3 else ncx(lines)
    for name, content in documents.items():
        whole = isinstance(content, bytes) or content.lstrip().startswith(("<?xml", "<!DOCTYPE", "<html"))
        files[f"OEBPS/{name}"] = content if whole else page(str(content))
    return archive({**files, **(more or {})}, mimetype=mimetype)
