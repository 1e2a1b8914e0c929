"""The text files of an EPUB 3 with a media overlay. Pure."""

import re
import uuid
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from voxmatrix.book.content import Book, Cover
from voxmatrix.book.join.tags import chapter_title, one_line
from voxmatrix.book.join.timeline import TimedChapter, TimedSentence, Timeline

FOLDER = "EPUB"
PACKAGE = f"{FOLDER}/package.opf"
ACTIVE_CLASS = "-epub-media-overlay-active"
#: EPUB requires a date of modification; one that never changes keeps the bytes the same.
_MODIFIED = "1980-01-01T00:00:00Z"
_MEDIA_TYPES = {"mp3": "audio/mpeg", "m4a": "audio/mp4", "image/jpeg": "jpg", "image/png": "png"}
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_STYLE = f".{ACTIVE_CLASS} {{ background-color: #fff3b0; color: #000; }}\n"
_CONTAINER = f"""{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="{PACKAGE}" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


def fixed(book: Book, line: Timeline) -> Iterator[tuple[str, str]]:
    """The files that come once, as name and text; the first must be the first of the archive."""
    yield "mimetype", "application/epub+zip"
    yield "META-INF/container.xml", _CONTAINER
    yield f"{FOLDER}/style.css", _STYLE
    yield f"{FOLDER}/nav.xhtml", _navigation(book, line)
    if book.cover:
        image = cover_name(book.cover).removeprefix(f"{FOLDER}/")
        yield f"{FOLDER}/cover.xhtml", _page(book, "Cover", f'<p><img src="{image}" alt={_attribute(book.title)}/></p>')


def of_chapter(book: Book, line: Timeline, chapter: TimedChapter, extension: str) -> Iterator[tuple[str, str]]:
    """The text of a chapter, and its overlay if anything is spoken in it, as name and text."""
    stem = _stem(chapter)
    title = _title(chapter)
    body = "\n".join(f"<p>{' '.join(map(_span, paragraph))}</p>" for paragraph in _paragraphs(chapter))
    yield f"{FOLDER}/{stem}.xhtml", _page(book, title, body or f"<h1>{_text(title)}</h1>")
    if chapter.sentences:
        yield f"{FOLDER}/{stem}.smil", _overlay(line, chapter, extension)


def package(book: Book, line: Timeline, extension: str) -> str:
    """The package document, which lists the files of the EPUB in reading order."""
    spoken = [chapter for chapter in line.chapters if chapter.sentences]
    durations = [_duration(line, chapter.end - chapter.start, f' refines="#{_stem(chapter)}-o"') for chapter in spoken]
    total = sum(chapter.end - chapter.start for chapter in spoken)
    authors = [f"<dc:creator>{_text(one_line(author))}</dc:creator>" for author in book.authors if one_line(author)]
    metadata = [
        f'<dc:identifier id="id">urn:uuid:{_identifier(book, line)}</dc:identifier>',
        f"<dc:title>{_text(one_line(book.title) or '?')}</dc:title>",
        *authors,
        f"<dc:language>{_language(book)}</dc:language>",
        f'<meta property="dcterms:modified">{_MODIFIED}</meta>',
        f'<meta property="media:active-class">{ACTIVE_CLASS}</meta>',
        _duration(line, total, ""),
        *durations,
    ]
    chapters = [item for chapter in line.chapters for item in _items(chapter, extension)]
    items = [
        _item("nav", "nav.xhtml", "application/xhtml+xml", ' properties="nav"'),
        _item("css", "style.css", "text/css"),
    ]
    references = [f'<itemref idref="{_stem(chapter)}"/>' for chapter in line.chapters]
    if book.cover:
        image = cover_name(book.cover).removeprefix(f"{FOLDER}/")
        items.append(_item("cover-image", image, book.cover.media_type, ' properties="cover-image"'))
        items.append(_item("cover", "cover.xhtml", "application/xhtml+xml"))
        references.insert(0, '<itemref idref="cover" linear="no"/>')
    parts = [
        f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">',
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">',
        *metadata,
        "</metadata>\n<manifest>",
        *items,
        *chapters,
        "</manifest>\n<spine>",
        *references,
        "</spine>\n</package>\n",
    ]
    return "\n".join(parts)


def cover_name(cover: Cover) -> str:
    """Where the cover is in the archive."""
    return f"{FOLDER}/cover.{_MEDIA_TYPES[cover.media_type]}"


def sound_name(chapter: TimedChapter, extension: str) -> str:
    """Where the sound of a chapter is in the archive."""
    return f"{FOLDER}/{_stem(chapter)}.{extension}"


def _stem(chapter: TimedChapter) -> str:
    return f"c{chapter.chapter.index:05}"


def _title(chapter: TimedChapter) -> str:
    return chapter_title(chapter.chapter.title, chapter.chapter.index)


def _items(chapter: TimedChapter, extension: str) -> list[str]:
    stem = _stem(chapter)
    if not chapter.sentences:
        return [_item(stem, f"{stem}.xhtml", "application/xhtml+xml")]
    return [
        _item(stem, f"{stem}.xhtml", "application/xhtml+xml", f' media-overlay="{stem}-o"'),
        _item(f"{stem}-o", f"{stem}.smil", "application/smil+xml"),
        _item(f"{stem}-s", f"{stem}.{extension}", _MEDIA_TYPES[extension]),
    ]


def _item(name: str, href: str, media_type: str, more: str = "") -> str:
    return f'<item id="{name}" href="{href}" media-type="{media_type}"{more}/>'


def _duration(line: Timeline, samples: int, refines: str) -> str:
    return f'<meta property="media:duration"{refines}>{_clock(line, samples)}</meta>'


def _identifier(book: Book, line: Timeline) -> uuid.UUID:
    """A name of the book's content: a changed sentence makes it another publication."""
    parts = [book.title, *book.authors, *(sentence.spoken.sha256 for sentence in line.sentences)]
    return uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(parts).encode("utf-8", "replace").decode("utf-8"))


def _navigation(book: Book, line: Timeline) -> str:
    entries = "\n".join(
        f'<li><a href="{_stem(chapter)}.xhtml">{_text(_title(chapter))}</a></li>' for chapter in line.chapters
    )
    return _page(book, book.title, f'<nav epub:type="toc"><ol>\n{entries}\n</ol></nav>')


def _page(book: Book, title: str, body: str) -> str:
    language = _language(book)
    return (
        f'{_XML}<!DOCTYPE html>\n{_XHTML} lang="{language}" xml:lang="{language}">\n'
        f"<head><title>{_text(one_line(title) or '?')}</title>"
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f'<body id="text">\n{body}\n</body>\n</html>\n'
    )


def _paragraphs(chapter: TimedChapter) -> list[list[TimedSentence]]:
    found: list[list[TimedSentence]] = []
    for sentence in chapter.sentences:
        if sentence.spoken.starts_paragraph or not found:
            found.append([])
        found[-1].append(sentence)
    return found


def _span(sentence: TimedSentence) -> str:
    return f'<span id="s{sentence.spoken.index}">{_text(sentence.spoken.text)}</span>'


def _overlay(line: Timeline, chapter: TimedChapter, extension: str) -> str:
    """A clip lasts until the next one, with its pause: readers that jump between clips play without a break."""
    stem = _stem(chapter)
    clips = "\n".join(
        f'<par id="p{sentence.spoken.index}"><text src="{stem}.xhtml#s{sentence.spoken.index}"/>'
        f'<audio src="{stem}.{extension}" clipBegin="{_clock(line, sentence.start - chapter.start)}"'
        f' clipEnd="{_clock(line, sentence.pause_end - chapter.start)}"/></par>'
        for sentence in chapter.sentences
    )
    return (
        f'{_XML}<smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0">\n'
        f'<body><seq id="all" epub:textref="{stem}.xhtml#text" epub:type="bodymatter">\n'
        f"{clips}\n</seq></body>\n</smil>\n"
    )


def _clock(line: Timeline, samples: int) -> str:
    seconds, milliseconds = divmod(round(1000 * samples / line.rate_hz), 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}"


def _language(book: Book) -> str:
    tag = book.language.replace("_", "-")
    return tag if _TAG.fullmatch(tag) else "und"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", one_line(text)))
