"""The navigation document of a book that has none."""

import re

from voxmatrix.book.join.overlay.navigation import navigation
from voxmatrix.book.read.epub_contents import ContentsEntry
from voxmatrix.book.read.markup import Link


def outline(*levels: int) -> str:
    """The lists of a contents with these levels, as `[1[2,3]]`."""
    entries = [ContentsEntry(str(number), Link(f"{number}.xhtml", ""), level) for number, level in enumerate(levels, 1)]
    text = navigation("A Book", entries, "EPUB/nav.xhtml")
    marks = {"<ol>": "[", "</ol>": "]", "</li>": ","}
    found = "".join(marks.get(part, part) for part in re.findall(r"<ol>|</ol>|</li>|(?<=>)\d+(?=</a>)", text))
    return re.sub(r",+(?=\])", "", found).replace(",,", ",")


def test_levels_are_lists_and_those_of_the_same_level_stand_side_by_side() -> None:
    assert outline(1, 1) == "[1,2]"
    assert outline(1, 2, 2, 1) == "[1[2,3],4]"
    assert outline(2, 2, 1) == "[1,2,3]"
    assert outline(1, 3, 2, 1) == "[1[2,3],4]"
