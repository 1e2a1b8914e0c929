"""Lines to paragraphs, headings, notes, rows of tables, and tables of contents."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

from voxmatrix.book.read.marks import NUMBERED_WORDS, ROMAN
from voxmatrix.book.read.pdf.lines import Column, Line
from voxmatrix.book.read.pdf.style import Style, half
from voxmatrix.book.read.unspoken import is_contents_title

#: Sizes that differ by this are not those of one paragraph.
_OTHER_SIZE = 0.06
#: Between paragraphs, of the usual distance of lines; and the size of headings, of that of the text.
_MORE_LEADING, _LARGER, _NOTE_SIZE = 1.3, 1.1, 0.93
#: How a line ends behind which a paragraph may end.
_ENDS = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f\u2014][\"'\u2019\u201d\u201c\u00bb\u00ab)\]]*$")
_HYPHEN = re.compile(r"\w[-\u00ad\u2010]$")
_NOTE_START = re.compile(r"[\[(]?(?:\d{1,3}|[a-z](?=[.)\]]))(?:[.)\]]|(?=\s))|[*\u2020\u2021\u00a7\u2217]{1,3}")
_PAGE_NUMBER = re.compile(rf"(\d{{1,5}}|{ROMAN})")
_LEADERS = re.compile(rf"(?:\s?[.\u00b7\u2026_]){{3,}}\s*(\d{{1,5}}|{ROMAN})$")
#: A heading that is only a number, or a word with one.
NUMBERED = re.compile(rf"(?i:{NUMBERED_WORDS})\s+[\w-]+\.?|{ROMAN}\.?|\d{{1,3}}\.?")
_MAX_HEADING, _MAX_HEADING_LINES, _MAX_SMALL_HEADING = 200, 4, 80
#: How much of its column the lines of a quotation fill.
_QUOTATION = 0.7
_AROUND = 4
_ITEM, _HANGING = re.compile(r"[\u2022\u2023\u25aa\u25cf\u25e6\u2043*\u2013-]|\(?\w{1,3}[.)]"), 2.0
#: In points, how far the edges of cells below each other may differ.
_ALIGNED = 1.0
#: In pages: the front matter, and those of the printed book that a PDF may lack.
_FRONT, _BLANK_PAGES = 20, 20
_MIN_CONTENTS, _MAX_LEADERS = 3, 200


@dataclass
class Block:
    """Lines that belong together."""

    lines: list[Line] = field(default_factory=list)
    #: `heading`, or a kind of `voxmatrix.book.kinds`, or nothing for a paragraph.
    kind: str = ""
    level: int = 0


def blocks_of(columns: Sequence[Column], style: Style) -> list[Block]:
    """What the lines of a book are, in reading order. Notes stand behind the paragraph that their page ends with."""
    contents = _contents_pages(columns)
    notes: list[Block] = []
    flow: list[tuple[Line, str]] = []
    for column in columns:
        taken = _take_notes(column, style, notes)
        rows = _rows(column.lines[:taken])
        flow += [
            (line, "contents" if line.page in contents else "tables" if id(line) in rows else "")
            for line in column.lines[:taken]
        ]
    return list(_with_notes(_divided(flow, style), notes))


def _divided(flow: Sequence[tuple[Line, str]], style: Style) -> list[Block]:
    found: list[Block] = []
    for line, kind in flow:
        last = found[-1] if found else None
        if last is None or kind or last.kind or _begins(last, line, style):
            found.append(Block([line], kind))
        else:
            last.lines.append(line)
    _mark_headings(found, style)
    return found


def _begins(block: Block, line: Line, style: Style) -> bool:
    """Whether a line begins a paragraph. Only where it does not is the paragraph before it continued."""
    last = block.lines[-1]
    if abs(last.size - line.size) > _OTHER_SIZE * max(last.size, line.size) or line.initial:
        return True
    if line.size > _LARGER * style.size:
        return last.page != line.page or not 0 < line.base - last.base <= 2 * line.size
    if last.bold != line.bold and len(block.lines) == 1 and last.bold:
        return True
    follows = last.page == line.page and line.base > last.base and line.edges == last.edges
    is_divided = _HYPHEN.search(last.text) is not None and line.text[:1].islower()
    if not is_divided and follows and line.base - last.base > _MORE_LEADING * style.leading(line.size):
        return True
    goes_on = line.text[:1].islower() and not _ENDS.search(last.text)
    if is_divided or goes_on or (follows and _hangs(block.lines[0], line)):
        return False
    return _is_indented(last, line, style, follows=follows) or _has_ended(block, line, style, follows=follows)


def _is_indented(last: Line, line: Line, style: Style, *, follows: bool) -> bool:
    """Whether a line is indented as first lines are, and is not one of a quotation, all of whose lines are."""
    if not style.indent:
        return False
    if abs(line.indent - style.indent) > 0.25 * style.size:
        return line.indent - last.indent > 0.5 * style.size
    is_full = last.right - last.left >= _QUOTATION * (last.edges[1] - last.edges[0])
    return not (follows and abs(last.indent - line.indent) <= 1 and is_full and not _ENDS.search(last.text))


def _hangs(first: Line, line: Line) -> bool:
    """Whether a line stands below the text of an item, to the right of its number or bullet."""
    is_item = len(first.runs) > 1 and _ITEM.fullmatch(first.runs[0].text.strip()) is not None
    return is_item and abs(first.runs[1].left - line.left) <= _HANGING


def _has_ended(block: Block, line: Line, style: Style, *, follows: bool) -> bool:
    """Whether a line ends so early that the first word of the next one would have fitted behind it."""
    last = block.lines[-1]
    edge = last.edges[1]
    around = (*block.lines[-_AROUND:], line)
    if follows and all(one.indent > 0.5 * style.size for one in around):
        edge = max(one.right for one in around)  # a quotation, which is narrower
    words = line.text.split(maxsplit=1)
    first = (line.right - line.left) * (len(words[0]) + 1) / max(1, len(line.text)) if words else 0.0
    room = edge - last.right - max(first, 0.5 * style.size)
    ends = _ENDS.search(last.text) is not None
    starts_small = line.text[:1].islower()
    if room > 0 and not starts_small and (ends or (style.justified and room > style.size)):
        return True
    return not follows and not style.indent and ends and not starts_small


def _mark_headings(blocks: Sequence[Block], style: Style) -> None:
    """Find headings by their size, or by their weight where they stand alone, and give them levels."""
    large: list[Block] = []
    small: list[Block] = []
    for block in blocks:
        text = " ".join(line.text for line in block.lines)
        if block.kind or len(text) > _MAX_HEADING or len(block.lines) > _MAX_HEADING_LINES or not _has_letters(text):
            continue
        if min(line.size for line in block.lines) > _LARGER * style.size:
            large.append(block)
        elif len(block.lines) <= 2 and len(text) <= _MAX_SMALL_HEADING and _is_heading(block, text, style):
            small.append(block)
    sizes = sorted({half(block.lines[0].size) for block in large}, reverse=True)
    for block in large:
        block.kind, block.level = "heading", min(sizes.index(half(block.lines[0].size)) + 1, 6)
    for block in small:
        block.kind, block.level = "heading", min(len(sizes) + 1, 6)


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_heading(block: Block, text: str, style: Style) -> bool:
    """Whether a short paragraph in the size of the text is a heading."""
    line = block.lines[0]
    left, right = line.left - line.edges[0], line.edges[1] - line.right
    is_centred = left > 2 * style.size and abs(left - right) < 1.5 * style.size
    is_bold = not style.bold and all(line.bold for line in block.lines)
    is_named = NUMBERED.fullmatch(text) is not None or (text.isupper() and len(text) > 3)
    if not all(line.size >= 0.97 * style.size for line in block.lines):
        return False
    return (is_bold and not _ENDS.search(text.rstrip(".:"))) or (is_named and is_centred)


def _take_notes(column: Column, style: Style, notes: list[Block]) -> int:
    """Move the notes at the end of a column to `notes`; return how many of its lines are left."""
    lines = column.lines
    start = len(lines)
    while start and lines[start - 1].size <= _NOTE_SIZE * style.size:
        start -= 1
    marked = [index for index in range(start, len(lines)) if _note_mark(lines[index])]
    kind = _note_mark(notes[0].lines[0] if notes else lines[marked[0]]) if marked else ""
    marked = [index for index in marked if _note_mark(lines[index]) == kind]
    goes_on = start < len(lines) and bool(notes) and _goes_on(notes[-1].lines[-1], lines[start])
    if not goes_on and marked:
        start = marked[0]
    page_has_text = start and lines[start - 1].size <= _LARGER * style.size
    if (not marked and not goes_on) or not (page_has_text or goes_on):
        return len(lines)
    for index in range(start, len(lines)):
        if index in marked or not notes:
            notes.append(Block(kind="notes"))
        notes[-1].lines.append(lines[index])
    return start


def _goes_on(last: Line, line: Line) -> bool:
    """Whether a note of the page before may go on: its sentence has not ended, and the size is the same."""
    return last.page >= line.page - 1 and half(last.size) == half(line.size) and not _ENDS.search(last.text)


def _note_mark(line: Line) -> str:
    """How a note is marked: by a `raised` or a `plain` number or sign, or not."""
    is_raised = line.runs[0].size < line.size
    text = line.runs[0].text if is_raised else line.text
    found = _NOTE_START.match(text.strip() + " ")
    return "" if not found else "raised" if is_raised else "plain"


def _with_notes(blocks: Sequence[Block], notes: list[Block]) -> Iterator[Block]:
    waiting = iter(notes)
    note = next(waiting, None)
    for block in blocks:
        while note is not None and note.lines[0].page < block.lines[0].page:
            yield note
            note = next(waiting, None)
        yield block
    if note is not None:
        yield note
        yield from waiting


def _rows(lines: Sequence[Line]) -> set[int]:
    """The ids of lines that are rows of tables: cells of neighbouring rows stand below each other."""
    found: set[int] = set()
    cells = [[(cell[0].left, cell[-1].right) for cell in line.cells()[1:]] for line in lines]
    for index in range(1, len(lines)):
        pairs = product(cells[index - 1], cells[index])
        if any(min(abs(one[0] - other[0]), abs(one[1] - other[1])) <= _ALIGNED for one, other in pairs):
            found |= {id(lines[index - 1]), id(lines[index])}
    return found


def _contents_pages(columns: Sequence[Column]) -> set[int]:
    """The pages most of whose lines end in numbers that count up."""
    found: set[int] = set()
    by_page: dict[int, list[Line]] = {}
    for column in columns:
        by_page.setdefault(column.lines[0].page, []).extend(column.lines)
    for page, lines in by_page.items():
        numbers = [match[1] for line in lines if (match := _ends_in_page(line))]
        least = 1 if page - 1 in found else _MIN_CONTENTS
        most = len(numbers) >= max(least, 0.5 * len(lines)) and _counts_up(numbers)
        highest = max((int(number) for number in numbers if number.isdigit()), default=0)
        if most and highest <= max(by_page) + _BLANK_PAGES and (page - 1 in found or _may_be_contents(page, lines)):
            found.add(page)
    return found


def _may_be_contents(page: int, lines: Sequence[Line]) -> bool:
    """Whether a page is in front, has the title of a contents, or dots before most numbers: tables count up as well."""
    leaders = sum(_LEADERS.search(line.text[-_MAX_LEADERS:]) is not None for line in lines)
    return page <= _FRONT or any(is_contents_title(line.text) for line in lines[:3]) or 2 * leaders > len(lines)


def _ends_in_page(line: Line) -> re.Match[str] | None:
    """The number of a page at the end of a line, behind dots or a gap."""
    last = line.cells()[-1] if len(line.cells()) > 1 else ()
    return _LEADERS.search(line.text[-_MAX_LEADERS:]) or _PAGE_NUMBER.fullmatch(
        "".join(run.text for run in last).strip()
    )


def _counts_up(numbers: Sequence[str]) -> bool:
    values = [int(number) for number in numbers if number.isdigit()]
    ups = sum(one <= other for one, other in pairwise(values))
    return ups >= 0.8 * (len(values) - 1)
