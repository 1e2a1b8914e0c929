"""PDF: what stands where on its pages becomes paragraphs, headings and notes. A PDF does not say what they are."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.epub_metadata import known_authors
from voxmatrix.book.read.gutenberg import marks_divided
from voxmatrix.book.read.marks import joined_lines
from voxmatrix.book.read.markup import tidy
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.pdf.document import Content, Page, read_content
from voxmatrix.book.read.pdf.furniture import without_furniture
from voxmatrix.book.read.pdf.lines import columns_of, text_of
from voxmatrix.book.read.pdf.paragraphs import NUMBERED, Block, blocks_of
from voxmatrix.book.read.pdf.places import Placed, chapters_of
from voxmatrix.book.read.pdf.style import body_size, style_of
from voxmatrix.book.read.pdf.words import Words
from voxmatrix.book.read.recognition import recognise_parts
from voxmatrix.book.read.text_file import no_text
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.wording import pluralise

#: Names of files that programs write as titles.
_NO_TITLE = re.compile(r"(?i)untitled.*|microsoft word.*|.*\.(?:docx?|tex|dvi|pdf|indd|qxd|rtf|odt|ps|html?)|\W*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
#: What fonts have that do not say which letters their signs are.
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
_MOST_UNREADABLE = 0.2
_BULLET = re.compile("[\u2022\u2023\u25aa\u25cf\u25e6\u2043]\\s+(?=\\S)")
_PAGES_NAMED = 12
_MAX_TITLE_PAGE = 400
_OCR = "ocrmypdf in.pdf out.pdf"
_GUESSED = Finding(
    problem="a PDF does not say what its lines are: paragraphs, headings, notes and running heads are guessed",
    remedy="check the text: voxmatrix book inspect BOOK",
    severity="warning",
)


def read_pdf(path: Path, kinds: Collection[str]) -> Book:
    """Read a PDF that has text: its chapters are its bookmarks, or else its largest headings.

    Raises:
        BadInputError: it has no text, is locked, is damaged or too large.
        MissingProgramError: pypdfium2 is not installed.
    """
    content = read_content(path)
    findings = [_GUESSED, *_check_pages(path, content.pages)]
    placed = _placed(content.pages)
    header = recognise_parts([Document("", passages=[one.passage for one in placed])])
    said = "" if _NO_TITLE.fullmatch(content.title) else content.title
    title = said or header.title or _on_first_page(placed) or path.stem
    authors = known_authors(map(tidy, (content.author or header.author).split(";")))
    chapters, parts, more = chapters_of(placed, content.bookmarks, title, authors, kinds)
    if not chapters:
        raise no_text(path)
    return Book(
        title,
        authors,
        _language(content) or header.language,
        None,
        chapters,
        tuple(dict.fromkeys([*findings, *more])),
        parts,
    )


def _on_first_page(placed: Sequence[Placed]) -> str:
    """The heading on the first page, if that is a title page."""
    first = [one.passage for one in placed if one.page == placed[0].page]
    is_title_page = first and first[0].level and sum(len(passage.text) for passage in first) <= _MAX_TITLE_PAGE
    return first[0].text if is_title_page else ""


def _language(content: Content) -> str:
    return content.language if _LANGUAGE.fullmatch(content.language) else ""


def _check_pages(path: Path, pages: Sequence[Page]) -> Iterator[Finding]:
    """The warnings about pages that cannot be read.

    Raises:
        BadInputError: no page can be.
    """
    scanned = [page.number for page in pages if page.scanned]
    text = "".join(run.text for page in pages for run in page.runs)
    if not text and scanned:
        raise BadInputError(f"{path} has no text: its pages are pictures", f"recognise their text first: {_OCR}")
    if len(_UNREADABLE.findall(text)) > _MOST_UNREADABLE * len(text):
        problem = f"{path} cannot be read: its fonts do not say which letters their signs are"
        raise BadInputError(problem, "recognise the text from the picture: ocrmypdf --force-ocr in.pdf out.pdf")
    if scanned:
        problem = f"{_named(scanned)} without text: only pictures, which are left out"
        yield Finding(problem=problem, remedy=f"if there is text in them: {_OCR}", severity="warning")
    if damaged := [page.number for page in pages if page.damaged]:
        problem = f"{_named(damaged)} cannot be read, and left out"
        yield Finding(problem=problem, remedy="repair the file: qpdf in.pdf out.pdf", severity="warning")


def _named(pages: Sequence[int]) -> str:
    """`2 pages (3, 7)`, `4 pages (3, 7 to 9)`."""
    groups = [[page for _, page in group] for _, group in groupby(enumerate(pages), key=lambda pair: pair[1] - pair[0])]
    ranges = [str(group[0]) if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups]
    more = ", \u2026" if len(ranges) > _PAGES_NAMED else ""
    return f"{pluralise(len(pages), 'page')} ({', '.join(ranges[:_PAGES_NAMED])}{more})"


def _placed(pages: Sequence[Page]) -> list[Placed]:
    """The passages of a book, in reading order."""
    size = body_size(pages)
    pages = without_furniture(pages, size)
    columns = columns_of(pages, size)
    style = style_of(columns, size)
    words = Words(line for column in columns for line in column.lines)
    found: list[Placed] = []
    for block in blocks_of(columns, style):
        text = _text(block, words)
        if not any(map(str.isalnum, text)):
            continue
        last = found[-1] if found else None
        first = block.lines[0]
        if last is not None and block.level and _is_number(last, first.page):
            last.passage.text = joined_lines((last.passage.text, text), heading=True)
            last.passage.level = min(last.passage.level, block.level)
            continue
        kinds = (block.kind,) if block.kind and not block.level else ()
        found += (
            Placed(Passage(part, block.level, None, kinds), first.page, first.base - first.size)
            for part in marks_divided(text)
        )
    return found


def _is_number(placed: Placed, page: int) -> bool:
    """Whether a heading is only a number, to which the next heading belongs."""
    return placed.page == page and placed.passage.level > 0 and NUMBERED.fullmatch(placed.passage.text) is not None


def _text(block: Block, words: Words) -> str:
    if block.kind != "tables":
        return _BULLET.sub("", tidy(words.text(block.lines)), count=1)
    line = block.lines[0]
    cells = [text_of(cell, line.size, line.base) for cell in line.cells()]
    mark = ": " if len(cells) == 2 else ", "
    return tidy(mark.join(filter(None, cells)))
