"""Whole PDFs, as `read_book` reads them."""

import pytest

from tests.book.pdfs import Text, lines, paragraphs, pdf
from voxmatrix.book.kinds import KINDS
from voxmatrix.book.read import read_book
from voxmatrix.errors import BadInputError

MORNING = "It was a bright morning in the month of May, and the boy who had walked down to the river saw that"
BOAT = "The boat lay where his father had left it, on the stones above the water, with the oars beside it in the grass."
REST = "the ferry had gone. He sat down and waited for it to come back, which took until noon."
NOON = "At noon the ferry came back. Nobody was on it but the dog, which jumped ashore and ran up to him at once."


@pytest.fixture
def read(tmp_path):
    """Read a book from the content of a PDF."""

    def from_content(content, *kinds):
        path = tmp_path / "novel.pdf"
        path.write_bytes(content)
        return read_book(path, frozenset(kinds) or frozenset({"tables", "headings", "urls"}))

    return from_content


def texts(book):
    return [text for chapter in book.chapters for text in chapter.paragraphs]


def kinds(book):
    return {parts.kind: parts.count for parts in book.kinds}


def test_lines_become_paragraphs_that_go_on_over_the_page(read):
    book = read(pdf(paragraphs(BOAT, BOAT, MORNING), paragraphs(REST, indent=0) + paragraphs(BOAT, base=200)))
    assert texts(book) == [BOAT, BOAT, f"{MORNING} {REST}", BOAT]


def test_a_new_paragraph_at_the_top_of_a_page_is_one(read):
    book = read(pdf(paragraphs(BOAT, BOAT, BOAT), paragraphs(BOAT, BOAT)))
    assert texts(book) == [BOAT] * 5


def test_paragraphs_with_gaps_and_without_indents(read):
    gaps = [one for index in range(4) for one in paragraphs(BOAT, base=100 + 50 * index, indent=0)]
    assert texts(read(pdf(gaps))) == [BOAT] * 4


def test_short_lines_of_ragged_text_belong_together(read):
    ragged = lines(
        "The boat lay where his father", "had left it, on the stones", "above the water, with the oars", "beside it."
    )
    assert texts(read(pdf(ragged))) == [
        "The boat lay where his father had left it, on the stones above the water, with the oars beside it."
    ]


@pytest.mark.parametrize("place", [40, 560])
def test_running_heads_and_page_numbers_are_left_out(place, read):
    pages = []
    for number in range(1, 9):
        head = f"{number + 4}   A Writer" if number % 2 else f"The Tale   {number + 4}"
        pages.append([*lines(head, base=place, size=8), *paragraphs(f"{number}. {BOAT}", f"On day {number}, {BOAT}")])
    expected = [text for number in range(1, 9) for text in (f"{number}. {BOAT}", f"On day {number}, {BOAT}")]
    assert texts(read(pdf(*pages))) == expected


def test_notes_are_a_kind_and_their_marks_are_not_read(read):
    text = paragraphs(BOAT, BOAT, BOAT, MORNING)
    marked = text[3]
    end = marked.left + 0.6 * 10 * len(marked.text)
    mark = Text(text="1", left=end, base=marked.base - 4, size=6)
    note = lines("1 See the letters of his father, who", "wrote about it.", base=500, size=8, leading=10)
    content = pdf([*text, mark, *note], paragraphs(REST, indent=0))
    book = read(content)
    assert texts(book) == [BOAT, BOAT, BOAT, f"{MORNING} {REST}"]
    assert kinds(book)["notes"] == 1
    assert texts(read(content, *KINDS))[-1] == "1 See the letters of his father, who wrote about it."


def test_two_columns_are_read_one_after_the_other(read):
    left, right = paragraphs(BOAT, BOAT, BOAT, letters=26), paragraphs(NOON, NOON, letters=26, left=240)
    interleaved = sorted([*left, *right], key=lambda text: text.base)
    assert texts(read(pdf(interleaved))) == [BOAT, BOAT, BOAT, NOON, NOON]


def test_bookmarks_are_the_chapters(read):
    pages = (
        [*lines("The river", size=16, base=80), *paragraphs(BOAT)],
        [*paragraphs(BOAT), *lines("Waiting", base=300, size=16), *paragraphs(MORNING, base=330)],
    )
    book = read(pdf(*pages, outline=[("The river", 1, 60), ("Waiting", 2, 290)]))
    assert [(chapter.title, chapter.paragraphs) for chapter in book.chapters] == [
        ("The river", ("The river", BOAT, BOAT)),
        ("Waiting", ("Waiting", MORNING)),
    ]


def test_without_bookmarks_the_largest_headings_are_the_chapters(read):
    pages = [
        [
            *lines(f"Chapter {number}", size=14, base=80),
            *lines(title, size=18, base=110),
            *paragraphs(BOAT, base=150),
            *lines("At noon", size=12, base=250),
            *paragraphs(MORNING, base=280),
        ]
        for number, title in ((1, "The river"), (2, "The ferry"))
    ]
    book = read(pdf(*pages))
    assert [chapter.title for chapter in book.chapters] == ["Chapter 1: The river", "Chapter 2: The ferry"]
    assert book.chapters[0].paragraphs == ("Chapter 1: The river", BOAT, "At noon", MORNING)


def test_a_bold_line_that_stands_alone_is_a_heading(read):
    bold = [Text(text="The ferry", left=60, base=200, bold=True)]
    book = read(pdf([*paragraphs(BOAT, BOAT), *bold, *paragraphs(MORNING, base=230)]))
    assert kinds(book)["headings"] == 1
    assert texts(book) == [BOAT, BOAT, "The ferry", MORNING]


def test_a_table_of_contents_is_one(read):
    listed = [
        f"{name} {'.' * (30 - len(name))} {page}" for name, page in (("The river", 3), ("The ferry", 9), ("Home", 21))
    ]
    book = read(pdf(lines("Contents", *listed), paragraphs(BOAT)))
    assert texts(book) == [BOAT]
    assert kinds(book)["contents"] == 4


def test_rows_of_a_table_are_lines(read):
    rows = [
        Text(text=text, left=left, base=200 + 12 * row)
        for row, cells in enumerate([("Name", "Age", "Town"), ("Anna", "31", "Lund"), ("Bo", "9", "Malmo")])
        for left, text in zip((60, 140, 220), cells, strict=True)
    ]
    assert texts(read(pdf([*paragraphs(BOAT), *rows])))[1:] == ["Name, Age, Town", "Anna, 31, Lund", "Bo, 9, Malmo"]


def test_an_initial_belongs_to_its_word(read):
    initial = Text(text="O", left=60, base=112, size=30)
    beside = lines("nce upon a time there was a boy", "who had a boat.", left=80)
    assert texts(read(pdf([*beside, initial, *paragraphs(BOAT, BOAT, BOAT, base=124)])))[0].startswith(
        "Once upon a time there"
    )


def test_small_capitals_are_one_word(read):
    heading = [Text(text="C", left=60, base=80, size=20), Text(text="HAPTER", left=72, base=80, size=16)]
    assert texts(read(pdf([*heading, *paragraphs(BOAT)])))[0] == "CHAPTER"


def test_letters_that_are_spaced_out_are_one_word(read):
    spaced = [Text(text=letter, left=60 + 14 * index, base=80, size=20) for index, letter in enumerate("PART")]
    assert texts(read(pdf([*spaced, *paragraphs(BOAT)])))[0] == "PART"


def test_an_accent_that_is_drawn_over_a_letter_is_one_of_it(read):
    accented = [Text(text="na", left=60, base=100), Text(text="\u00a8", left=72, base=100)]
    assert texts(read(pdf([*accented, Text(text="ive", left=72, base=100)]))) == ["na\u00efve"]


def test_ligatures_of_old_fonts_are_letters(read):
    content = pdf(lines("the o\u0160ice \u0161oor")).replace(b"\x8a", b"\x1b").replace(b"\x9a", b"\x1d")
    assert texts(read(content)) == ["the office floor"]


def test_fonts_that_do_not_say_their_letters_are_refused(read):
    with pytest.raises(BadInputError, match="fonts do not say which letters") as caught:
        read(pdf(lines("\u0160" * 30)).replace(b"\x8a", b"\x03"))
    assert "ocrmypdf --force-ocr" in caught.value.remedy


def test_metadata(read):
    book = read(pdf(lines("Text."), title="A Tale", author="Anna Writer; Bo Berg", language="sv-SE"))
    assert (book.title, book.authors, book.language) == ("A Tale", ("Anna Writer", "Bo Berg"), "sv-SE")


@pytest.mark.parametrize("title", ["", "Microsoft Word - tale.docx", "tale.indd", "untitled"])
def test_a_title_that_a_program_made_up_is_none(title, read):
    assert read(pdf(lines("Text."), title=title)).title == "novel"


def test_without_a_title_the_heading_of_the_title_page_is_it(read):
    book = read(pdf(lines("A Tale", size=24), paragraphs(BOAT)))
    assert book.title == "A Tale"
    assert texts(book) == [BOAT]


def test_the_header_of_project_gutenberg_is_not_read(read):
    header = "The Project Gutenberg EBook of A Tale, by Anna Writer"
    begin, end = (f"*** {word} OF THIS PROJECT GUTENBERG EBOOK A TALE ***" for word in ("START", "END"))
    front = lines(header, "Title: A Tale", "Author: Anna Writer", begin, leading=40)
    book = read(pdf(front, paragraphs(BOAT, MORNING) + lines(end, base=400), paragraphs(BOAT)))
    assert texts(book) == [BOAT, MORNING]
    assert kinds(book)["boilerplate"] == 6
    assert (book.title, book.authors) == ("A Tale", ("Anna Writer",))


def test_a_warning_says_once_that_the_layout_is_guessed(read):
    findings = read(pdf(paragraphs(BOAT), paragraphs(BOAT))).findings
    assert [finding.severity for finding in findings] == ["warning"]
    assert "guessed" in findings[0].problem
    assert "book inspect" in findings[0].remedy


def test_pages_that_are_pictures_are_named(read):
    book = read(pdf(paragraphs(BOAT), [], [], paragraphs(BOAT), [], pictures=[2, 3, 5]))
    assert texts(book) == [BOAT, BOAT]
    (warning,) = [finding for finding in book.findings if "pictures" in finding.problem]
    assert "3 pages (2 to 3, 5)" in warning.problem
    assert "ocrmypdf" in warning.remedy


def test_pages_that_cannot_be_read_are_named(read):
    book = read(pdf(paragraphs(BOAT), count=3))
    assert texts(book) == [BOAT]
    assert any("2 pages (2 to 3) cannot be read" in finding.problem for finding in book.findings)


def test_empty_pages_are_not(read):
    assert len(read(pdf(paragraphs(BOAT), [])).findings) == 1
