"""Markdown and HTML."""

import pytest

from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import read_book
from voxmatrix.errors import BadInputError

_MARKDOWN = """---
title: "The Title"
author: Ann Author
lang: sv
---
Before.

# One

Text *with* **marks**[^1] and
a [link](http://example.org).

- Item
- Item

[^1]: A note
    that goes on.

| A | B |
|---|---|
| 1 | 2 |

## Section

![A fox](fox.png)

Two
===

`code` & <b>html</b>. See [^long].

[^long]: Another note.
"""


def _book(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_book(path, **options)


def _chapters(book):
    return [(chapter.title, list(chapter.paragraphs)) for chapter in book.chapters]


def test_markdown(tmp_path):
    book = _book(tmp_path, "book.md", _MARKDOWN)
    assert (book.title, book.authors, book.language) == ("The Title", ("Ann Author",), "sv")
    assert _chapters(book) == [
        ("The Title", ["Before."]),
        ("One", ["One", "Text with marks and a link.", "Item", "Item", "A, B", "1, 2", "Section"]),
        ("Two", ["Two", "code & html. See."]),
    ]


def test_markdown_with_its_notes(tmp_path):
    texts = [
        text
        for _, texts in _chapters(_book(tmp_path, "book.md", _MARKDOWN, kinds=SPOKEN_KINDS | {"notes"}))
        for text in texts
    ]
    assert "Another note." in texts
    assert any(text.startswith("A note") for text in texts)


def test_the_only_heading_of_the_first_level_is_the_title_of_a_markdown_book(tmp_path):
    book = _book(tmp_path, "x.markdown", "# My Book\n\nHello.\n\n## One\n\nText.\n\n## Two\n\nText.")
    assert book.title == "My Book"
    assert [chapter.title for chapter in book.chapters] == ["My Book", "One", "Two"]


def test_html(tmp_path):
    book = _book(
        tmp_path,
        "book.html",
        "<!DOCTYPE html><html lang=sv><head><title>Boken</title><meta name=author content='Åsa'></head>"
        "<body><nav>Meny</nav><p>Intro.<h1>Ett</h1><p>Text<br>till.<h2>Del</h2>bar text<h1>Två</h1>"
        "<table><tr><td>a<td>b</table>",
    )
    assert (book.title, book.authors, book.language, book.cover) == ("Boken", ("Åsa",), "sv", None)
    assert _chapters(book) == [
        ("Boken", ["Intro."]),
        ("Ett", ["Ett", "Text till.", "Del", "bar text"]),
        ("Två", ["Två", "a: b"]),
    ]


def test_html_without_headings_is_one_chapter(tmp_path):
    assert _chapters(_book(tmp_path, "page.htm", "Just text &amp; more")) == [("page", ["Just text & more"])]


@pytest.mark.parametrize("name", ["book.html", "book.md"])
def test_hostile_html_is_refused(name, tmp_path):
    with pytest.raises(BadInputError, match="nested"):
        _book(tmp_path, name, "<div>" * 5000 + "deep")
