"""`voxmatrix book inspect`: what is in a book, and how long it takes."""

from base64 import b64encode
from dataclasses import asdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from voxmatrix.cli.book.contents import (
    BookFile,
    Chapters,
    Exclude,
    Include,
    Notes,
    duration,
    read_chapters,
    split_language,
    wanted_kinds,
)
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.cli.voice_speed import between, wire
from voxmatrix.errors import Finding
from voxmatrix.wording import printable

if TYPE_CHECKING:
    from voxmatrix.book.content import Book

#: Of each chapter, at least.
_BEGINNING_CHARACTERS = 200


def command(
    file: BookFile,
    chapters: Chapters = "",
    include: Include = "",
    exclude: Exclude = "",
    notes: Notes = False,
    voice: options.VoicePath = "",
    as_json: options.AsJson = False,
) -> None:
    """Show the chapters of a book, what is left out, how long it will be, and how long this computer needs for it."""
    book = read_chapters(file, chapters, wanted_kinds(include, exclude, notes=notes))
    language = _split_language(book, voice)
    rows = [_row(chapter.index, chapter.title, chapter.paragraphs, language) for chapter in book.chapters]
    if as_json:
        print_json(_contents(book, rows, voice))
        return
    _print_contents(book, rows)
    for finding in book.findings:
        warn(finding)
    _print_duration(sum(row["seconds"] for row in rows), voice)


def _split_language(book: "Book", voice: str) -> str:
    """As `book make` splits it with this voice."""
    if not voice:
        return book.language
    from voxmatrix.voices.resolve import resolve

    return split_language(book, resolve(voice).language)


def _contents(book: "Book", rows: list[dict[str, Any]], voice: str) -> dict[str, Any]:
    from voxmatrix.book.join.cover import thumbnail

    small = thumbnail(book.cover)
    found = {
        "title": book.title,
        "authors": book.authors,
        "language": book.language,
        "cover": book.cover is not None,
        "thumbnail": None if small is None else b64encode(small).decode("ascii"),
        **asdict(book.about),
        "kinds": [asdict(part) for part in book.kinds],
        "warnings": [finding.problem for finding in book.findings],
        "chapters": rows,
    }
    if voice:
        from voxmatrix.speak.speed import speed_of
        from voxmatrix.voices.resolve import resolve

        found |= wire(speed_of(resolve(voice)))
    return found


def _row(index: int, title: str, paragraphs: tuple[str, ...], language: str) -> dict[str, Any]:
    from voxmatrix.book.units import sentences
    from voxmatrix.work.estimate import estimated_seconds

    found = [one.text for one in sentences(paragraphs, language)]
    return {
        "index": index,
        "title": title,
        "characters": sum(map(len, paragraphs)),
        "sentences": len(found),
        "beginning": _beginning(found),
        "seconds": round(sum(map(estimated_seconds, found)), 1),
    }


def _beginning(found: list[str]) -> str:
    """The first sentences, enough to hear how they are spoken."""
    shorter = sum(length < _BEGINNING_CHARACTERS for length in accumulate(map(len, found)))
    return " ".join(found[: shorter + 1])


def _print_contents(book: "Book", rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    about = [book.title or "without a title", ", ".join(book.authors), book.language]
    echo(" · ".join(filter(None, about)) + ("" if book.cover else " · no cover"))
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("chapter", overflow="fold")
    for heading in ("characters", "sentences", "time"):
        table.add_column(heading, justify="right")
    for row in rows:
        numbers = (str(row["characters"]), str(row["sentences"]), duration(row["seconds"]))
        table.add_row(str(row["index"]), printable(row["title"]), *numbers)
    Console(markup=False, highlight=False).print(table)
    for part in book.kinds:
        of = f"{part.kind:12}  {part.count:6,}  {part.characters:9,} characters  {part.beginning[:40]}"
        echo(f"{'read    ' if part.spoken else 'left out'}  {of}")
    if any(not part.spoken for part in book.kinds):
        echo("  → --include KIND reads what is left out, --exclude KIND leaves out what is read")


def _print_duration(seconds: float, name: str) -> None:
    from voxmatrix.errors import VoxmatrixError
    from voxmatrix.speak.speed import speed_of
    from voxmatrix.voices.resolve import resolve

    echo(f"about {duration(seconds)} of speech")
    try:
        voice = resolve(name)
        speed = speed_of(voice)
    except VoxmatrixError as error:
        if name:
            raise
        warn(Finding(problem=error.problem, remedy=error.remedy, severity="warning"))
        return
    takes = between(duration(seconds / speed.fast), duration(seconds / speed.slow))
    echo(f"about {takes} to speak it with {voice.id} on this computer's CPU")
