"""What an EPUB says about itself, and what holds for any EPUB."""

import contextlib
import os
import string
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.book.epubs import METADATA, PIXEL, archive, epub
from tests.examples import examples
from voxmatrix.book.content import Cover
from voxmatrix.book.kinds import KINDS, SPOKEN_KINDS
from voxmatrix.book.read import FORMATS, read_book
from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.epub_package import read_package
from voxmatrix.book.read.markup import descendants, parse
from voxmatrix.errors import VoxmatrixError

_ONE = {"a.xhtml": "<p>Text.</p>"}
_PICTURE = '<item id="pic" href="i/c.png" media-type="image/png" {}/>'
_FILES = {"OEBPS/i/c.png": PIXEL}


def _read(folder: Path, data: bytes):
    path = folder / "my book.epub"
    path.write_bytes(data)
    return read_book(path)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (METADATA, ("A Book", ("Ann Author",), "en")),
        ("", ("my book", (), "")),
        ("<dc:title> </dc:title><dc:language>und</dc:language>", ("my book", (), "")),
        ("<dc:title>A\n  B\u00ad&amp;C</dc:title><dc:language>sv_SE</dc:language>", ("A B&C", (), "sv-SE")),
        (
            '<dc:title id="s">Sub</dc:title><dc:title id="m">Main</dc:title>'
            '<meta refines="#m" property="title-type">main</meta>',
            ("Main", (), ""),
        ),
        (
            '<dc:title>T</dc:title><dc:creator opf:role="ill">Pic</dc:creator>'
            '<dc:creator opf:role="aut">Ann</dc:creator>'
            "<dc:creator opf:role='aut'>Ann</dc:creator>",
            ("T", ("Ann",), ""),
        ),
        (
            '<dc:title>T</dc:title><dc:creator id="c">Ed</dc:creator><meta refines="#c" property="role">edt</meta>',
            ("T", ("Ed",), ""),
        ),
    ],
)
def test_title_authors_and_language(metadata, expected, tmp_path):
    book = _read(tmp_path, epub(_ONE, metadata=metadata))
    assert (book.title, book.authors, book.language) == expected


@pytest.mark.parametrize(
    "parts",
    [
        {"items": _PICTURE.format('properties="cover-image"')},
        {"items": _PICTURE.format(""), "metadata": METADATA + '<meta content="pic" name="cover"/>'},
        {"items": _PICTURE.format(""), "guide": '<guide><reference type="cover" href="i/c.png"/></guide>'},
        {"items": _PICTURE.format(""), "guide": '<guide><reference type="cover" href="a.xhtml"/></guide>'},
    ],
)
def test_the_cover(parts, tmp_path):
    documents = {
        "a.xhtml": '<p>Text.<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="i/c.png"/></svg></p>'
    }
    book = _read(tmp_path, epub(documents, more=_FILES, **parts))
    assert book.cover == Cover("image/png", PIXEL)


def test_a_cover_that_is_missing_or_too_large_is_a_finding(tmp_path):
    items = _PICTURE.format('properties="cover-image"')
    missing = _read(tmp_path, epub(_ONE, items=items))
    large = _read(tmp_path, epub(_ONE, items=items, more={"OEBPS/i/c.png": os.urandom(13 * 2**20)}))
    assert missing.cover is large.cover is None
    assert "i/c.png" in missing.findings[0].problem
    assert "no cover" in large.findings[0].problem


def test_every_suffix_belongs_to_one_format():
    counts = Counter(suffix for one in FORMATS for suffix in one.suffixes)
    assert set(counts.values()) == {1}


# Random books: each text is its own, so that what is lost or said twice shows.

_BLOCKS = ("p", "li", "blockquote", "div", "h3", "td", "dd", "pre", "center", "span")


@st.composite
def _books(draw):
    """Documents of blocks, some of them with anchors that the contents name in any order, and the texts in order."""
    counter = iter(range(10_000))
    documents, lines, texts = {}, [], []
    for number in range(draw(st.integers(1, 4))):
        name, body = f"d{number}.xhtml", []
        for _ in range(draw(st.integers(0, 6))):
            text = f"Text{next(counter)} {draw(st.text(string.ascii_letters + 'åäö ', max_size=8))}".strip()
            tag = draw(st.sampled_from(_BLOCKS))
            anchor = draw(st.sampled_from(["", "", "own", "before", "around"]))
            block = f"<{tag}>{text}</{tag}>" if tag != "span" else f"{text}<br/><br/>"
            block = f"<table><tr>{block}</tr></table>" if tag == "td" else block
            key = f"a{len(texts)}"
            if anchor == "own" and tag != "span":
                block = block.replace(">", f' id="{key}">', 1)
            elif anchor == "before":
                block = f'<a id="{key}"/>{block}'
            elif anchor:
                block = f'<section id="{key}">{block}</section>'
            if anchor and draw(st.booleans()):
                lines.append((f"Title {key}", f"{name}#{key}"))
            texts.append(" ".join(text.split()))
            body.append(block)
        documents[name] = "".join(body)
        if draw(st.booleans()):
            lines.append((f"Title {name}", name))
    lines = draw(st.permutations(lines))
    half = draw(st.integers(0, len(lines)))
    nested = [*lines[:half], ("Whole", "d0.xhtml", lines[half:])] if draw(st.booleans()) else lines
    return epub(documents, nested or None, version=draw(st.sampled_from([2, 3]))), texts


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(_books())
def test_every_text_of_any_book_is_there_once_and_in_order(tmp_path, made):
    data, texts = made
    if texts:
        book = _read(tmp_path, data)
        assert [text for chapter in book.chapters for text in chapter.paragraphs] == texts
        assert all(chapter.title and chapter.paragraphs for chapter in book.chapters)


_MARKUP = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<a",
                "href='#x'>",
                "<a",
                "id='x'/>",
                "</a>",
                "<sup>",
                "</sup>",
                "<table><tr><td>",
                "<nav>",
                "</nav>",
                "<br>",
                "<![CDATA[",
                "]]>",
                "<!--",
                "-->",
                "&amp;",
                "&x;",
                "&#0;",
                "&#xD800;",
                "<svg><title>",
                "</body>",
                "<aside",
                "epub:type='footnote'>",
                "<?pi",
                "?>",
                "<!DOCTYPE",
                "x",
                "[",
                "]>",
                "<ol><li>",
                "<h1>",
                "<h1/>",
                "text",
            ]
        ),
        st.text(max_size=12),
    ),
    max_size=25,
).map("".join)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_MARKUP, _MARKUP, st.binary(max_size=60), st.sampled_from([SPOKEN_KINDS, frozenset(KINDS)]))
def test_any_markup_is_read_or_refused(tmp_path, document, contents, raw, kinds):
    data = epub(
        {"a.xhtml": document.encode("utf-8", "replace"), "b.xhtml": raw, "c.xhtml": "<p>Text.</p>"},
        [],
        more={"OEBPS/nav.xhtml": contents.encode("utf-8", "replace")},
    )
    path = tmp_path / "book.epub"
    path.write_bytes(data)
    with contextlib.suppress(VoxmatrixError):
        assert "Text." in [text for chapter in read_book(path, kinds).chapters for text in chapter.paragraphs]


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400), st.sampled_from([".epub", ".txt", ".md", ".html"]))
def test_any_bytes_are_read_or_refused(tmp_path, data, suffix):
    path = tmp_path / f"book{suffix}"
    path.write_bytes(data)
    with contextlib.suppress(VoxmatrixError):
        assert read_book(path).chapters


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_archive_is_read_or_refused(tmp_path, data):
    whole = bytearray(epub({"a.xhtml": "<p>Text.</p>"}, [("One", "a.xhtml")]))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    del whole[data.draw(st.integers(len(whole) // 2, len(whole))) :]
    path = tmp_path / "book.epub"
    path.write_bytes(whole)
    with contextlib.suppress(VoxmatrixError):
        assert read_book(path).chapters


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=400), st.text(max_size=200))
def test_any_package_is_read_or_refused(tmp_path, package, container):
    files = {
        "x.opf": package.encode("utf-8", "replace"),
        "META-INF/container.xml": container.encode("utf-8", "replace"),
    }
    path = tmp_path / "book.epub"
    path.write_bytes(archive({**files, "META-INF/encryption.xml": package.encode("utf-8", "replace")}))
    with pytest.raises(VoxmatrixError):
        read_book(path)


_REAL = sorted(Path(os.environ["VOXMATRIX_TEST_EPUBS"]).rglob("*.epub")) if "VOXMATRIX_TEST_EPUBS" in os.environ else []


@pytest.mark.skipif(not _REAL, reason="VOXMATRIX_TEST_EPUBS names no folder with EPUB files")
@pytest.mark.parametrize("path", _REAL, ids=lambda path: path.name)
def test_nearly_every_word_of_a_real_book_is_read_with_its_notes(path):
    book = read_book(path, KINDS)
    read = Counter(word for chapter in book.chapters for text in chapter.paragraphs for word in _words(text))
    there: Counter[str] = Counter()
    with Archive(path) as opened:
        package = read_package(opened, [])
        for name in package.spine:
            for paragraph in descendants(parse(opened.read(name), name), "p"):
                if paragraph.xpath("not(ancestor-or-self::*[contains(@class, 'toc')])"):
                    there.update(_words(str(paragraph.xpath("string()")).replace("\u00ad", "")))
    missing = there - read
    assert sum(missing.values()) <= 0.005 * sum(there.values()) + 15, missing.most_common(20)
    assert [chapter.index for chapter in book.chapters] == list(range(1, len(book.chapters) + 1))
    assert all(chapter.title == " ".join(chapter.title.split()) for chapter in book.chapters)


def _words(text: str) -> list[str]:
    return [word for word in "".join(c if c.isalpha() else " " for c in text).split() if len(word) > 1]
