"""Who says what in a book, as JSON: found by one process, and shown by another."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.book.people.cast import Attribution, Line
from voxmatrix.book.people.corrections import Place
from voxmatrix.book.people.persons import KnownPerson

_OF_SPEECH = ("paragraph", "start", "end", "who", "rule", "head")
_OF_LINE = ("who", "sex", "rule", "sure", "sex_sure")


def facts_of(found: Attribution) -> dict[str, Any]:
    """All that was found, as JSON."""
    lines: dict[int, list[list[Any]]] = {}
    for line in found.lines:
        lines.setdefault(line.place.chapter, []).append([getattr(line, key) for key in _OF_LINE])
    chapters = [
        {
            "title": chapter.title,
            "paragraphs": chapter.paragraphs,
            "speeches": [[getattr(speech, key) for key in _OF_SPEECH] for speech in chapter.speeches],
            "lines": lines.get(number, []),
        }
        for number, chapter in enumerate(found.book.chapters)
    ]
    persons = {name: asdict(person) for name, person in found.persons.items()}
    return {"title": found.book.title, "language": found.book.language, "chapters": chapters, "persons": persons}


def attribution_of(facts: Mapping[str, Any]) -> Attribution:
    """What was found, of what `facts_of` has made.

    Raises:
        LookupError, TypeError, ValueError: it was made by another version.
    """
    chapters, lines = [], []
    for number, row in enumerate(facts["chapters"]):
        speeches = tuple(Speech(**dict(zip(_OF_SPEECH, one, strict=True))) for one in row["speeches"])
        chapters.append(Chapter(number + 1, row["title"], tuple(row["paragraphs"]), speeches))
        lines += [
            Line(place=Place(number, index), **dict(zip(_OF_LINE, one, strict=True)))
            for index, one in enumerate(row["lines"])
        ]
    persons = {
        name: KnownPerson(tuple(one["also"]), one["sex"], one["evidence"]) for name, one in facts["persons"].items()
    }
    book = Book(facts["title"], (), facts["language"], None, tuple(chapters))
    return Attribution(book, lines, persons=persons)
