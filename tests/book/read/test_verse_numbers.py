"""Numbers of verses are read, and can be left out."""

import pytest

from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import read_book

_WITHOUT = SPOKEN_KINDS - {"verse-numbers"}


def _book(tmp_path, text, name, kinds):
    path = tmp_path / name
    path.write_text(text)
    return read_book(path, kinds)


def _texts(book):
    return [text for chapter in book.chapters for text in chapter.paragraphs]


@pytest.mark.parametrize("form", ["{}:{}", "[{}:{}]", "{:02}:{:03}"])
@pytest.mark.parametrize("name", ["ruth.txt", "ruth.html"])
def test_verses_of_chapters(form, name, tmp_path):
    verses = [form.format(chapter, verse) for chapter, verse in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2))]
    lines = [f"{verse} And it came to pass." for verse in verses]
    text = "\n\n".join(lines) if name.endswith("txt") else "".join(f"<p>{line}</p>" for line in lines)
    read = _book(tmp_path, text, name, SPOKEN_KINDS)
    assert _texts(read) == lines
    assert [(part.kind, part.count, part.spoken) for part in read.kinds] == [("verse-numbers", 5, True)]
    assert _texts(_book(tmp_path, text, name, _WITHOUT)) == ["And it came to pass."] * 5


@pytest.mark.parametrize("number", ["<sup>{}</sup>", '<span class="verse-num">{}</span>'])
def test_verses_within_a_paragraph(number, tmp_path):
    text = "<p>" + " ".join(f"{number.format(verse)}And so it was." for verse in range(1, 5)) + "</p>"
    assert _texts(_book(tmp_path, text, "a.html", SPOKEN_KINDS)) == [
        "1 And so it was. 2 And so it was. 3 And so it was. 4 And so it was."
    ]
    assert _texts(_book(tmp_path, text, "a.html", _WITHOUT)) == [" ".join(["And so it was."] * 4)]


def test_times_of_the_day_are_no_verses(tmp_path):
    text = "\n\n".join(f"{time} The train left." for time in ("7:15", "8:40", "9:05", "10:15", "12:00"))
    book = _book(tmp_path, text, "log.txt", _WITHOUT)
    assert _texts(book)[0] == "7:15 The train left."
    assert book.kinds == ()
