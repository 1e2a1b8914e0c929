import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.read.marks import (
    joined_lines,
    lowered,
    raised,
    spoken_heading,
    with_fractions,
    without_numbers_of_notes_and_pages,
)


@pytest.mark.parametrize(
    ("heading", "spoken"),
    [
        ("XIV", "14"),
        ("I", "1"),
        ("ii", "2"),
        ("IX.", "9."),
        ("I: The Upper Danube", "1: The Upper Danube"),
        ("II The Sea", "2 The Sea"),
        ("CHAPTER CXVII. The Fifth of October", "CHAPTER 117. The Fifth of October"),
        ("Kapitel IV", "Kapitel 4"),
        ("Scene ix", "Scene 9"),
        ("Chapter 01", "Chapter 1"),
        ("07 The Sea", "7 The Sea"),
        ("L. The End", "50. The End"),
        ("C. Anna goes home", "100. Anna goes home"),
        ("LI. Frank Baum", "51. Frank Baum"),
        *(
            (same, same)
            for same in (
                "I saw the sea",
                "I, Robot",
                "C. S. Lewis",
                "L. Frank Baum",
                "C. Collodi",
                "CIVIL WAR",
                "V for Vendetta",
            )
        ),
        *((same, same) for same in ("07:30, Monday", "Agent 007", "Book", "i", "MIX", "In 0.5 seconds", "")),
    ],
)
def test_the_number_of_a_heading_is_read_as_a_number(heading: str, spoken: str) -> None:
    assert spoken_heading(heading) == spoken


@pytest.mark.parametrize(
    ("before", "mark", "read"),
    [
        ("There are 10", "6", "⁶"),
        ("a charge of 10", "\u22126", "⁻⁶"),
        ("The area is 25 m", "2", "²"),
        ("a room of 5 in", "2", "²"),
        ("25 miles", "2", "²"),
        ("the miles", "2", ""),
        ("cos", "2", "²"),
        ("E = mc", "2", "²"),
        ("for every x", "2", "²"),
        ("(a + 1)", "2", "²"),
        ("19", "th", "th"),
        ("M", "me", "me"),
        ("", "3", "3 "),
        ("and he said. ", "4", "4 "),
        ("He left the house", "1", ""),
        ("She stayed.", "2", ""),
        ("(he said)", "3", ""),
        ("in the year 1998", "3", ""),
        ("the end", "*", ""),
        ("a day.", "[1]", ""),
    ],
)
def test_a_raised_number_is_an_exponent_or_the_mark_of_a_note(before: str, mark: str, read: str) -> None:
    assert raised(mark, before) == read


def test_lowered_numbers_and_fractions() -> None:
    assert (lowered("2"), lowered("min")) == ("₂", "min")
    assert with_fractions("2²⁄₃ miles, 1/₂ and ¹⁄₄ of 10²") == "2 2/3 miles, 1/2 and 1/4 of 10²"


def test_numbers_of_notes_and_pages_in_brackets_are_left_out() -> None:
    text = "It was[Pg 3] a day.[1] He read [2] and saw the sea² [Pg xii] at last.³ 5 m² and cos² x.[*] {13}"
    read = "It was a day. He read [2] and saw the sea² at last. 5 m² and cos² x."
    assert without_numbers_of_notes_and_pages(text).rstrip() == read
    assert without_numbers_of_notes_and_pages("the house¹² of 25 miles² there") == "the house of 25 miles² there"


@pytest.mark.parametrize(
    ("lines", "heading", "joined"),
    [
        (["I", "The Upper Danube"], True, "I: The Upper Danube"),
        (["Chapter One", "The Storm"], True, "Chapter One: The Storm"),
        (["The Case of", "Dr. Jekyll"], True, "The Case of Dr. Jekyll"),
        (["To the Lighthouse", "A Novel"], True, "To the Lighthouse, A Novel"),
        (
            ["How doth the crocodile", "Improve his tail,", "And pour"],
            False,
            "How doth the crocodile, Improve his tail, And pour",
        ),
        (["To", "Lloyd Osbourne", "An American"], False, "To Lloyd Osbourne, An American"),
        (["wrapped text that", "goes on"], False, "wrapped text that goes on"),
        (["x" * 70, "And more"], False, "x" * 70 + " And more"),
    ],
)
def test_short_lines_pause_where_they_end(lines: list[str], heading: bool, joined: str) -> None:
    assert joined_lines(lines, heading=heading) == joined


_TEXT = st.text("IVXLCivxlc .:,1230aBé[]{}()\n²⁄/₃¹*Pg", max_size=60)


@given(_TEXT, _TEXT)
def test_of_any_text_only_marks_are_lost(text: str, more: str) -> None:
    letters = [letter for letter in text if letter.isalpha() and letter not in "IVXLCivxlcPg"]
    for read in (
        spoken_heading(text),
        with_fractions(text),
        without_numbers_of_notes_and_pages(text),
        joined_lines(text.split("\n")),
    ):
        assert [letter for letter in read if letter.isalpha() and letter not in "IVXLCivxlcPg"] == letters
    assert raised(text, more) in (text, "") or raised(text, more).strip()
