"""The speech of a book, and lines that begin with a name of the cast."""

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.book.dialogue import speakers, with_dialogue, with_lines_of


def of(*paragraphs: str, speeches: tuple[Speech, ...] = ()) -> Book:
    return Book("B", (), "en", None, (Chapter(1, "One", paragraphs, speeches),))


def test_speech_is_found_where_none_is_known() -> None:
    known = Speech(1, 0, 7, "Anna", "verb")
    book = with_dialogue(of("“Hello,” he said.", "“Hello.”", speeches=(known,)), "")
    assert book.chapters[0].speeches == (Speech(0, 0, 8), known)
    assert speakers(book) == {"Anna"}


def test_lines_that_begin_with_a_name_of_the_cast_are_its_own() -> None:
    book = of("Anna: Hello.", "Bob: Hello.", "He said: no.", "**anna**: Yes.")
    assert with_lines_of(book, {"anna"}).chapters[0].speeches == (
        Speech(0, 6, 12, "Anna", "name", head=6),
        Speech(3, 10, 14, "anna", "name", head=10),
    )
    assert with_lines_of(book, set()) is book


def test_a_line_with_a_name_of_the_cast_is_not_of_who_spoke_before() -> None:
    known = (Speech(0, 5, 8, "Bob", "name", head=5), Speech(1, 0, 10, "Bob", "name"), Speech(2, 0, 5, "Bob", "name"))
    book = with_lines_of(of("Bob: Oh.", "Anna: Yes.", "Well.", speeches=known), {"anna", "bob"})
    assert book.chapters[0].speeches == (known[0], Speech(1, 6, 10, "Anna", "name", head=6), known[2])
