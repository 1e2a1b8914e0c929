"""Who speaks in a book that is made. What `book make` does with it: tests/cli/book/test_people.py."""

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.cli.book.casting import nobody_named


def test_names_that_are_wanted_and_not_known_are_told() -> None:
    unknown, known = (
        Book("B", (), "en", None, (Chapter(1, "One", ('"Yes."',), (Speech(0, 0, 6, who),)),)) for who in ("", "Anna")
    )
    assert [finding.problem for finding in nobody_named(unknown, wanted=True)] == [
        "nobody is named: it is not known who speaks"
    ]
    assert not [*nobody_named(known, wanted=True), *nobody_named(unknown, wanted=False)]
