"""The chapter marks of an MP4 file, read from both places where players look for them: what ffmpeg wrote is checked.

Nero's list is one box, `chpl`, whose count has one byte. Apple's players read a track of texts instead, which the sound
refers to as its `chap`: QuickTime File Format, "Chapter Lists".
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, repeat, zip_longest
from pathlib import Path
from typing import BinaryIO, NamedTuple

from voxmatrix.book.join.tags import chapter_title
from voxmatrix.book.join.timeline import Timeline
from voxmatrix.errors import DamagedFileError
from voxmatrix.wording import quoted

#: Nero's list ends there.
MAX_NERO_MARKS = 255
#: Times are rounded to milliseconds, twice: a start, and the length of what is before it.
_TOLERANCE_SECONDS = 0.002
_NERO_UNITS_PER_SECOND = 10_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a chapter starts."""

    seconds: float
    title: str


@dataclass(frozen=True, kw_only=True)
class ChapterMarks:
    """The marks of a file, by the place where they are."""

    nero: tuple[Mark, ...]
    quicktime: tuple[Mark, ...]


class _Box(NamedTuple):
    """A box: its type, and where its content is in the file, in bytes."""

    kind: bytes
    start: int
    end: int


def check_chapter_marks(path: Path, line: Timeline, out: Path) -> None:
    """Check that a file has a mark in both places for each chapter of its timeline; `out` is named in the message.

    Raises:
        DamagedFileError: one is missing, or has another time or title.
    """
    planned = [
        Mark(line.seconds(one.start), chapter_title(one.chapter.title, one.chapter.index)) for one in line.chapters
    ]
    found = read_chapter_marks(path)
    difference = _difference("the list of Nero", planned[:MAX_NERO_MARKS], found.nero)
    difference = difference or _difference("the chapter track of QuickTime", planned, found.quicktime)
    if difference:
        raise DamagedFileError(
            f"{out} was not written: {difference}",
            "this version of ffmpeg writes chapters wrong: install another one (pip install --upgrade imageio-ffmpeg "
            "has one, which is used if no other ffmpeg is in the PATH), and run the same command again; "
            "what is spoken is kept",
        )


def _difference(place: str, planned: Sequence[Mark], found: Sequence[Mark]) -> str:
    """What is wrong with the marks in a place; "" if nothing is."""
    for number, (one, other) in enumerate(zip_longest(planned, found), start=1):
        same = one and other and one.title == other.title.rstrip()  # a backslash at its end is followed by a blank
        if not same or abs(one.seconds - other.seconds) > _TOLERANCE_SECONDS:
            return f"mark {number} of {len(planned)} in {place} should be {_shown(one)}, and is {_shown(other)}"
    return ""


def _shown(mark: Mark | None) -> str:
    return f"{quoted(mark.title)} at {mark.seconds:.3f} s" if mark else "missing"


def read_chapter_marks(path: Path) -> ChapterMarks:
    """The chapter marks of an MP4 file. Its sound is not read.

    Raises:
        DamagedFileError: it is not an MP4 file, or its boxes do not fit into each other.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            movie = _child(file, _Box(b"", 0, path.stat().st_size), b"moov")
            return ChapterMarks(nero=_nero(file, movie), quicktime=_quicktime(file, movie))
        except (struct.error, IndexError) as error:
            raise DamagedFileError(f"{path} is not a complete MP4 file", "create it again") from error


def _nero(file: BinaryIO, movie: _Box) -> tuple[Mark, ...]:
    """Version, flags and 4 reserved bytes, the count; of each mark the time, the length of its title, the title."""
    box = _descendant(file, movie, b"udta", b"chpl")
    if box is None:
        return ()
    content, at, marks = _content(file, box), 9, []
    for _ in range(content[8]):
        time, size = struct.unpack_from(">QB", content, at)
        marks.append(Mark(time / _NERO_UNITS_PER_SECOND, content[at + 9 : at + 9 + size].decode("utf-8", "replace")))
        at += 9 + size
    return tuple(marks)


def _quicktime(file: BinaryIO, movie: _Box) -> tuple[Mark, ...]:
    """The texts of the track that others refer to as their chapters."""
    tracks = [box for box in _boxes(file, movie) if box.kind == b"trak"]
    references = [box for track in tracks if (box := _descendant(file, track, b"tref", b"chap"))]
    wanted = {number for box in references for (number,) in struct.iter_unpack(">I", _content(file, box))}
    track = next((track for track in tracks if _track_number(file, track) in wanted), None)
    if track is None:
        return ()
    media = _child(file, track, b"mdia")
    table = _child(file, _child(file, media, b"minf"), b"stbl")
    units = _units_per_second(file, media)
    return tuple(
        Mark(start / units, title) for start, title in zip(_starts(file, table), _titles(file, table), strict=False)
    )


def _track_number(file: BinaryIO, track: _Box) -> int:
    header = _content(file, _child(file, track, b"tkhd"))
    return int(struct.unpack_from(">I", header, 20 if header[0] else 12)[0])


def _units_per_second(file: BinaryIO, media: _Box) -> int:
    header = _content(file, _child(file, media, b"mdhd"))
    units = int(struct.unpack_from(">I", header, 20 if header[0] else 12)[0])
    if not units:
        raise struct.error("a track has no unit of time")
    return units


def _starts(file: BinaryIO, table: _Box) -> Iterator[int]:
    """When each sample of a track starts: the sum of the durations before it. Counts of a damaged file may be huge."""
    rows = _rows(file, _child(file, table, b"stts"), ">II")
    return accumulate((duration for count, duration in rows for _ in range(count)), initial=0)


def _titles(file: BinaryIO, table: _Box) -> Iterator[str]:
    """The texts of the samples of a track: each begins with its length, and may be followed by other things."""
    for offset in _offsets(file, table):
        file.seek(offset)
        (size,) = struct.unpack(">H", file.read(2))
        yield file.read(size).decode("utf-8", "replace")


def _offsets(file: BinaryIO, table: _Box) -> Iterator[int]:
    """Where each sample of a track is. Samples lie in chunks; a row tells from which chunk on each has how many."""
    content = _content(file, _child(file, table, b"stsz"))
    same, count = struct.unpack_from(">II", content, 4)
    sizes = iter(repeat(same, count) if same else struct.unpack_from(f">{count}I", content, 12))
    large = _descendant(file, table, b"co64")
    chunks = [row[0] for row in _rows(file, large or _child(file, table, b"stco"), ">Q" if large else ">I")]
    rows = list(_rows(file, _child(file, table, b"stsc"), ">III"))
    for (first, samples, _), following in zip_longest(rows, rows[1:]):
        for chunk in chunks[first - 1 : following[0] - 1 if following else None]:
            *starts, _ = accumulate(islice(sizes, samples), initial=chunk)
            yield from starts


def _rows(file: BinaryIO, box: _Box, form: str) -> Iterator[tuple[int, ...]]:
    """The rows of a table: version, flags and count are before them."""
    content = _content(file, box)
    (count,) = struct.unpack_from(">I", content, 4)
    return struct.iter_unpack(form, content[8 : 8 + count * struct.calcsize(form)])


def _boxes(file: BinaryIO, parent: _Box) -> Iterator[_Box]:
    at = parent.start
    while at + 8 <= parent.end:
        file.seek(at)
        size, kind = struct.unpack(">I4s", file.read(8))
        start = at + 8
        if size == 1:  # too large for 4 bytes
            (size,) = struct.unpack(">Q", file.read(8))
            start += 8
        end = at + size if size else parent.end  # 0: to the end
        if not start <= end <= parent.end:
            raise struct.error(f"{kind!r} ends behind {parent.kind!r}")
        yield _Box(kind, start, end)
        at = end


def _child(file: BinaryIO, parent: _Box, kind: bytes) -> _Box:
    found = _descendant(file, parent, kind)
    if found is None:
        raise struct.error(f"no {kind!r} in {parent.kind!r}")
    return found


def _descendant(file: BinaryIO, parent: _Box, *kinds: bytes) -> _Box | None:
    box: _Box | None = parent
    for kind in kinds:
        box = next((one for one in _boxes(file, box) if one.kind == kind), None) if box else None
    return box


def _content(file: BinaryIO, box: _Box) -> bytes:
    file.seek(box.start)
    return file.read(box.end - box.start)
