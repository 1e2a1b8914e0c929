"""What stands at the same place on many pages, and what only seems to."""

import pytest

from voxmatrix.book.read.pdf.document import Page, Run
from voxmatrix.book.read.pdf.furniture import without_furniture
from voxmatrix.book.read.pdf.style import body_size

SENTENCES = ("He rowed on", "The sea was calm", "Nobody came", "It was noon", "A bird cried", "The oars lay still")


def text_at(text, base, size=10):
    return Run(text, 60, 300, base, size)


def pages(heads, feet=(), first=1):
    """Pages of four lines, each with a head above and a foot below; empty ones are left out."""
    found = []
    for index in range(max(len(heads), len(feet))):
        runs = [text_at(f"{SENTENCES[index % 6]} {line} {index}x.", 100 + 12 * line) for line in range(4)]
        runs += [text_at(text, 60) for text in heads[index : index + 1] if text]
        runs += [text_at(text, 560) for text in feet[index : index + 1] if text]
        found.append(Page(first + index, tuple(runs)))
    return found


def left(found):
    """What is left of heads and feet."""
    return [
        run.text for page in without_furniture(found, body_size(found)) for run in page.runs if run.base in (60, 560)
    ]


@pytest.mark.parametrize(
    "heads",
    [
        ["The Tale"] * 5,
        ["A Writer", "The Tale"] * 3,
        ["", "The Tale", "The Tale", "", "The Tale"],
        [f"{number} The River" for number in range(10, 15)],
        ["12 THE RIVER", "The Tale 13", "14 THE RIVER", "THE FERRY 15", "16 THE FERRY"],
        ["The Tale"] * 6 + ["A chapter of two pages"] + ["The Tale"] * 6,
    ],
)
def test_running_heads_are_left_out(heads):
    assert left(pages(heads)) == []


@pytest.mark.parametrize(
    "feet",
    [
        ["1", "2", "3", "4"],
        ["", "2", "3", "", "5", "6"],
        ["- 7 -", "- 8 -", "- 9 -"],
        ["i", "ii", "iii", "iv"],
        ["Page 1 of 4", "Page 2 of 4", "Page 3 of 4", "Page 4 of 4"],
        ["41", "42"],
    ],
)
def test_numbers_of_pages_are_left_out(feet):
    assert left(pages([], feet)) == []


@pytest.mark.parametrize(
    "heads",
    [
        ["CHAPTER I", "CHAPTER II", "CHAPTER III", "CHAPTER IV"],
        ["1 The river", "Then he slept", "2 The ferry", "He woke up"],
        ["1914", "He was born", "1920", "He went to sea"],
        ["He rowed", "He slept", "He woke", "He rowed"],
    ],
)
def test_headings_and_first_lines_are_kept(heads):
    assert left(pages(heads)) == heads


def test_text_that_nothing_divides_from_what_stands_below_is_kept():
    lines = [Page(number, (text_at("The same line", 88), *pages([""])[0].runs)) for number in range(1, 6)]
    assert all(page.runs[0].text == "The same line" for page in without_furniture(lines, body_size(lines)))
