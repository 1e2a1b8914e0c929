"""Books of authors, and what is made of them to read along, with tones for speech."""

import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.book.epubs import PIXEL, epub, page
from tests.book.join.books import finished, spoken, tone
from voxmatrix.book.content import Book
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.overlay.write import write_overlay
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.read import as_epub, read_book
from voxmatrix.book.units import sentences
from voxmatrix.errors import Finding

HTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"
SMIL = "{http://www.w3.org/ns/SMIL}"
IDENTIFIER = '<dc:identifier id="id">urn:isbn:9780000000002</dc:identifier>'
METADATA = f"{IDENTIFIER}<dc:title>A Book</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>"
STYLE = "p { text-indent: 1em }\n@font-face { font-family: F; src: url(f.otf) }\n"
ENCRYPTED = """<?xml version="1.0"?><encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod
Algorithm="http://www.idpf.org/2008/embedding"/><enc:CipherData><enc:CipherReference URI="OEBPS/f.otf"/>
</enc:CipherData></enc:EncryptedData></encryption>"""
_HEAD = '<title>page</title><link rel="stylesheet" type="text/css" href="s.css"/>'
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'
    '<image width="1" height="1" xlink:href="p.png"/></svg>'
)
_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="a plus b"><mi>a</mi><mo>+</mo><mi>b</mi></math>'
ONE = (
    '<h1 id="top">CHAPTER I<br/>The Storm</h1>'
    '<p>It was <em>a dark <b>and</b> stormy</em> night; the rain fell.<a href="two.xhtml#n1" epub:type="noteref">1</a> '
    'It <em>stopped. Then,</em> it <a href="two.xhtml#there">went on</a>.</p>'
    f"<p>“Is {_MATH} a sum?” she asked.<br/>He said: <i>No.</i> <i>Not at all.</i></p>"
    '<p><img src="p.png" alt=""/></p>'
    '<p class="v"><span>The moon came up,</span><br/><span>the moon went down.</span></p>'
)
TWO = (
    '<h1>CHAPTER II</h1><p id="there">Back to <a href="one.xhtml#top">the first</a> chapter. The end.</p>'
    '<aside epub:type="footnote" id="n1"><p>A note that nobody reads.</p></aside>'
)
LINES = [("CHAPTER I: The Storm", "one.xhtml"), ("CHAPTER II", "two.xhtml")]


def authors_epub(**changed: Any) -> bytes:
    """An EPUB 3 with what authors put into their books."""
    items = (
        '<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml" properties="svg"/>'
        '<item id="one" href="one.xhtml" media-type="application/xhtml+xml" properties="mathml"/>'
        '<item id="s" href="s.css" media-type="text/css"/>'
        '<item id="f" href="f.otf" media-type="application/vnd.ms-opentype"/>'
        '<item id="p" href="p.png" media-type="image/png" properties="cover-image"/>'
    )
    made: dict[str, Any] = {
        "contents": LINES,
        "metadata": f'{METADATA}<meta property="dcterms:modified">2020-02-02T00:00:00Z</meta>',
        "items": items,
        "spine": '<itemref idref="cover"/><itemref idref="one"/><itemref idref="two.xhtml"/>',
        "more": {
            "OEBPS/cover.xhtml": page(_SVG, _HEAD),
            "OEBPS/one.xhtml": page(ONE, _HEAD),
            "OEBPS/s.css": STYLE,
            "OEBPS/p.png": PIXEL,
            "OEBPS/f.otf": b"OTTO" + bytes(range(200)),
            "META-INF/encryption.xml": ENCRYPTED,
        },
    }
    return epub({"two.xhtml": page(TWO, _HEAD)}, **{**made, **changed})


def old_epub() -> bytes:
    """An EPUB 2 with the markup of its time."""
    metadata = (
        '<dc:identifier id="id" opf:scheme="ISBN">9780000000002</dc:identifier><dc:title>Old</dc:title>'
        '<dc:creator opf:role="aut" opf:file-as="Author, Ann">Ann Author</dc:creator><dc:language>en</dc:language>'
        '<dc:date opf:event="modification">2001-01-01</dc:date><dc:date opf:event="publication">1999</dc:date>'
        '<dc:description/><meta name="cover" content="p"/>'
    )
    one = (
        '<h1><a name="top">I</a></h1><center>A <font size="5" color="red">big</font> one.</center>'
        '<p align="right">It was&nbsp;<tt>dark</tt>.<img src="p.png" border="0" width="50%" alt="x.png"/></p>'
        '<table border="0" cellpadding="2" summary="s">'
        '<tr><td valign="top" width="20">Anna</td><td>Hi.</td></tr></table>'
    )
    head = '<title></title><meta http-equiv="Content-Type" content="text/html; charset=utf-8"/>'
    documents = {"one.xhtml": page(one, head), "two.xhtml": page('<p>See <a href="one.xhtml#top">one</a>.</p>')}
    lines = [("I", "one.xhtml", [("Below", "one.xhtml#top")]), ("Two", "two.xhtml")]
    items = '<item id="p" href="p.png" media-type="image/png"/>'
    guide = '<guide><reference type="text" title="Start" href="one.xhtml"/></guide><tours/>'
    return epub(documents, lines, 2, {"OEBPS/p.png": PIXEL}, metadata=metadata, items=items, guide=guide, said="2.0")


def spoken_book(folder: Path, book: Book) -> list[Spoken]:
    """A tone for each sentence, all of them the same file."""
    folder.mkdir(parents=True, exist_ok=True)
    one = spoken(folder / "tone.wav", tone(1.0))
    return [
        replace(one, chapter=chapter.index, index=index, text=sentence.text)
        for chapter in book.chapters
        for index, sentence in enumerate(sentences(chapter.paragraphs, book.language), start=1)
    ]


def read_along(
    folder: Path, data: bytes, *, name: str = "book.epub", without: tuple[int, ...] = (), who: Sequence[str] = ()
) -> tuple[Path, list[Finding]]:
    """The read-along EPUB of a book, and what was found; chapters `without` are not spoken.

    It names who speaks if `who` says the first sentences of the book.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / name
    source.write_bytes(data)
    book = read_book(source)
    book = replace(book, chapters=tuple(one for one in book.chapters if one.index not in without))
    out = folder / "out.epub"
    with as_epub(source) as epub_source:
        names = iter(who)
        said = [replace(one, who=next(names, "")) for one in spoken_book(folder, book)]
        settings = JoinSettings(overlay_speakers=bool(who))
        findings = write_overlay(finished(book, said, settings), out, source=epub_source)
    return out, findings


def tree(path: Path, name: str) -> ElementTree.Element:
    """A file of an archive."""
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read(name))


def spans(document: ElementTree.Element) -> dict[str, str]:
    """The texts of the sentences of a page, by their ids."""
    found = {span.get("id") or "": " ".join("".join(span.itertext()).split()) for span in document.iter(f"{HTML}span")}
    return {anchor: text for anchor, text in found.items() if anchor.startswith("sentence")}
