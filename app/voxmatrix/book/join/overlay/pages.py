"""The text files of an EPUB 3 with a media overlay, of a book that was no EPUB. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from voxmatrix.book.content import Book, Cover
from voxmatrix.book.join.overlay.package import ACTIVE_CLASS, MEDIA_TYPES, MODIFIED, SPEAKER, STYLE, container
from voxmatrix.book.join.overlay.smil import XML, Clip, Overlay, clock, smil
from voxmatrix.book.join.tags import chapter_title, one_line
from voxmatrix.book.join.timeline import TimedChapter, TimedSentence, Timeline
from voxmatrix.book.read.marks import spoken_heading

FOLDER = "EPUB"
PACKAGE = f"{FOLDER}/package.opf"
_PICTURES = {"image/jpeg": "jpg", "image/png": "png"}
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'


def files(
    book: Book, line: Timeline, sounds: Mapping[int, str], identifier: str, names: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """The files of the book but its sound, whose files `sounds` names for the chapters.

    `names` has who is named before each sentence; "": nobody.
    """
    named = {one.spoken.place: who for one, who in zip(line.sentences, names, strict=True) if who}
    yield "META-INF/container.xml", container(PACKAGE).encode("utf-8")
    yield f"{FOLDER}/style.css", STYLE.encode("utf-8")
    yield f"{FOLDER}/nav.xhtml", _navigation(book, line).encode("utf-8")
    if book.cover:
        yield f"{FOLDER}/{_cover_name(book.cover)}", book.cover.data
        image = f'<p><img src="{_cover_name(book.cover)}" alt={_attribute(book.title)}/></p>'
        yield f"{FOLDER}/cover.xhtml", _page(book, "Cover", image).encode("utf-8")
    for chapter in line.chapters:
        stem, title = _stem(chapter), _title(chapter)
        body = "\n".join(_paragraph(chapter, paragraph, named) for paragraph in _paragraphs(chapter))
        yield f"{FOLDER}/{stem}.xhtml", _page(book, title, body or f"<h1>{_text(title)}</h1>").encode("utf-8")
        if chapter.sentences:
            text = smil(_overlay(chapter), f"{FOLDER}/{stem}.smil", sounds, line.rate_hz)
            yield f"{FOLDER}/{stem}.smil", text.encode("utf-8")
    yield PACKAGE, _package(book, line, sounds, identifier).encode("utf-8")


def _package(book: Book, line: Timeline, sounds: Mapping[int, str], identifier: str) -> str:
    """The package document, which lists the files of the EPUB in reading order."""
    spoken = [chapter for chapter in line.chapters if chapter.sentences]
    durations = [_duration(line, chapter.end - chapter.start, f' refines="#{_stem(chapter)}-o"') for chapter in spoken]
    total = sum(chapter.end - chapter.start for chapter in spoken)
    authors = [f"<dc:creator>{_text(one_line(author))}</dc:creator>" for author in book.authors if one_line(author)]
    metadata = [
        f'<dc:identifier id="id">{identifier}</dc:identifier>',
        f"<dc:title>{_text(one_line(book.title) or '?')}</dc:title>",
        *authors,
        f"<dc:language>{_language(book)}</dc:language>",
        f'<meta property="dcterms:modified">{MODIFIED}</meta>',
        f'<meta property="media:active-class">{ACTIVE_CLASS}</meta>',
        _duration(line, total, ""),
        *durations,
    ]
    chapters = [item for chapter in line.chapters for item in _items(chapter, sounds)]
    items = [
        _item("nav", "nav.xhtml", "application/xhtml+xml", ' properties="nav"'),
        _item("css", "style.css", "text/css"),
    ]
    references = [f'<itemref idref="{_stem(chapter)}"/>' for chapter in line.chapters]
    if book.cover:
        items.append(_item("cover-image", _cover_name(book.cover), book.cover.media_type, ' properties="cover-image"'))
        items.append(_item("cover", "cover.xhtml", "application/xhtml+xml"))
        references.insert(0, '<itemref idref="cover" linear="no"/>')
    parts = [
        f'{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">',
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


def _cover_name(cover: Cover) -> str:
    return f"cover.{_PICTURES[cover.media_type]}"


def _stem(chapter: TimedChapter) -> str:
    return f"c{chapter.chapter.index:05}"


def _title(chapter: TimedChapter) -> str:
    return chapter_title(chapter.chapter.title, chapter.chapter.index)


def _items(chapter: TimedChapter, sounds: Mapping[int, str]) -> list[str]:
    stem = _stem(chapter)
    if not chapter.sentences:
        return [_item(stem, f"{stem}.xhtml", "application/xhtml+xml")]
    sound = sounds[chapter.chapter.index].removeprefix(f"{FOLDER}/")
    return [
        _item(stem, f"{stem}.xhtml", "application/xhtml+xml", f' media-overlay="{stem}-o"'),
        _item(f"{stem}-o", f"{stem}.smil", "application/smil+xml"),
        _item(f"{stem}-s", sound, MEDIA_TYPES[sound.rpartition(".")[2]]),
    ]


def _item(name: str, href: str, media_type: str, more: str = "") -> str:
    return f'<item id="{name}" href="{href}" media-type="{media_type}"{more}/>'


def _duration(line: Timeline, samples: int, refines: str) -> str:
    return f'<meta property="media:duration"{refines}>{clock(samples, line.rate_hz)}</meta>'


def _navigation(book: Book, line: Timeline) -> str:
    entries = "\n".join(
        f'<li><a href="{_stem(chapter)}.xhtml">{_text(_title(chapter))}</a></li>' for chapter in line.chapters
    )
    return _page(book, book.title, f'<nav epub:type="toc"><ol>\n{entries}\n</ol></nav>')


def _page(book: Book, title: str, body: str) -> str:
    language = _language(book)
    return (
        f'{XML}<!DOCTYPE html>\n{_XHTML} lang="{language}" xml:lang="{language}">\n'
        f"<head><title>{_text(one_line(title) or '?')}</title>"
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _paragraphs(chapter: TimedChapter) -> list[list[TimedSentence]]:
    found: list[list[TimedSentence]] = []
    for sentence in chapter.sentences:
        if sentence.spoken.starts_paragraph or not found:
            found.append([])
        found[-1].append(sentence)
    return found


def _paragraph(chapter: TimedChapter, sentences: list[TimedSentence], named: Mapping[tuple[int, int], str]) -> str:
    """A paragraph, or the heading of the chapter if that is what it says."""
    said = " ".join(sentence.spoken.text for sentence in sentences)
    is_heading = sentences[0] is chapter.sentences[0] and _letters(said) == _letters(spoken_heading(_title(chapter)))
    name = "h1" if is_heading else "p"
    spans = (_span(sentence, named.get(sentence.spoken.place, "")) for sentence in sentences)
    return f"<{name}>{' '.join(spans)}</{name}>"


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _span(sentence: TimedSentence, who: str) -> str:
    speaker = f" {SPEAKER}={_attribute(who)}" if who else ""
    return f'<span id="s{sentence.spoken.index}"{speaker}>{_text(sentence.spoken.text)}</span>'


def _overlay(chapter: TimedChapter) -> Overlay:
    clips = [
        Clip(
            chapter.chapter.index,
            f"s{sentence.spoken.index}",
            sentence.start - chapter.start,
            sentence.pause_end - chapter.start,
        )
        for sentence in chapter.sentences
    ]
    return Overlay(f"{FOLDER}/{_stem(chapter)}.xhtml", clips)


def _language(book: Book) -> str:
    tag = book.language.replace("_", "-")
    return tag if _TAG.fullmatch(tag) else "und"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", one_line(text)))
