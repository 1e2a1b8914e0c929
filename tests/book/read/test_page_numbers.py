"""Page numbers that a conversion left between the paragraphs are left out; numbers of chapters stay."""

import pytest

from voxmatrix.book.kinds import KINDS
from voxmatrix.book.read import read_book

_PAGE = "The wind blew over the hills and nobody came to see it that day. " * 20


def _texts(tmp_path, paragraphs, name="book.txt", kinds=None):
    path = tmp_path / name
    if name.endswith(".txt"):
        path.write_text("\n\n".join(paragraphs))
    else:
        tags = ((("h2" if text.startswith("CHAPTER") else "p"), text) for text in paragraphs)
        path.write_text(f"<html><body>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in tags)}</body></html>")
    book = read_book(path, kinds) if kinds else read_book(path)
    return [text for chapter in book.chapters for text in chapter.paragraphs]


@pytest.mark.parametrize("name", ["book.txt", "book.html"])
@pytest.mark.parametrize("form", ["[{}]", "- {} -", "Page {} of 300", "Seite {}", "{} | Page", "p. {}"])
def test_numbers_of_pages_are_left_out(form, name, tmp_path):
    pages = [text for number in range(12, 16) for text in ("A page.", form.format(number))]
    assert _texts(tmp_path, pages, name) == ["A page."] * 4
    assert form.format(13) in _texts(tmp_path, pages, name, frozenset(KINDS))


@pytest.mark.parametrize("name", ["book.txt", "book.html"])
def test_bare_numbers_between_headings_are_those_of_pages(name, tmp_path):
    chapters = [("CHAPTER I", "A.", "11", "B.", "12", "C."), ("CHAPTER II", "D.", "13", "E.", "14", "F.")]
    third = ("CHAPTER III", "G.", "15", "H.", "16", "I.")
    texts = _texts(tmp_path, [text for chapter in (*chapters, third) for text in chapter], name)
    assert [text for text in texts if not text.startswith("CHAPTER")] == [f"{letter}." for letter in "ABCDEFGHI"]


def test_bare_numbers_within_sentences_are_left_out_and_the_sentences_joined(tmp_path):
    lines = (
        "Labelled orange",
        "11",
        "marmalade.",
        "It was empty.",
        "12",
        "She put it on a cup-",
        "13",
        "board.",
        "14",
        "End.",
    )
    assert _texts(tmp_path, lines) == [
        "Labelled orange marmalade.",
        "It was empty.",
        "She put it on a cupboard.",
        "End.",
    ]


@pytest.mark.parametrize("name", ["book.txt", "book.html"])
def test_bare_numbers_of_pages_of_one_length_are_left_out(name, tmp_path):
    pages = [text for number in range(1, 13) for text in (_PAGE, str(number))]
    assert not {str(number) for number in range(1, 13)} & set(_texts(tmp_path, pages, name))


@pytest.mark.parametrize("name", ["book.txt", "book.html"])
@pytest.mark.parametrize(
    "chapters",
    [
        [text for number in range(1, 13) for text in (str(number), _PAGE)],
        [text for number in range(21, 28) for text in (str(number), _PAGE * number)],
        ["CHAPTER I", "1", _PAGE, "2", _PAGE, "CHAPTER II", "3", _PAGE, "4", _PAGE],
        ["He counted.", "1", "3", "2", "Nothing."],
    ],
)
def test_numbers_of_chapters_stay(chapters, name, tmp_path):
    numbers = [text for text in chapters if text.isdigit()]
    assert [text for text in _texts(tmp_path, chapters, name) if text.isdigit()] == numbers
