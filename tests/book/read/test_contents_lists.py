"""Tables of contents that only their lines show: links to places of the book, or the pages of its titles."""

import pytest

from tests.book.epubs import epub
from voxmatrix.book.read import read_book

_TITLES = ("Papa se fâche", "La visite", "Le premier jour")


def _read(tmp_path, body, name="book.html"):
    path = tmp_path / name
    path.write_bytes(epub({"a.xhtml": body}) if name.endswith("epub") else f"<html><body>{body}</body></html>".encode())
    return read_book(path)


def _texts(book):
    return [text for chapter in book.chapters for text in chapter.paragraphs]


def _chapters():
    return "".join(f'<h2 id="c{number}">{title}</h2><p>Texte.</p>' for number, title in enumerate(_TITLES))


def _lines(line):
    return "".join(line.format(number=number, title=title) for number, title in enumerate(_TITLES))


@pytest.mark.parametrize("name", ["book.html", "book.epub"])
@pytest.mark.parametrize(
    "listed",
    [
        "<table>" + _lines('<tr><td><a href="#c{number}">{number}</a>.</td><td>{title}</td></tr>') + "</table>",
        "<ul>" + _lines('<li><a href="#c{number}">{title}</a></li>') + "</ul>",
        "<ol>" + _lines('<li>{title}, <a href="#c{number}">1{number}</a></li>') + "</ol>",
        "<div>" + _lines('<p><a href="#c{number}">{title}</a>: en ville</p>') + "</div>",
        "<table><tr><td>Bladz.</td></tr>" + _lines("<tr><td>{title}</td><td>1{number}</td></tr>") + "</table>",
        _lines("<p>{number}. {title} ..... 1{number}</p>"),
        "<pre>" + _lines("{number}. {title}      1{number}\n") + "</pre>",
        "<p>" + _lines("{number}. {title} ... 1{number}<br/>") + "</p>",
    ],
)
def test_a_list_of_places_is_contents_with_its_title(name, listed, tmp_path):
    book = _read(tmp_path, f"<h2>Klapper</h2>{listed}{_chapters()}", name)
    assert _texts(book) == [text for title in _TITLES for text in (title, "Texte.")]
    assert [part.kind for part in book.kinds if not part.spoken] == ["contents"]


@pytest.mark.parametrize(
    "text",
    [
        '<ul><li><a href="http://a.org/">One</a></li><li><a href="http://b.org/">Two</a></li></ul>',
        '<p id="a">A</p><p id="b">B</p><ol><li><a href="#a">1</a> See A.</li><li><a href="#b">2</a> Ibid.</li></ol>',
        "<table><tr><td>Figs<td>3<tr><td>Pears<td>5<tr><td>Plums<td>7</table>",
        "<p>Chapter 1</p><p>Chapter 2</p><p>Chapter 3</p>",
        "<p>He was born in 1850</p><p>He died in 1901</p><p>She came in 1920</p>",
    ],
)
def test_other_lists_are_read(text, tmp_path):
    book = _read(tmp_path, f"<h2>One</h2>{text}<h2>Chapter</h2><p>Text.</p>")
    assert not [part for part in book.kinds if part.kind == "contents"]


def test_the_title_of_the_book_above_its_contents_is_read(tmp_path):
    listed = "<ul>" + _lines('<li><a href="#c{number}">{title}</a></li>') + "</ul>"
    texts = _texts(_read(tmp_path, f"<h1>Le Livre</h1><p>par A. Auteur</p>{listed}{_chapters()}"))
    assert texts[:3] == ["Le Livre", "par A. Auteur", _TITLES[0]]


def test_contents_with_pages_of_a_text(tmp_path):
    path = tmp_path / "book.txt"
    listed = "".join(f"{title.ljust(40)}{number * 8 + 1}.\n" for number, title in enumerate(_TITLES))
    text = "\n\n".join(("I 4", "II 14", "III 30", "I", "It rained.", "II", "It snowed.", "III", "The end."))
    path.write_text(f"INHOUD.\n\n                     Bladz.\n{listed}\n\n{text}")
    assert [chapter.title for chapter in read_book(path).chapters] == ["I", "II", "III"]


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Inhoud</h1>{_lines('<p>{title}</p>')}{_chapters()}",
        f"{_chapters()}<p>Table of Contents</p><p>{_TITLES[1]}</p>",
    ],
)
def test_a_list_of_titles_below_its_title_is_contents(body, tmp_path):
    assert _texts(_read(tmp_path, body)) == [text for title in _TITLES for text in (title, "Texte.")]


def test_what_is_below_a_title_of_contents_and_no_title_is_read(tmp_path):
    body = f"{_chapters()}<h2>Contents</h2><p>A box, a cat.</p>"
    assert _texts(_read(tmp_path, body))[-1] == "A box, a cat."
