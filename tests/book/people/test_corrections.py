import random

from tests.book.people.shapes import amulet, book_of
from voxmatrix.book.people.corrections import Place, correction_of, find_corrections
from voxmatrix.voices.cast_table import Correction

PAGES = ["“Yes,” said Anna. “Come in, all of you.”", "Nobody came.", "“Yes,” said Bo. “We are here at last.”"]


def test_by_its_words() -> None:
    wanted = Correction("We are here", "Cleo")
    assert find_corrections(book_of(PAGES).chapters, [wanted]) == ({Place(0, 3): wanted}, [])


def test_by_the_words_before_it() -> None:
    wanted = Correction("Yes", "Cleo", "Nobody came.")
    assert find_corrections(book_of(PAGES).chapters, [wanted]) == ({Place(0, 2): wanted}, [])


def test_by_words_that_are_copied_with_the_narrators_between_them() -> None:
    wanted = Correction("Yes, said Bo. We are", "Cleo")
    assert find_corrections(book_of(PAGES).chapters, [wanted]) == ({Place(0, 2): wanted}, [])


def test_that_of_a_person_is_stronger_than_that_of_a_model() -> None:
    wanted = [Correction("We are here", "Cleo"), Correction("We are here at last", "Bo", by="small")]
    for order in (wanted, wanted[::-1]):
        assert find_corrections(book_of(PAGES).chapters, order)[0] == {Place(0, 3): wanted[0]}


def test_what_fits_nothing_or_several_is_lost() -> None:
    wanted = [Correction("Yes", "Cleo"), Correction("Something else entirely", "Cleo")]
    assert find_corrections(book_of(PAGES).chapters, wanted) == ({}, wanted)


def test_two_are_never_about_the_same_speech() -> None:
    """One of them is about another speech, which this edition does not have or writes differently."""
    exact, alike = Correction("We are here at last", "Cleo"), Correction("We are hear att last yes", "Di")
    for order in ([exact, alike], [alike, exact]):
        assert find_corrections(book_of(PAGES).chapters, order) == ({Place(0, 3): exact}, [alike])
    twice = [exact, Correction("We are here", "Bo")]
    assert find_corrections(book_of(PAGES).chapters, twice) == ({Place(0, 3): exact}, twice[1:])


def test_in_another_edition() -> None:
    """Another chapter comes first, apostrophes differ, and every twelfth word is misspelt."""
    book, _ = amulet()
    count = len(book.chapters[0].speeches)
    wanted = [correction_of(book.chapters, Place(0, number), f"person {number}") for number in range(count)]
    random.seed(1)
    pages = [
        " ".join(f"{word}e" if random.random() < 1 / 12 and word[-1:].isalpha() else word for word in page.split())
        for page in book.chapters[0].paragraphs
    ]
    other = book_of(["It was another day."], [page.replace("’", "'") for page in pages])
    found, _ = find_corrections(other.chapters, wanted)
    right = sum(
        found[Place(1, number)].who == f"person {number}" for number in range(count) if Place(1, number) in found
    )
    assert len(other.chapters[1].speeches) == count
    assert right >= 0.95 * count
