"""Runs to lines and columns."""

from voxmatrix.book.read.pdf.document import Page, Run
from voxmatrix.book.read.pdf.lines import columns_of, text_of


def run(text, left=60, base=100, size=10, width=None):
    return Run(text, left, left + (5 * len(text) if width is None else width), base, size)


def column(left, count, width=150, start=100):
    return [run(f"{left} line {index}", left, start + 12 * index, width=width) for index in range(count)]


def texts(*pages):
    return [[line.text for line in found.lines] for found in columns_of(pages, 10)]


def numbered(left, count):
    return [f"{left} line {index}" for index in range(count)]


def test_columns_stand_one_after_the_other():
    page = Page(1, tuple(sorted([*column(60, 8), *column(230, 8)], key=lambda one: one.base)))
    assert texts(page) == [numbered(60, 8), numbered(230, 8)]


def test_three_columns():
    assert texts(Page(1, (*column(60, 8), *column(230, 8), *column(400, 8)))) == [
        numbered(60, 8),
        numbered(230, 8),
        numbered(400, 8),
    ]


def test_what_goes_over_the_gutter_divides_the_columns():
    title, across = run("Title", 150, 60, 18, width=200), run("A line over both columns", 60, 240, width=320)
    runs = (title, *column(60, 8), *column(230, 8), across, *column(60, 8, start=264), *column(230, 8, start=264))
    assert texts(Page(1, runs)) == [
        ["Title"],
        numbered(60, 8),
        numbered(230, 8),
        ["A line over both columns"],
        numbered(60, 8),
        numbered(230, 8),
    ]


def test_a_page_with_few_lines_in_its_last_column_is_divided_as_others_are():
    full = [Page(number, (*column(60, 8), *column(230, 8))) for number in range(1, 7)]
    last = Page(7, (*column(60, 8), *column(230, 2)))
    assert texts(*full, last)[-2:] == [numbered(60, 8), numbered(230, 2)]


def test_a_table_is_no_column():
    rows = [run(text, left, 100 + 12 * row) for row in range(8) for text, left in (("Anna", 60), ("31", 300))]
    assert len(texts(Page(1, tuple(rows)))) == 1


def test_spaces_are_gaps_and_marks_of_notes_are_left_out():
    word, note = run("water", 60), run("12", 85.5, 96, 6, width=6)
    assert text_of([word, note, run("and", 95)], 10, 100) == "water and"
    assert text_of([run("m", 60), Run("2", 65, 68, 96, 6), run("wide", 71)], 10, 100) == "m\u00b2 wide"
    assert text_of([run("C", 60, size=12), run("HAPTER", 65.2, size=9)], 9, 100) == "CHAPTER"


def test_a_raised_mark_belongs_to_the_line_below_it():
    runs = (run("The water", 60), run("1", 105.5, 96, 6, width=3), run("was cold.", 112), *column(60, 3, start=112))
    assert texts(Page(1, runs))[0][0] == "The water was cold."


def test_lines_beside_an_initial_are_not_indented():
    initial = Run("O", 60, 78, 112, 30)
    (found,) = columns_of(
        [Page(1, (run("nce upon", 80), run("a time", 80, 112), initial, *column(60, 4, start=124)))], 10
    )
    assert [(line.initial, line.left) for line in found.lines[:3]] == [("O", 60), ("", 60), ("", 60)]
