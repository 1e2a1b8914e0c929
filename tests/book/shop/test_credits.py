from dataclasses import replace

from tests.book.join.books import book
from voxmatrix.book.content import Metadata
from voxmatrix.book.shop.credits import is_credits, with_credits


def said(language: str, narrator: str = "", title: str = "A Book.") -> list[tuple[str, ...]]:
    content = replace(book(["One", "Two"], title=title), about=Metadata(narrator=narrator))
    return [
        chapter.paragraphs for chapter in with_credits(content, language, None, None).chapters if chapter.paragraphs
    ]


def test_credits_are_chapters_around_the_others_in_the_language_of_the_book() -> None:
    by = ("Written by Selma Lagerlöf, N. N..", "Narrated by Ann.")
    assert said("en-GB", "Ann") == [("A Book.", *by), ("The end.", "This has been A Book.", *by)]
    assert said("fr")[0] == ("A Book.", "Écrit par Selma Lagerlöf, N. N..", "Lu par une voix de synthèse.")
    assert said("sv")[1][0] == "The end."
    assert said("es", title="")[1] == ("Fin.", "Escrito por Selma Lagerlöf, N. N..", "Narrado por una voz digital.")


def test_credits_have_the_numbers_before_and_behind() -> None:
    found = with_credits(book(["One", "Two"]), "en", None, None)
    assert [chapter.index for chapter in found.chapters] == [0, 1, 2, 3]
    assert [is_credits(chapter) for chapter in found.chapters] == [True, False, False, True]


def test_credits_are_replaced_and_left_out() -> None:
    content = book(["One"])
    found = with_credits(content, "en", " Ours \n alone. ", "")
    assert [chapter.paragraphs for chapter in found.chapters] == [("Ours alone.",), ()]
    assert with_credits(content, "en", "", " ") == content
