"""The lexicons that an EPUB 3 brings."""

from pathlib import Path

import pytest

from tests.book.epubs import epub, page
from voxmatrix.book.content import Book
from voxmatrix.book.read import read_book
from voxmatrix.text.lexicon import Lexicon

ITEM = '<item id="l{0}" href="lex/{0}.pls" media-type="application/pls+xml"/>'
LINK = '<link rel="pronunciation" type="application/pls+xml" href="lex/{}.pls" hreflang="{}"/>'


def pls(language: str = "", **words: str) -> str:
    lexemes = (f"<lexeme><grapheme>{word}</grapheme><phoneme>{said}</phoneme></lexeme>" for word, said in words.items())
    named = f' xml:lang="{language}"' if language else ""
    head = f'<lexicon version="1.0" alphabet="ipa"{named} xmlns="http://www.w3.org/2005/01/pronunciation-lexicon">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{"".join(lexemes)}</lexicon>'


def read(folder: Path, *, links: str = "", items: str = "", **lexicons: str | bytes) -> Book:
    documents = {"a.xhtml": page("<p>Anna eats.</p>", links)}
    path = folder / "a.epub"
    more = {f"OEBPS/lex/{name}.pls": content for name, content in lexicons.items()}
    path.write_bytes(epub(documents, more=more, items=items))
    return read_book(path)


@pytest.mark.parametrize(
    ("links", "items"),
    [("", ITEM.format("a")), (LINK.format("a", "en"), ""), (LINK.format("a", "en"), ITEM.format("a"))],
)
def test_a_lexicon_is_found_by_a_link_or_among_the_files(links: str, items: str, tmp_path: Path) -> None:
    book = read(tmp_path, links=links, items=items, a=pls("en-US", Anna="ˈɑ.na"))
    assert book.lexicon == Lexicon.of({"en-us": {"Anna": "[[ˈɑna]]"}})
    assert book.findings == ()


def test_a_link_says_the_language_of_a_lexicon_that_does_not(tmp_path: Path) -> None:
    book = read(
        tmp_path, links=LINK.format("a", "sv"), items=ITEM.format("a") + ITEM.format("b"), a=pls(Bo="b"), b=pls()
    )
    assert book.lexicon == Lexicon.of({"sv": {"Bo": "[[b]]"}})


def test_several_lexicons_are_one_in_which_the_first_counts(tmp_path: Path) -> None:
    items = ITEM.format("a") + ITEM.format("b")
    book = read(tmp_path, items=items, a=pls("en", Anna="x"), b=pls("en", Anna="y", Bo="z"))
    assert dict(book.lexicon.sections[0][1]) == {"Anna": "[[x]]", "Bo": "[[z]]"}


@pytest.mark.parametrize(
    "content", [b"\xff\x00", "<!DOCTYPE x [<!ENTITY a 'b'>]><lexicon/>", "<lexicon><lexeme/></lexicon>", "<html/>"]
)
def test_a_lexicon_that_cannot_be_read_is_a_finding(content: str | bytes, tmp_path: Path) -> None:
    book = read(tmp_path, items=ITEM.format("a") + ITEM.format("b"), a=content, b=pls("en", Bo="z"))
    assert [chapter.paragraphs for chapter in book.chapters] == [("Anna eats.",)]
    assert book.lexicon == Lexicon.of({"en": {"Bo": "[[z]]"}})
    assert "OEBPS/lex/a.pls" in book.findings[0].problem


def test_a_lexicon_that_is_not_there_is_not_looked_for_elsewhere(tmp_path: Path) -> None:
    links = LINK.format("none", "en") + '<link rel="pronunciation" href="http://127.0.0.1:1/a.pls"/>'
    assert read(tmp_path, links=links).lexicon == Lexicon()
