"""Any contents, however long and deep, lead to chapters in which every passage is, once and in order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read.chapters import MANY_CHAPTERS, SHORT_CHAPTER, by_contents, divide
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.markup import Link
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.errors import Finding

_LINES = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([10, SHORT_CHAPTER, 2 * SHORT_CHAPTER])), min_size=1, max_size=150
)


@settings(max_examples=examples(100))
@given(_LINES)
def test_no_contents_lose_a_passage_or_a_line_of_the_first_level(lines: list[tuple[int, int]]) -> None:
    levels = [1, *(level for level, _ in lines[1:])]
    document = Document("a", passages=[Passage(f"{n} ".ljust(size, "x"), 0, None) for n, (_, size) in enumerate(lines)])
    document.anchors = {str(number): number for number in range(len(lines))}
    entries = [ContentsEntry(f"Line {n}", Link("a", str(n)), level) for n, level in enumerate(levels)]
    findings: list[Finding] = []

    chapters = divide([document], by_contents([document], entries, findings), "Book", SPOKEN_KINDS)

    assert [text for chapter in chapters for text in chapter.paragraphs] == [p.text for p in document.passages]
    titles = {chapter.title for chapter in chapters}
    assert {f"Line {n}" for n, level in enumerate(levels) if level == 1} <= titles
    assert len(findings) == (len(chapters) < len(lines))
    if len(lines) <= MANY_CHAPTERS:
        assert len(chapters) == len(lines)
