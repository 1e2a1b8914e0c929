import random
import zlib
from pathlib import Path

import pytest

from voxmatrix.book.kinds import KINDS
from voxmatrix.book.read import read_book
from voxmatrix.book.read.marks import spoken_heading
from voxmatrix.errors import BadInputError

_GUTENBERG = """\ufeffThe Project Gutenberg eBook of A Tale

This ebook is for the use of anyone anywhere.

Title: A Tale of
Author: Ann Author

Language: English

*** START OF THE PROJECT GUTENBERG EBOOK A TALE ***




A TALE

by Ann Author


Contents

 CHAPTER I.     The Start
 CHAPTER II.    The Middle
 CHAPTER III.   The End


CHAPTER I.
The Start

It was a long, long day in the old har-
bour, and nobody came to see what had been
written on the wall.

“Well,” he said.

* * *

CHAPTER II. The Middle

Chapter two of the three was
short.

CHAPTER III
The text follows in the very next line, which is no title because it is much too long for one.

*** END OF THE PROJECT GUTENBERG EBOOK A TALE ***

Licence
"""


def _read(tmp_path, text, name="book.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_book(path)


def _chapters(book):
    return [(chapter.title, list(chapter.paragraphs)) for chapter in book.chapters]


def test_a_book_of_project_gutenberg(tmp_path):
    book = _read(tmp_path, _GUTENBERG)
    assert (book.title, book.authors, book.language) == ("A Tale of", ("Ann Author",), "en")
    assert _chapters(book) == [
        ("A Tale of", ["A TALE", "by Ann Author"]),
        (
            "CHAPTER I. The Start",
            [
                "CHAPTER 1. The Start",
                "It was a long, long day in the old harbour, and nobody came to see what had been written on the wall.",
                "“Well,” he said.",
                "* * *",
            ],
        ),
        ("CHAPTER II. The Middle", ["CHAPTER 2. The Middle", "Chapter two of the three was short."]),
        (
            "CHAPTER III",
            [
                "CHAPTER 3",
                "The text follows in the very next line, which is no title because it is much too long for one.",
            ],
        ),
    ]


@pytest.mark.parametrize(
    "headings",
    [
        ["Kapitel 1", "Kapitel 2: Hem", "Epilog"],
        ["Första kapitlet", "Andra kapitlet", "3:e kapitlet"],
        ["I", "II", "III."],
        ["1", "2.", "3"],
        ["Prologue", "PART ONE", "Chapter Twenty-One – The Sea"],
        ["Chapitre IV", "Глава 2", "Capítulo 12. Fin"],
    ],
)
def test_headings_in_words_and_numbers_are_chapters(headings, tmp_path):
    book = _read(tmp_path, "\n\n".join(f"{heading}\n\nText of the chapter, of course." for heading in headings))
    assert [chapter.title for chapter in book.chapters] == headings
    assert [chapter.paragraphs for chapter in book.chapters] == [
        (spoken_heading(heading), "Text of the chapter, of course.") for heading in headings
    ]


@pytest.mark.parametrize("line", ["I", "12", "Part of it was gone.", "Book a room!", "Mix it.", "Chapter and verse."])
def test_a_line_that_is_no_heading_is_text(line, tmp_path):
    assert _chapters(_read(tmp_path, f"Before.\n\n{line}\n\nAfter.")) == [("book", ["Before.", line, "After."])]


def test_contents_with_blank_lines_are_left_out(tmp_path):
    listed = "\n\n".join(f"Chapter {number}" for number in (1, 2, 3))
    whole = "\n\n".join(f"Chapter {number}\n\nText {number}." for number in (1, 2, 3))
    book = _read(tmp_path, f"A Tale\n\nContents\n\n{listed}\n\n{whole}")
    assert _chapters(book) == [
        ("book", ["A Tale"]),
        *((f"Chapter {number}", [f"Chapter {number}", f"Text {number}."]) for number in (1, 2, 3)),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings(encoding, tmp_path):
    text = "Åsa läser – en bok om “öar”.\r\n\r\nSlut på det."
    assert _chapters(_read(tmp_path, text.encode(encoding))) == [
        ("book", ["Åsa läser – en bok om “öar”.", "Slut på det."])
    ]


def test_lines_that_are_paragraphs(tmp_path):
    text = f"{'Long words here. ' * 20}\n{'More words here. ' * 20}\nEnd."
    assert len(_read(tmp_path, text).chapters[0].paragraphs) == 3


_COUNTED = " ".join(map(str, range(20_000))).encode()


@pytest.mark.parametrize("name", ["book.txt", "book.md", "book.html"])
@pytest.mark.parametrize("text", [b"", b"  \n\n ", b"\x00\x01\x02", b"\xef\xbb\xbf"])
def test_a_file_without_text(name, text, tmp_path):
    with pytest.raises(BadInputError, match="no text"):
        _read(tmp_path, text, name)


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / "book.txt"
    with path.open("wb") as file:
        file.truncate(33 * 2**20)
    with pytest.raises(BadInputError, match="more than 32 MiB"):
        read_book(path)


_BRACKETS = """*** START OF THE PROJECT GUTENBERG EBOOK HILLS ***

[Illustration]

[Illustration: A SHIP AT SEA]

CONTENTS

CHAPTER I. THE HILL
CHAPTER II. THE SEA

CHAPTER I

THE HILL

It was a well-
known day.[1] He saw [Sidenote: The sea.] the
sea [Pg 12] at last.

    All in the golden afternoon
      Full leisurely we glide;

[Footnote 1: A note
with [brackets].]

CHAPTER II

{13}

It was night.

FOOTNOTES:

[1] Another note.

[2] And one more.

THE END

*** END OF THE PROJECT GUTENBERG EBOOK HILLS ***
"""


def test_what_project_gutenberg_writes_in_brackets_is_known(tmp_path):
    book = _read(tmp_path, _BRACKETS)
    assert _chapters(book) == [
        (
            "CHAPTER I: THE HILL",
            [
                "CHAPTER 1",
                "THE HILL",
                "It was a well-known day. He saw the sea at last.",
                "All in the golden afternoon, Full leisurely we glide;",
            ],
        ),
        ("CHAPTER II", ["CHAPTER 2", "It was night.", "THE END"]),
    ]
    assert {part.kind: part.count for part in book.kinds if not part.spoken} == {
        "boilerplate": 2,
        "contents": 2,
        "notes": 5,
        "pictures": 1,
    }

    path = tmp_path / "book.txt"
    whole = [text for chapter in read_book(path, frozenset(KINDS)).chapters for text in chapter.paragraphs]
    for left_out in ("A SHIP AT SEA", "The sea.", "A note with [brackets].", "[2] And one more."):
        assert left_out in whole


_COUNTED = " ".join(map(str, range(20_000))).encode()


@pytest.mark.parametrize("name", ["book.txt", "book.md", "book.html"])
@pytest.mark.parametrize(
    "data", [random.Random(1).randbytes(20_000), zlib.compress(bytes(range(256)) * 9 + _COUNTED), b"\0" * 99]
)
def test_a_file_that_is_no_text_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BadInputError, match=r"is not a text|no text"):
        read_book(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_text_in_any_encoding_is_read_even_with_a_few_control_characters(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(("Smörgås, said he.\n\x0cIt was far away, and the sea was wide. " * 20 + "\x07").encode(encoding))
    assert "Smörgås, said he." in read_book(path).chapters[0].paragraphs[0]


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.txt", "Había una vez un barco que no sabía navegar.", "es"),
        ("a.md", "# Båten\n\nDet var en gång en båt som inte kunde segla.", "sv"),
        ("a.html", '<html lang="fr"><body><p>There was a boat that could not sail.</p></body></html>', "fr"),
        ("a.txt", "Lorem 12 xyz.", ""),
    ],
)
def test_a_book_that_names_no_language_is_in_that_of_its_words(
    tmp_path: Path, name: str, text: str, language: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_book(tmp_path / name).language == language
