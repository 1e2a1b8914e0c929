"""Text in pieces: whole sentences go on at once, half ones wait."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.errors import BadInputError
from voxmatrix.speak.text_chunks import MAX_PENDING, complete_texts, paragraphs, read_text


def joined(texts: list[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts]


def test_a_sentence_goes_on_when_its_line_ends() -> None:
    asked: list[str] = []

    def lines() -> Iterator[str]:
        for line in ("Good morning.\n", "How are\n", "you? I am\n", "fine.\n"):
            asked.append(line)
            yield line

    texts = complete_texts(lines(), "en")

    assert next(texts).strip() == "Good morning." and len(asked) == 1
    assert next(texts).split() == ["How", "are", "you?"] and len(asked) == 3
    assert next(texts).split() == ["I", "am", "fine."]
    assert list(texts) == []


def test_a_line_that_ends_in_an_abbreviation_waits_for_its_name() -> None:
    assert joined(list(complete_texts(["I met Dr.\n", "Smith today.\n"], "en"))) == ["I met Dr. Smith today."]


def test_a_number_cut_in_two_is_not_a_sentence() -> None:
    assert joined(list(complete_texts(["It costs 3.", "50 euros.\n"], "en"))) == ["It costs 3.50 euros."]


def test_a_blank_line_ends_a_heading() -> None:
    texts = complete_texts(iter(["Chapter one\n", "\n", "It was late"]), "en")

    assert next(texts).strip() == "Chapter one"
    assert next(texts).strip() == "It was late"


def test_a_text_that_never_ends_is_not_held_for_ever() -> None:
    texts = complete_texts(("word " * 1000 for _ in range(40)), "en")

    assert len(next(texts)) < 3 * MAX_PENDING
    assert len(next(complete_texts(("x" * 5000 for _ in range(40)), "en"))) < 2 * MAX_PENDING


@pytest.mark.parametrize("line", ["a line without a full stop\n", "not even a line end", "I met Dr.\n"])
def test_half_a_second_of_silence_completes_a_sentence(line: str) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as file:
        texts = complete_texts(read_text(file), "en")
        os.write(write, line.encode())
        assert next(texts).strip() == line.strip()
        os.write(write, b"And the\nnext one.\n")
        assert next(texts).split() == ["And", "the", "next", "one."]
        os.close(write)
        assert list(texts) == []


def test_nothing_is_nothing() -> None:
    assert list(complete_texts([], "en")) == [] == list(complete_texts(["", "\n", "  \n\n"], "en"))
    assert list(paragraphs(" \n\n \n")) == []


def test_paragraphs_are_parted_at_blank_lines() -> None:
    assert list(paragraphs("A.\nB.\n\n\n  C.\n \n")) == ["A.\nB.\n\n\n  ", "C.\n \n"]
    assert list(paragraphs("\n\nA.")) == ["\n\nA."]


@settings(max_examples=examples(60))
@given(st.lists(st.text(alphabet="ab .!?\n。,Dr1é", max_size=12), max_size=12), st.sampled_from(["en", "sv", "ja"]))
def test_no_letter_is_lost_or_added_however_the_text_is_cut(chunks: list[str], language: str) -> None:
    out = "".join(complete_texts(chunks, language))

    assert out.split() == "".join(chunks).split() or "".join(out.split()) == "".join("".join(chunks).split())


def test_a_pipe_is_read_as_it_comes() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as file:
        text = read_text(file)
        os.write(write, "Håll".encode()[:2])
        assert next(text) == "H"
        os.write(write, "Håll".encode()[2:] + b"!")
        assert next(text) == "åll!"
        os.close(write)
        assert "".join(text) == ""


@pytest.mark.parametrize("content", [b"caf\xe9 and more", b"\xffh\x00", "å".encode()[:1]])
def test_what_is_not_utf8_is_refused_with_the_place(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.txt").write_bytes(content)

    with (tmp_path / "t.txt").open("rb") as file, pytest.raises(BadInputError, match="byte") as caught:
        list(read_text(file))

    assert "iconv" in caught.value.remedy


@pytest.mark.parametrize(
    ("content", "is_what"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        (b"PK\x03\x04\x14\x00mimetypeapplication/epub+zip", "EPUB"),
        (b"{\\rtf1\\ansi Hello}", "RTF"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00", "binary"),
    ],
)
def test_what_is_no_text_is_not_called_a_text_in_another_encoding(tmp_path: Path, content: bytes, is_what: str) -> None:
    (tmp_path / "a.bin").write_bytes(content)

    with (tmp_path / "a.bin").open("rb") as file, pytest.raises(BadInputError, match=is_what) as caught:
        list(read_text(file))

    assert "voxmatrix book" in caught.value.remedy and "iconv" not in caught.value.remedy


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_with_its_mark_is_read_as_in_batches(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.txt").write_text("Hej då." if encoding == "utf-16" else "\ufeffHej då.", encoding=encoding)

    with (tmp_path / "t.txt").open("rb") as file:
        assert "".join(read_text(file)) == "Hej då."


def test_a_byte_order_mark_is_not_spoken(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Hello", encoding="utf-8-sig")

    with (tmp_path / "t.txt").open("rb") as file:
        assert "".join(read_text(file)) == "Hello"
