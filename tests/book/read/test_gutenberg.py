"""What Project Gutenberg puts around a book is left out in every format, and a book about it loses nothing."""

import pytest

from tests.book.epubs import epub
from voxmatrix.book.kinds import KINDS
from voxmatrix.book.read import read_book
from voxmatrix.book.read.gutenberg import title_and_author

_HEADER = (
    "The Project Gutenberg eBook of Emma",
    "This ebook is for the use of anyone anywhere in the United States.",
    "Title: Emma",
    "Author: Jane Austen",
    "Language: English",
    "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***",
    "Produced by An Anonymous Volunteer",
)
_FOOTER = (
    "End of the Project Gutenberg EBook of Emma, by Jane Austen",
    "*** END OF THIS PROJECT GUTENBERG EBOOK EMMA ***",
    "Updated editions will replace the previous one.",
    "THE FULL PROJECT GUTENBERG LICENSE",
    "Section 1. General Terms of Use",
)
_CHAPTERS = ("CHAPTER I", "She was clever, and rich.", "CHAPTER II", "He was neither.")
_ABOUT = (
    "CHAPTER I",
    "A file of Project Gutenberg's begins with these lines:",
    *_HEADER,
    "and it ends like this:",
    *_FOOTER,
    "CHAPTER II",
    "Nobody reads them. " * 4000,
)


def _html(paragraphs):
    tags = {True: "h2", False: "p"}
    return "".join(f"<{(tag := tags[text.startswith('CHAPTER')])}>{text}</{tag}>" for text in paragraphs)


def _written(name, paragraphs, tmp_path):
    path = tmp_path / name
    if name.endswith(".epub"):
        path.write_bytes(epub({"a.xhtml": _html(paragraphs)}))
    elif name.endswith(".html"):
        path.write_text(f"<html><head><title>{paragraphs[0]}</title></head><body>{_html(paragraphs)}</body></html>")
    else:
        path.write_text("\n\n".join(paragraphs).replace("CHAPTER", "## CHAPTER" if name.endswith(".md") else "CHAPTER"))
    return path


def _texts(book):
    return [text for chapter in book.chapters for text in chapter.paragraphs]


@pytest.mark.parametrize("name", ["book.txt", "book.html", "book.epub", "book.md"])
def test_header_and_licence_are_left_out(name, tmp_path):
    path = _written(name, (*_HEADER, *_CHAPTERS, *_FOOTER), tmp_path)
    book = read_book(path)
    assert _texts(book) == ["CHAPTER 1", "She was clever, and rich.", "CHAPTER 2", "He was neither."]
    assert [(part.kind, part.count) for part in book.kinds if not part.spoken] == [("boilerplate", 12)]
    if not name.endswith(".epub"):
        assert (book.title, book.authors) == ("Emma", ("Jane Austen",))
    assert "Section 1. General Terms of Use" in _texts(read_book(path, frozenset(KINDS)))


@pytest.mark.parametrize("name", ["book.txt", "book.html", "book.epub"])
def test_a_book_about_project_gutenberg_loses_nothing(name, tmp_path):
    book = read_book(_written(name, _ABOUT, tmp_path))
    assert len(_texts(book)) == len(_ABOUT)
    assert not [part for part in book.kinds if part.kind == "boilerplate"]


@pytest.mark.parametrize("name", ["book.html", "book.epub"])
def test_elements_that_are_marked_are_left_out(name, tmp_path):
    marked = '<section class="pg-boilerplate"><p>About Project Gutenberg</p></section><div id="pg-header">A page</div>'
    path = tmp_path / name
    text = f"<h2>One</h2><p>Text.</p>{marked}"
    path.write_bytes(epub({"a.xhtml": text}) if name.endswith("epub") else f"<html><body>{text}</body></html>".encode())
    assert _texts(read_book(path)) == ["One", "Text.", "A page"]


def test_the_small_print_of_the_oldest_files_is_left_out(tmp_path):
    lines = (
        "***This is the Project Gutenberg Etext of Emma***",
        "We would prefer to send you this information by email.",
        "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        *_CHAPTERS,
        "End of The Project Gutenberg Etext of Emma",
    )
    assert _texts(read_book(_written("emma.txt", lines, tmp_path)))[0] == "CHAPTER 1"
    assert _texts(read_book(_written("emma.txt", lines, tmp_path)))[-1] == "He was neither."


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("The Project Gutenberg eBook of Entre nous – Lectures, by Lucie Vos", ("Entre nous – Lectures", "Lucie Vos")),
        ("The Project Gutenberg eBook of Stand by Me, by A. Writer.", ("Stand by Me", "A. Writer")),
        ("Ontboezemingen by Gabriël, a Project Gutenberg eBook", ("Ontboezemingen", "Gabriël")),
        ("Die Verwandlung | Project Gutenberg", ("Die Verwandlung", "")),
        ("The Project Gutenberg Story", ("The Project Gutenberg Story", "")),
        ("Project Gutenberg's First Years", ("Project Gutenberg's First Years", "")),
    ],
)
def test_titles(title, parts):
    assert title_and_author(title) == parts
