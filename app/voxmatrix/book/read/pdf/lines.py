"""Lines of a page in reading order: runs to lines, columns one after the other, initials before their words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from statistics import median, mode

from voxmatrix.book.read.marks import lowered, raised
from voxmatrix.book.read.pdf.document import Page, Run

#: In ems: how far runs of one line may differ in height, and how wide a space and the gap between two cells are.
_SAME_BASE, _SPACE, _CELL = 0.15, 0.16, 1.05
#: A number of a note stands higher by this, and is smaller.
_RAISED, _SMALLER = 0.12, 0.87
_INITIAL = 1.8
#: Of a column, and of a line.
_MAX_INITIALS, _MAX_RAISED = 9, 30
_MIN_ROWS, _FILLED, _MAX_COLUMNS_DEEP = 6, 0.6, 2
#: An index has columns of short lines, which are many, and longer than the cells of most tables.
_MANY_ROWS, _WORDS, _LISTED = 15, 12, 0.35
#: The part of the width in which a gutter is looked for.
_FROM, _TO = 0.2, 0.8
#: On a page that has the columns of others, how many lines may go over the gutter, and how many pages have them.
_MOST_OVER, _MIN_PAGES = 0.2, 3
_HEADING = 1.1


@dataclass(slots=True)
class Line:
    """Runs on one base line, from the left to the right."""

    runs: list[Run]
    page: int
    left: float
    right: float
    base: float
    #: Of most of its letters.
    size: float
    #: The edges of its column.
    edges: tuple[float, float] = (0.0, 0.0)
    #: A large first letter that goes down over several lines.
    initial: str = ""
    text: str = ""

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(run.bold for run in self.runs)

    @property
    def indent(self) -> float:
        """How far it begins to the right of its column's edge."""
        return self.left - self.edges[0]

    def cells(self) -> list[list[Run]]:
        """Its runs, divided at gaps as between the cells of a table."""
        found = [[self.runs[0]]]
        for before, run in pairwise(self.runs):
            if run.left - before.right > _CELL * self.size:
                found.append([])
            found[-1].append(run)
        return found


@dataclass
class Column:
    """Lines one below the other."""

    lines: list[Line] = field(default_factory=list)


def columns_of(pages: Sequence[Page], body: float) -> list[Column]:
    """The columns of all pages in reading order; `body` is the size of the book's text."""
    gutters = [_gutter(page.runs, body) for page in pages]
    found: list[Column] = []
    usual = [_usual(gutters[parity::2]) for parity in (0, 1)]
    for page, own in zip(pages, gutters, strict=True):
        of_others = usual[(page.number - 1) % 2]
        is_used = own is None and of_others is not None and _is_free(page.runs, of_others)
        regions = _regions(page.runs, of_others if is_used else own, body)
        found += (Column(_lines(runs, page.number, body)) for runs in regions)
    return [column for column in found if column.lines]


def _usual(gutters: Sequence[float | None]) -> float | None:
    """Where most pages with columns are divided."""
    found = [round(gutter) for gutter in gutters if gutter is not None]
    return mode(found) if len(found) >= _MIN_PAGES else None


def text_of(runs: Sequence[Run], size: float, base: float) -> str:
    """The text of runs in a line, without the numbers of notes."""
    text, right = "", runs[0].left
    for run in runs:
        piece = run.text
        if run.size <= _SMALLER * size and abs(base - run.base) > _RAISED * size:
            piece = raised(piece, text) if run.base < base else lowered(piece)
        if text and piece and not text[-1].isspace() and run.left - right > _SPACE * max(run.size, size):
            text += " "
        text, right = text + piece, run.right
    return " ".join(text.split())


def _regions(runs: Sequence[Run], gutter: float | None, body: float, deep: int = 1) -> list[list[Run]]:
    """Runs by columns. What goes over the gutter divides the columns above it from those below."""
    if gutter is None:
        return [list(runs)]
    found: list[list[Run]] = []
    across = _across(runs, gutter, body)
    ordered = sorted(runs, key=lambda run: run.base)
    for crosses, group in groupby(ordered, key=lambda run: id(run) in across):
        part = list(group)
        if crosses:
            found.append(part)
            continue
        for side in ([run for run in part if run.left < gutter], [run for run in part if run.left >= gutter]):
            inner = _gutter(side, body) if deep < _MAX_COLUMNS_DEEP else None
            found += _regions(side, inner, body, deep + 1) if side else []
    return found


def _across(runs: Sequence[Run], gutter: float, body: float) -> set[int]:
    """The ids of the runs in lines that go over a gutter, and in headings that nothing stands beside."""
    rows = _rows(runs)
    found: set[int] = set()
    for index, row in enumerate(rows):
        goes_over = any(run.left < gutter - 1 and run.right > gutter + 1 for run in row)
        if goes_over or (min(run.size for run in row) > _HEADING * body and _is_alone(rows, index)):
            found.update(map(id, row))
    return found


def _is_alone(rows: Sequence[Sequence[Run]], index: int) -> bool:
    size, base = rows[index][0].size, rows[index][0].base
    above = rows[index - 1][-1].base if index else 0.0
    below = rows[index + 1][0].base - rows[index + 1][0].size if index + 1 < len(rows) else base + 2 * size
    return base - above > 1.5 * size and below - base > 0.3 * size


def _is_free(runs: Sequence[Run], gutter: float) -> bool:
    """Whether a page may have the columns of others: few lines go over their gutter, and some begin behind it."""
    rows = _rows(runs)
    over = sum(any(run.left < gutter - 1 and run.right > gutter + 1 for run in row) for row in rows)
    behind = sum(any(run.left >= gutter for run in row) for row in rows)
    return behind > 0 and over <= _MOST_OVER * len(rows)


def _rows(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs of one height, whatever column they are in."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: run.base):
        if rows and run.base - rows[-1][-1].base <= _SAME_BASE * run.size:
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _gutter(runs: Sequence[Run], body: float) -> float | None:
    """Where the text is divided into columns: both sides have lines that fill them, and few go across."""
    if len(runs) < 2 * _MIN_ROWS:
        return None
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    first, last = round(left + _FROM * (right - left)), round(left + _TO * (right - left))
    steps = [0] * (last - first + 2)
    for run in runs:
        start, end = max(round(run.left + 0.5), first), min(round(run.right - 0.5), last + 1)
        if start < end:
            steps[start - first] += 1
            steps[end - first] -= 1
    best: tuple[int, int, float] | None = None
    crossing, position = 0, first
    counts = [crossing := crossing + step for step in steps[:-1]]
    for count, group in groupby(counts):
        width = len(list(group))
        if best is None or (count, -width) < best[:2]:
            best = (count, -width, position + width / 2)
        position += width
    return best[2] if best is not None and _divides(runs, best[2], body) else None


def _divides(runs: Sequence[Run], gutter: float, body: float) -> bool:
    across = _across(runs, gutter, body)
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    inside = [run for run in runs if id(run) not in across]
    sides = ([run for run in inside if run.left < gutter], [run for run in inside if run.left >= gutter])
    for side, width in zip(sides, (gutter - left, right - gutter), strict=True):
        widths = [max(run.right for run in row) - min(run.left for run in row) for row in _rows(side)]
        filled = _FILLED if len(widths) < _MANY_ROWS or median(len(run.text) for run in side) < _WORDS else _LISTED
        if len(widths) < _MIN_ROWS or median(widths) < filled * width:
            return False
    return True


def _lines(runs: Sequence[Run], page: int, body: float) -> list[Line]:
    initials = [run for run in runs if run.size >= _INITIAL * body and _is_initial(run.text)]
    initials = initials if len(initials) <= _MAX_INITIALS else []
    rows = _with_raised(_rows([run for run in runs if all(run is not initial for initial in initials)]))
    lines = [_line(row, page) for row in rows]
    for initial in initials:
        _put_before(initial, lines, page)
    return sorted(lines, key=lambda line: line.base)


def _is_initial(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return len(letters) == 1 and len(text.strip()) <= 2 and letters[0].isupper()


def _line(runs: Iterable[Run], page: int) -> Line:
    ordered = sorted(runs, key=lambda run: run.left)
    sizes: Counter[tuple[float, float]] = Counter()
    for run in ordered:
        sizes[run.size, run.base] += sum(map(str.isalnum, run.text)) + 1
    size, base = max(sizes, key=lambda key: (sizes[key], key))
    line = Line(ordered, page, ordered[0].left, max(run.right for run in ordered), base, size)
    line.text = text_of(ordered, size, base)
    return line


def _with_raised(rows: list[list[Run]]) -> list[list[Run]]:
    """Rows with the small runs that stand a little above or below them, beside a word."""
    small: set[int] = set()
    for index, row in enumerate(rows):
        for other in rows[max(0, index - 2) : index] + rows[index + 1 : index + 3]:
            if id(other) not in small and _belongs(row, other):
                other.extend(row)
                small.add(id(row))
                break
    return [row for row in rows if id(row) not in small]


def _belongs(row: Sequence[Run], other: Sequence[Run]) -> bool:
    size, base = max((run.size, run.base) for run in other)
    shift = row[0].base - base
    if (
        len(row) > _MAX_RAISED
        or not (-0.7 * size <= shift <= 0.35 * size)
        or any(run.size > _SMALLER * size for run in row)
    ):
        return False
    return all(
        any(abs(run.left - beside.right) < size or abs(beside.left - run.right) < size for beside in other)
        and not any(run.left < beside.right - 1 and beside.left < run.right - 1 for beside in other)
        for run in row
    )


def _put_before(initial: Run, lines: list[Line], page: int) -> None:
    """Give an initial to the first of the lines beside it, which then all begin where it begins."""
    top = initial.base - initial.size
    beside = [
        line
        for line in lines
        if top < line.base <= initial.base + (1.2 if line.left >= initial.right - 1 else 0.2) * line.size
        and line.size < initial.size
        and initial.left - 1 <= line.left <= initial.right + 1.5 * line.size
    ]
    if not beside:
        lines.append(_line([initial], page))
        return
    first = min(beside, key=lambda line: line.base)
    first.initial = initial.text.strip()
    for line in beside:
        line.left = initial.left
