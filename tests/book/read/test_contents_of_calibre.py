"""EPUBs that Calibre made of files without contents: one line, a few of the headings, or numbers of pages in titles."""

import pytest

from tests.book.epubs import epub
from voxmatrix.book.read import read_book

_TEXT = "<p>" + "The wind blew over the hills and nobody came. " * 80 + "</p>"


def _read(tmp_path, body, *lines, **parts):
    path = tmp_path / "book.epub"
    path.write_bytes(epub({"a.xhtml": body}, lines, 2, **parts))
    return read_book(path)


def _titles(book):
    return [chapter.title for chapter in book.chapters]


def test_one_line_of_contents_is_none(tmp_path):
    book = _read(tmp_path, f"<h2>The hill</h2>{_TEXT}<h2>The sea</h2>{_TEXT}", ("Start", "a.xhtml"))
    assert _titles(book) == ["The hill", "The sea"]
    assert not book.findings


def test_paragraphs_are_headings_where_there_are_none(tmp_path):
    body = f"<p>A saying.</p><p>CHAPTER I</p>{_TEXT}<p>CHAPTER II</p>{_TEXT}"
    assert _titles(_read(tmp_path, body, ("Start", "a.xhtml"))) == ["A Book", "CHAPTER I", "CHAPTER II"]


@pytest.mark.parametrize(
    ("text", "title", "chapters"),
    [(_TEXT, "The {}th hill", 9), ("<p>Short.</p>", "The {}th hill", 2), (_TEXT, "{}", 2)],
)
def test_contents_of_few_chapters_are_not_believed(text, title, chapters, tmp_path):
    body = "".join(f'<h2 id="c{number}">{title.format(number)}</h2>{text}' for number in range(1, 10))
    book = _read(tmp_path, body, ("One", "a.xhtml#c1"), ("Five", "a.xhtml#c5"))
    assert len(book.chapters) == chapters
    assert len(book.findings) == (chapters == 9)


def test_titles_of_the_contents_have_no_page_number_and_more_than_a_number(tmp_path):
    body = f'<h2 id="a">The hill</h2>{_TEXT}<h2 id="b">II. The sea</h2>{_TEXT}'
    book = _read(tmp_path, body, ("The hill 4", "a.xhtml#a"), ("II", "a.xhtml#b"))
    assert _titles(book) == ["The hill", "II. The sea"]


def test_an_unknown_author_is_none(tmp_path):
    metadata = "<dc:title>A Book</dc:title><dc:creator>Unknown</dc:creator><dc:language>en</dc:language>"
    assert _read(tmp_path, _TEXT, ("Start", "a.xhtml"), metadata=metadata).authors == ()


def test_the_header_of_project_gutenberg_knows_title_author_and_language(tmp_path):
    header = (
        "<p>The Project Gutenberg eBook of Emma</p><p>Title: Emma</p><p>Author: Jane Austen</p><p>Language: French</p>"
        "<p>*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***</p>"
    )
    metadata = "<dc:title>Emma, by Jane Austen</dc:title><dc:creator>Unknown</dc:creator><dc:language>en</dc:language>"
    book = _read(tmp_path, header + _TEXT, ("Start", "a.xhtml"), metadata=metadata)
    assert (book.title, book.authors, book.language) == ("Emma", ("Jane Austen",), "fr")
