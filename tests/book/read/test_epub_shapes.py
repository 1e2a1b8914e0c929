"""Every EPUB of tests/book/shapes.py becomes the chapters that are written beside it."""

import pytest

from tests.book.shapes import SHAPES
from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import read_book


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_an_epub_becomes_the_chapters_that_a_listener_expects(shape, tmp_path):
    path = tmp_path / "book.epub"
    path.write_bytes(shape.data)
    book = read_book(path, SPOKEN_KINDS | {"notes"} if shape.notes else SPOKEN_KINDS)
    assert [(chapter.title, list(chapter.paragraphs)) for chapter in book.chapters] == [
        (title, list(texts)) for title, texts in shape.chapters
    ]
    assert [chapter.index for chapter in book.chapters] == list(range(1, len(shape.chapters) + 1))
    assert len(book.findings) == len(shape.findings), book.findings
    for word in shape.findings:
        assert any(word in finding.problem and finding.remedy for finding in book.findings), (word, book.findings)
