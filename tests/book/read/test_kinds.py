"""What a book has beside its text is known by its kind, and read only if it is wanted; the text always is."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.book.epubs import METADATA, epub, nav, page
from tests.examples import examples
from voxmatrix.book.content import Book
from voxmatrix.book.kinds import KINDS, SPOKEN_KINDS, spoken_kinds
from voxmatrix.book.read import read_book
from voxmatrix.errors import UsageError

_STORY = "<h1>One</h1><p>It was a day, and the sea was wide.</p>"


def _read(folder: Path, data: bytes, kinds: frozenset[str] = SPOKEN_KINDS) -> Book:
    path = folder / "book.epub"
    path.write_bytes(data)
    return read_book(path, kinds)


def _texts(book: Book) -> list[str]:
    return [text for chapter in book.chapters for text in chapter.paragraphs]


def _left_out(book: Book) -> dict[str, int]:
    return {part.kind: part.count for part in book.kinds if not part.spoken}


_SECTIONS = {
    "cover": ('<section epub:type="cover"><p>Front</p></section>', 1),
    "title-page": ('<section role="doc-titlepage"><h1>A Book</h1><p>by Ann Author</p></section>', 2),
    "copyright": ('<section epub:type="frontmatter copyright-page"><p>No rights.</p></section>', 1),
    "imprint": ('<section epub:type="imprint"><p>Made by us.</p></section>', 1),
    "contents": ('<section epub:type="loi"><p>Picture 1</p></section>', 1),
    "notes": ('<section epub:type="endnotes"><p>A note.</p></section>', 1),
    "index": ('<section role="doc-index"><h1>Index</h1><p>apple, 3</p></section>', 2),
    "bibliography": ('<section epub:type="bibliography"><p>Smith, J.</p></section>', 1),
    "code": ("<pre><code>print(a[1])</code></pre>", 1),
    "pictures": ('<figure><img src="x.png" alt="A red fox"/></figure>', 1),
}


@pytest.mark.parametrize("kind", _SECTIONS)
def test_a_section_that_says_what_it_is_is_left_out_unless_it_is_wanted(kind: str, tmp_path: Path) -> None:
    section, count = _SECTIONS[kind]
    data = epub({"a.xhtml": _STORY, "b.xhtml": section})
    book, whole = _read(tmp_path, data), _read(tmp_path, data, spoken_kinds([kind]))

    assert _texts(book) == ["One", "It was a day, and the sea was wide."]
    assert _left_out(book) == {kind: count} and _left_out(whole) == {}
    assert len(_texts(whole)) == len(_texts(book)) + count


_TABLE = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"


def test_tables_and_headings_are_read_unless_they_are_not_wanted(tmp_path: Path) -> None:
    data = epub({"a.xhtml": _STORY + _TABLE + "<table><tr><td>Layout</td></tr></table>"})

    assert _texts(_read(tmp_path, data))[2:] == ["A, B", "1, 2", "Layout"]
    fewer = _read(tmp_path, data, spoken_kinds(exclude=["tables", "headings"]))
    assert _texts(fewer) == ["It was a day, and the sea was wide.", "Layout"]
    assert _left_out(fewer) == {"tables": 2, "headings": 1} and fewer.chapters[0].title == "One"


_WITH_URLS = (
    "<p>See http://a.org/b?c=d. It (https://x.y/z_(w)) is here: www.site.se/å, or at amazon.com.</p>"
    "<p>https://only.an.address/</p><p>Either/or, 1/2, a@b.se and file.txt stay.</p>"
    "<p>“ftp://a.b/c” github.com/a/b!</p>"
)


def test_web_addresses_are_read_unless_they_are_not_wanted(tmp_path: Path) -> None:
    data = epub({"a.xhtml": _STORY + _WITH_URLS})
    book, fewer = _read(tmp_path, data), _read(tmp_path, data, spoken_kinds(exclude=["urls"]))

    assert "http://a.org/b?c=d" in _texts(book)[2]
    (listed,) = (part for part in book.kinds if part.kind != "headings")
    assert (listed.kind, listed.spoken, listed.count) == ("urls", True, 6)
    assert listed.beginning == "http://a.org/b?c=d"
    assert _texts(fewer)[2:] == ["See. It is here:, or at amazon.com.", "Either/or, 1/2, a@b.se and file.txt stay."]
    assert _left_out(fewer) == {"urls": 6}


_LEGAL = "<p>Copyright © 2020 Ann. All rights reserved.</p><p>ISBN 978-0</p>"
_PLAIN = {
    "cover": {"c.xhtml": "<p>Front</p>"},
    "title-page": {"c.xhtml": "<p>A BOOK</p><p>by Ann Author</p>"},
    "copyright": {"c.xhtml": _LEGAL},
    "imprint": {"c.xhtml": f"<h1>Imprint</h1>{_LEGAL}"},
    "index": {"c.xhtml": "<h1>Index</h1><p>apple, 3, 5-7</p><p>bear, 9</p>"},
    "bibliography": {"c.xhtml": "<h1>Bibliography</h1><p>Smith, J. (1999). Hills.</p>"},
}


@pytest.mark.parametrize("kind", _PLAIN)
def test_a_document_without_semantics_is_known_by_the_guide_or_by_name_and_shape(kind: str, tmp_path: Path) -> None:
    guide = '<guide><reference type="cover" href="c.xhtml"/></guide>' if kind == "cover" else ""
    book = _read(tmp_path, epub({**_PLAIN[kind], "a.xhtml": _STORY}, guide=guide))
    assert list(_left_out(book)) == [kind] and len(book.chapters) == 1


def test_landmarks_say_what_a_file_is(tmp_path: Path) -> None:
    marks = '<nav epub:type="landmarks"><ol><li><a epub:type="index" href="c.xhtml">Words</a></li></ol></nav>'
    more = {"OEBPS/nav.xhtml": nav([("One", "a.xhtml"), ("Words", "c.xhtml")], marks)}
    book = _read(tmp_path, epub({"a.xhtml": _STORY, "c.xhtml": "<p>apple</p>"}, [], more=more))
    assert _left_out(book)["index"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Index</h1><p>The index finger pointed at the sea.</p><p>He went on.</p>",
        "<h1>Bibliography</h1><p>She had read no book in her life.</p>",
        "<h1>Copyright</h1><p>He wondered who owned the story.</p>",
        "<h1>The Cover</h1><p>It was red.</p>",
        "<p>A Book by Ann Author lay on the table, and nobody had opened it since she had left the house.</p>",
        "<p>Copyright was not on her mind.</p><p>She slept.</p>",
        "<h1>Notes</h1><p>He took notes.</p>",
    ],
)
def test_a_name_without_the_shape_and_a_shape_without_the_name_are_text(body: str, tmp_path: Path) -> None:
    book = _read(tmp_path, epub({"a.xhtml": _STORY, "c.xhtml": body}))
    assert _left_out(book) == {}


def test_a_guide_that_calls_the_whole_text_its_title_page_is_not_believed(tmp_path: Path) -> None:
    guide = '<guide><reference type="title-page" href="a.xhtml"/></guide>'
    text = "".join(f"<p>It was day {number} of a long journey.</p>" for number in range(300))
    assert len(_texts(_read(tmp_path, epub({"a.xhtml": text, "b.xhtml": "<p>End.</p>"}, guide=guide)))) == 301


def test_pictures_that_are_letters_signs_or_headings_are_text(tmp_path: Path) -> None:
    body = (
        '<h1><img src="t.png" alt="Chapter the First"/></h1><p><img alt="I"/>t cost 5<img alt="€"/> today.</p>'
        '<p>Seen <img src="f.png" alt="a fox under a tree"/>there.</p><img src="o.png" alt="[Illustration]"/>'
        '<img src="o.png" alt="image001"/><img src="o.png" alt="decorative"/><p>A <img src="m.png" alt="map"/>.</p>'
    )
    book = _read(tmp_path, epub({"a.xhtml": body}))
    assert _texts(book) == ["Chapter the First", "It cost 5€ today.", "Seen there.", "A ."]
    assert _left_out(book) == {"pictures": 2}


def test_an_unknown_kind_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as error:
        spoken_kinds(["footnotes"])
    assert "footnotes" in error.value.problem and "notes" in error.value.remedy


_ELEMENT = st.sampled_from(
    [
        "p",
        "section",
        "aside",
        "pre",
        "div",
        *(f'section epub:type="{word}"' for word in ("cover", "index", "footnotes")),
    ]
)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(_ELEMENT, min_size=1, max_size=3), min_size=1, max_size=6), st.sets(st.sampled_from(list(KINDS)))
)
def test_every_text_is_read_or_counted_as_left_out(tmp_path: Path, nested: list[list[str]], kinds: set[str]) -> None:
    """Each paragraph is a word of its own; whatever the kinds, none is lost in silence."""
    words = [f"word{number}." for number in range(len(nested))]
    body = ""
    for elements, word in zip(nested, words, strict=True):
        opened = "".join(f"<{element}>" for element in elements)
        body += opened + word + "".join(f"</{element.split()[0]}>" for element in reversed(elements))
    data = epub({"a.xhtml": page(body), "b.xhtml": "<p>The end.</p>"}, metadata=METADATA)
    book = _read(tmp_path, data, frozenset(kinds))

    assert len(_texts(book)) + sum(_left_out(book).values()) == len(words) + 1
    assert _texts(_read(tmp_path, data, frozenset(KINDS))) == [*words, "The end."]


def test_paragraphs_in_cells_of_data_are_parts_of_their_row(tmp_path):
    path = tmp_path / "book.html"
    rows = (
        "<tr><td><p>Name</p></td><td><p>km/h</p></td></tr><tr><td><p>Snail</p><p>Slow</p></td><td><p>0.05</p></td></tr>"
    )
    path.write_text(f"<html><body><h2>A</h2><table>{rows}</table><p>After.</p><p>More.</p></body></html>")
    assert read_book(path).chapters[0].paragraphs == ("A", "Name: km/h", "Snail, Slow: 0.05", "After.", "More.")
