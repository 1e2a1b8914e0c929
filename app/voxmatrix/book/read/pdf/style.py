"""How a book is set: the size of its text, the distance of its lines, the edges of its columns, its indents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from voxmatrix.book.read.pdf.document import Page
from voxmatrix.book.read.pdf.lines import Column

#: Of a size that no line follows in: the distance of lines, in ems.
_USUAL_LEADING = 1.25
_MAX_LEADING = 2.2
#: In ems, the indents of first lines.
_LEAST_INDENT, _MOST_INDENT = 0.6, 4.0
#: A column's edge has at least this part of all lines.
_EDGE, _NEAR_EDGE = 0.03, 1.5
_MAX_COLUMN_OFFSET = 8.0
#: In ems, a line that ends less far from the edge fills it.
_FULL = 1.0
_MOST = 0.6
_MIN_LINES, _INDENTED = 5, 0.03
_HIGH = 0.95


@dataclass(frozen=True)
class Style:
    """How the text of a book is set. All in points."""

    size: float
    #: By size, which is rounded to halves.
    leadings: dict[float, float]
    #: Of the first line of a paragraph; 0 if paragraphs are not indented.
    indent: float
    #: Whether lines are set to the full width.
    justified: bool
    bold: bool

    def leading(self, size: float) -> float:
        """The usual distance of two lines of a size."""
        return self.leadings.get(half(size), _USUAL_LEADING * size)


def half(size: float) -> float:
    """A size rounded to half a point."""
    return round(2 * size) / 2


def body_size(pages: Iterable[Page]) -> float:
    """The size that most letters have."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for run in page.runs:
            sizes[half(run.size)] += len(run.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=1.0)


def style_of(columns: Sequence[Column], size: float) -> Style:
    """How the lines of a book are set; gives each line the edges of its column."""
    _set_edges(columns, size)
    gaps: dict[float, list[float]] = defaultdict(list)
    indents: Counter[float] = Counter()
    full = follow = bold = 0
    for column in columns:
        for before, line in pairwise(column.lines):
            gap = line.base - before.base
            if half(before.size) == half(line.size) and 0 < gap <= _MAX_LEADING * line.size:
                gaps[half(line.size)].append(gap)
            if half(line.size) != size:
                continue
            follow += 1
            bold += line.bold
            full += line.edges[1] - line.right <= _FULL * size
            if before.indent < 0.3 * size and _LEAST_INDENT * size <= line.indent <= _MOST_INDENT * size:
                indents[half(line.indent)] += 1
    indent, count = max(indents.items(), key=lambda item: item[1], default=(0.0, 0))
    return Style(
        size,
        {key: median(found) for key, found in gaps.items() if len(found) >= _MIN_LINES},
        indent if count >= max(_MIN_LINES, _INDENTED * follow) else 0.0,
        justified=full >= _MOST * follow,
        bold=bold > follow / 2,
    )


def _set_edges(columns: Sequence[Column], size: float) -> None:
    """Left and right pages may have other edges."""
    for parity in (0, 1):
        found = [column for column in columns if column.lines and column.lines[0].page % 2 == parity]
        lines = [line for column in found for line in column.lines if half(line.size) == size]
        lefts = _edges([line.left for line in lines], size)
        nearest = [_left_of(column, lefts, size) for column in found]
        rights: dict[int, list[float]] = defaultdict(list)
        for column, left in zip(found, nearest, strict=True):
            rights[round(left)] += [line.right for line in column.lines if half(line.size) == size]
        ends = {left: sorted(values)[int(_HIGH * (len(values) - 1))] for left, values in rights.items() if values}
        for column, left in zip(found, nearest, strict=True):
            widest = max(line.right for line in column.lines)
            usual = ends.get(round(left), widest)
            right = max(usual, min(widest, usual + size))
            for line in column.lines:
                line.edges = (left, right)


def _edges(lefts: Sequence[float], size: float) -> list[float]:
    """Where columns begin: what many lines begin at, and not their indents."""
    counted = Counter(map(round, lefts))
    edges: list[float] = []
    for left, count in counted.most_common():
        if count < _EDGE * len(lefts) or len(edges) > 20:
            break
        if all(not -2 < left - edge < _MOST_INDENT * size for edge in edges):
            edges.append(float(left))
    return edges


def _left_of(column: Column, edges: Sequence[float], size: float) -> float:
    text = [line.left for line in column.lines if half(line.size) == size]
    least = min(text or [line.left for line in column.lines])
    fits = [edge for edge in edges if -_MAX_COLUMN_OFFSET * size <= edge - least <= _NEAR_EDGE]
    return max(fits, default=least)
