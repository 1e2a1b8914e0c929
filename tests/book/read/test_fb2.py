"""FictionBook 2, without Calibre."""

import base64

import pytest

from tests.book.epubs import PIXEL
from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import read_book
from voxmatrix.errors import BadInputError

_BOOK = f"""<?xml version="1.0" encoding="utf-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><genre>prose</genre><author><first-name>Anna</first-name><last-name>Petrova</last-name></author>
<book-title>Море</book-title><annotation><p>О море.</p></annotation><lang>ru</lang>
<coverpage><image l:href="#c.png"/></coverpage><sequence name="Saga" number="2"/></title-info>
<publish-info><publisher>House</publisher><year>1999</year></publish-info></description>
<body><title><p>Море</p></title><epigraph><p>Тихо.</p></epigraph>
<section><title><p>Часть первая</p></title>
<section><title><p>Глава 1</p><p>Дом</p></title><p>Он пришёл<a l:href="#n1" type="note">[1]</a> домой.</p>
<poem><stanza><v>Белеет парус</v><v>одинокий</v></stanza></poem></section>
<section><title><p>Глава 2</p></title><p>Была <emphasis>ночь</emphasis>.</p></section></section>
<section><title><p>Часть вторая</p></title>
<section><title><p>Глава 3</p></title><p>Утро.</p><empty-line/><subtitle>* * *</subtitle></section></section></body>
<body name="notes"><title><p>Сноски</p></title><section id="n1"><title><p>1</p></title><p>Пешком.</p></section></body>
<binary id="c.png" content-type="image/png">{base64.b64encode(PIXEL).decode()}</binary></FictionBook>"""


def _read(tmp_path, data=_BOOK, **options):
    path = tmp_path / "book.fb2"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_book(path, **options)


def test_its_sections_are_parts_and_chapters(tmp_path):
    book = _read(tmp_path)
    assert [(chapter.title, chapter.paragraphs[-1]) for chapter in book.chapters] == [
        ("Море", "Тихо."),
        ("Часть первая: Глава 1: Дом", "Белеет парус одинокий"),
        ("Глава 2", "Была ночь."),
        ("Часть вторая: Глава 3", "* * *"),
    ]
    assert "Он пришёл домой." in book.chapters[1].paragraphs


def test_notes_and_annotation_are_notes(tmp_path):
    assert [(part.kind, part.count) for part in _read(tmp_path).kinds if not part.spoken] == [("notes", 4)]
    with_notes = _read(tmp_path, kinds=SPOKEN_KINDS | {"notes"})
    texts = [text for chapter in with_notes.chapters for text in chapter.paragraphs]
    assert {"О море.", "Пешком."} <= set(texts)


def test_what_it_says_of_the_book(tmp_path):
    book = _read(tmp_path)
    assert (book.title, book.authors, book.language) == ("Море", ("Anna Petrova",), "ru")
    assert (book.about.series, book.about.series_index, book.about.publisher) == ("Saga", "2", "House")
    assert (book.about.date, book.about.description) == ("1999", "О море.")
    assert book.cover is not None
    assert (book.cover.media_type, book.cover.data) == ("image/png", PIXEL)


def test_another_encoding(tmp_path):
    book = _read(tmp_path, _BOOK.replace('encoding="utf-8"', 'encoding="windows-1251"').encode("cp1251"))
    assert book.title == "Море"


@pytest.mark.parametrize("data", ["<html><body>Text</body></html>", "", "Text", "<FictionBook/>"])
def test_what_is_no_fb2_or_has_no_text_is_refused(data, tmp_path):
    with pytest.raises(BadInputError):
        _read(tmp_path, data)


def test_a_title_with_an_empty_line_is_one_heading(tmp_path):
    book = _read(tmp_path, _BOOK.replace("<p>Глава 1</p><p>Дом</p>", "<p>Глава 1</p><empty-line/><p>Дом</p>"))
    assert book.chapters[1].title == "Часть первая: Глава 1: Дом"


@pytest.mark.parametrize("name", ["c.png", "other.png"])
def test_a_picture_of_11_mib_does_not_keep_the_book_from_being_read(name, tmp_path):
    picture = f'<binary id="{name}" content-type="image/png">{"A" * (11 << 20)}</binary>'
    small = _BOOK.index("<binary")
    book = _read(tmp_path, _BOOK[:small] + picture + (_BOOK[small:] if name != "c.png" else "</FictionBook>"))
    assert len(book.chapters) == 4
    assert (book.cover is None) == (name == "c.png")
