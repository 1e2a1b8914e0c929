"""Names and foreign words of a book are found, and an untouched list of them changes nothing."""

from pathlib import Path

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.names import find_names, lexicon_to_fill_in
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.lexicon_file import read_lexicon

ENGLISH = (
    "Lady Mowbray came early. I said that Mowbray was tired, and Mowbray’s dog barked. The tired dog slept.",
    "Nobody but Holmes knew. “Nobody,” said Holmes. I’ll go, and I’ll stay; then I’ll come and see all of them.",
    "It was a café. The boats came home, and the mood was low. Boats are slow.",
)
GERMAN = (
    "Der Hund schlief. Ein Hund bellte, und der Hund lief weg, der alte Herr rief.",
    "Da kam Friedrich. Dann sah Friedrich den Hund, und Friedrich lachte.",
)


def book(*paragraphs: str) -> Book:
    return Book(title="A Book", authors=(), language="", cover=None, chapters=(Chapter(1, "One", paragraphs),))


def test_names_and_foreign_words_are_found_with_their_counts() -> None:
    found = {name.word: name for name in find_names(book(*ENGLISH), "en")}
    assert found.keys() == {"Mowbray", "Holmes"}
    assert found["Mowbray"].count == 3 and found["Mowbray"].sentence == "Lady Mowbray came early."


def test_a_letter_that_is_rare_in_the_book_makes_a_foreign_word() -> None:
    assert "café" in {
        name.word for name in find_names(book(*ENGLISH[:2] * 100, "It was a café."), "en") if name.unusual
    }


def test_german_nouns_are_no_names() -> None:
    assert [name.word for name in find_names(book(*GERMAN), "de")] == ["Friedrich"]


def test_an_untouched_lexicon_changes_nothing_and_a_filled_one_its_words(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    lines = [*lexicon_to_fill_in(find_names(book(*ENGLISH), "en"), "A # Book", "en", lambda word: f"of {word}")]
    path.write_text("".join(lines), encoding="utf-8")
    assert read_lexicon(path) == Lexicon()
    path.write_text("".join(lines).replace("#Mowbray|", "Mowbray|"), encoding="utf-8")
    said = read_lexicon(path).apply("Mowbray and Holmes", "en-us")
    assert said == "[[of Mowbray]] and Holmes"
