"""Chapters of texts without contents: parts with chapters in them, and title pages, which are none."""

import pytest

from voxmatrix.book.read import read_book

_TEXT = "The wind blew over the hills and nobody came. " * 40


def _titles(tmp_path, *lines, name="book.html"):
    """The titles of the chapters of a page of headings (`h1 Part One`) and paragraphs."""
    path = tmp_path / name
    tags = (line.split(" ", 1) if line.startswith("h") else ["p", line] for line in lines)
    path.write_text("<html><body>" + "".join(f"<{tag}>{text}</{tag}>" for tag, text in tags) + "</body></html>")
    return [chapter.title for chapter in read_book(path).chapters]


@pytest.mark.parametrize("below", ["h2", "h3"])
@pytest.mark.parametrize("names", [("Part One", "Part Two"), ("The Sea", "The Land")])
def test_parts_are_divided_into_their_chapters(below, names, tmp_path):
    first, second = names
    hill, house, tree, end = ((f"{below} {title}", _TEXT) for title in ("The hill", "The house", "The tree", "End"))
    lines = (f"h1 {first}", *hill, *house, f"h1 {second}", *tree, *end)
    assert _titles(tmp_path, *lines) == [f"{first}: The hill", "The house", f"{second}: The tree", "End"]


def test_three_levels_are_parts_books_and_chapters(tmp_path):
    part = [
        line for number in (1, 2) for line in (f"h2 Book {number}", *(["h3 Chapter 1", _TEXT, "h3 Chapter 2", _TEXT]))
    ]
    titles = _titles(tmp_path, "h1 Part One", *part, "h1 Part Two", *part)
    assert len(titles) == 8
    assert titles[:3] == ["Part One: Book 1: Chapter 1", "Chapter 2", "Book 2: Chapter 1"]


def test_an_epigraph_of_a_part_is_a_chapter_of_its_own(tmp_path):
    titles = _titles(
        tmp_path, "h1 Part 1", "A saying.", "h2 A", _TEXT, "h2 B", _TEXT, "h1 Part 2", "h2 C", _TEXT, "h2 D", _TEXT
    )
    assert titles == ["Part 1", "A", "B", "Part 2: C", "D"]


@pytest.mark.parametrize(
    "lines",
    [
        ("h1 One", "Text.", "h2 A", "Text.", "h2 B", "Text.", "h1 Two", "Text.", "h2 C", "Text.", "h2 D", "Text."),
        ("h1 One", "h2 A", "Short.", "h2 B", "Short.", "h1 Two", "h2 C", "Short.", "h2 D", "Short."),
        ("h1 One", _TEXT, "h1 Two", "h2 A", _TEXT, "h2 B", _TEXT, "h2 C", _TEXT, "h1 Three", _TEXT * 9),
    ],
)
def test_sections_of_chapters_are_no_chapters(lines, tmp_path):
    assert _titles(tmp_path, *lines) == [line[3:] for line in lines if line.startswith("h1")]


def test_a_title_above_chapters_is_no_part(tmp_path):
    lines = ("h1 The Hill", "by A. Writer", "h2 One", "Text.", "h3 A", "Text.", "h2 Two", "Text.")
    assert _titles(tmp_path, *lines) == ["The Hill", "One", "Two"]


def test_the_lines_of_title_pages_are_no_chapters(tmp_path):
    page = ("h1 THE", "h1 WOMAN", "h1 IN WHITE", "h5 A novel", "by A. Writer")
    acts = ("h3 THE FIRST ACT", _TEXT, "h3 THE SECOND ACT", _TEXT)
    assert _titles(tmp_path, *page, *page, *acts) == ["THE", "THE FIRST ACT", "THE SECOND ACT"]
    titled = _titles(tmp_path, *page, *acts, name="The Woman in White.html")
    assert titled == ["The Woman in White", "THE FIRST ACT", "THE SECOND ACT"]


def test_the_author_of_a_title_page_is_no_chapter(tmp_path):
    page = ("h1 THE HILL", "h2 By A. Writer", "h2 Contents", "One", "Two", "Three")
    chapters = ("h2 One", _TEXT, "h2 Two", _TEXT, "h2 Three", _TEXT)
    assert _titles(tmp_path, *page, *chapters) == ["THE HILL", "One", "Two", "Three"]
    assert read_book(tmp_path / "book.html").chapters[0].paragraphs == ("THE HILL", "By A. Writer")


def test_a_page_without_headings_has_those_of_its_words(tmp_path):
    lines = ("The Hill", "LIVRE PREMIER", "I", _TEXT, "II", _TEXT, "LIVRE DEUXIEME", "I", _TEXT, "II LE CHAT", _TEXT)
    assert _titles(tmp_path, *lines) == ["book", "LIVRE PREMIER: I", "II", "LIVRE DEUXIEME: I", "II LE CHAT"]


def test_many_headings_take_seconds(tmp_path):
    lines = [line for number in range(10_000) for line in (f"h2 Of {number}", "A.")]
    assert len(_titles(tmp_path, *lines)) == 10_000


def test_a_number_and_its_title_are_one_heading(tmp_path):
    lines = ("h2 I", "h2 THE HILL", _TEXT, "h2 II", "h2 THE SEA", _TEXT, "h2 III", "h2 IV", _TEXT)
    assert _titles(tmp_path, *lines) == ["I: THE HILL", "II: THE SEA", "III", "IV"]


def test_markdown_has_parts_as_well(tmp_path):
    path = tmp_path / "book.md"
    path.write_text("# Part One\n\n## Chapter 1\n\nA.\n\n## Chapter 2\n\nB.\n\n# Part Two\n\n## Chapter 3\n\nC.\n")
    assert [chapter.title for chapter in read_book(path).chapters] == [
        "Part One: Chapter 1",
        "Chapter 2",
        "Part Two: Chapter 3",
    ]
