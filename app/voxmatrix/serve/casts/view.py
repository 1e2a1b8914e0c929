"""A cast as clients see it."""

from collections.abc import Sequence
from typing import Any

from voxmatrix.book.people.cast import CORRECTED, knows_speakers, speaker_of
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.serve.casts.store import Cast, wire_name
from voxmatrix.serve.errors import ApiError
from voxmatrix.voices.cast_table import CastPerson, Correction

#: Paragraphs of an answer: a book without headings is one chapter.
_PARAGRAPHS = 150
#: Characters of what a person says that tell enough of a voice.
_SAMPLE = range(40, 200)


def summary(cast: Cast) -> dict[str, Any]:
    """The people of a book with their voices, its chapters, and how much is sure."""
    found, table = cast.found, cast.table
    return {
        "id": cast.id,
        "title": found.book.title,
        "language": found.book.language,
        "knows_speakers": knows_speakers(found.book.language),
        "speeches": len(found.lines),
        "sure": sum(line.sure for line in found.lines),
        "people": _people(cast),
        **{key: wire_name(getattr(table, key)) for key in ("dialogue", "dialogue_male", "dialogue_female")},
        "unsure": table.unsure,
        "chapters": _chapters(cast),
        "lost": [_lost(one) for one in found.lost],
    }


def _people(cast: Cast) -> list[dict[str, Any]]:
    """Everybody who speaks, who speaks most first, and who is in the table only."""
    raw = {line.who.casefold() for line in cast.told.lines}
    samples = _samples(cast)
    rows = []
    speaking = {person.name.casefold() for person in cast.people}
    for person in cast.people:
        known = cast.table.by_name.get(person.name.casefold())
        also = known.also if known else person.also
        facts = {"speeches": person.speeches, "sure": person.sure, "sex": person.sex, "evidence": person.evidence}
        rows.append({**facts, **_decided(person.name, also, known, raw), "sample": samples.get(person.name, "")})
    silent = [person for person in cast.table.people if person.name.casefold() not in speaking]
    for known in silent:
        facts = {"speeches": 0, "sure": 0, "sex": known.sex, "evidence": ""}
        rows.append({**facts, **_decided(known.name, known.also, known, raw), "sample": ""})
    return rows


def _decided(name: str, also: Sequence[str], known: CastPerson | None, raw: set[str]) -> dict[str, Any]:
    return {
        "name": name,
        "narrator": name == NARRATOR,
        "also": list(also),
        "merged": [one for one in also if known and one.casefold() in raw],  # can be separated again
        "voice": wire_name(known.voice) if known else "",
        "proposed": known is None or known.proposed,
    }


def _samples(cast: Cast) -> dict[str, str]:
    """What each person says somewhere, of a length that tells enough of a voice, for sure if possible."""
    found: dict[str, tuple[tuple[bool, bool], str]] = {}
    for line in cast.found.lines:
        if not line.who or found.get(line.who, ((False, False), ""))[0] == (True, True):
            continue
        chapter = cast.found.book.chapters[line.place.chapter]
        speech = chapter.speeches[line.place.speech]
        text = chapter.paragraphs[speech.paragraph][speech.start : speech.end]
        rank = len(text) in _SAMPLE, line.sure
        if line.who not in found or rank > found[line.who][0]:
            found[line.who] = rank, text[: _SAMPLE.stop]
    return {who: text for who, (_, text) in found.items()}


def _chapters(cast: Cast) -> list[dict[str, Any]]:
    book = cast.found.book
    speeches, unsure = [0] * len(book.chapters), [0] * len(book.chapters)
    for line in cast.found.lines:
        speeches[line.place.chapter] += 1
        unsure[line.place.chapter] += not line.sure
    return [
        {"number": number + 1, "title": chapter.title, "speeches": speeches[number], "unsure": unsure[number],
         "parts": _parts(len(chapter.paragraphs))}
        for number, chapter in enumerate(book.chapters)
    ]  # fmt: skip


def _parts(paragraphs: int) -> int:
    return max(1, -(-paragraphs // _PARAGRAPHS))


def chapter_of(cast: Cast, number: int, part: int) -> dict[str, Any]:
    """The text of a chapter, or of a part of a long one, in pieces.

    Raises:
        ApiError: there is no such chapter.
    """
    chapters = cast.found.book.chapters
    if number > len(chapters) or part >= _parts(len(chapters[number - 1].paragraphs)):
        raise ApiError(404, "there is no such chapter", param="number", code="not_found")
    chapter = chapters[number - 1]
    lines = {line.place.speech: line for line in cast.found.lines if line.place.chapter == number - 1}
    first = part * _PARAGRAPHS
    pieces: dict[int, list[dict[str, Any]]] = {}
    for index, speech in enumerate(chapter.speeches):
        if first <= speech.paragraph < first + _PARAGRAPHS:
            line = lines[index]
            facts = {"who": line.who, "sure": line.sure, "sex": line.sex, "corrected": line.rule == CORRECTED}
            voice = wire_name(speaker_of(line, cast.table)[1])
            row = {"start": speech.start, "end": speech.end, "speech": index, "voice": voice, **facts}
            pieces.setdefault(speech.paragraph, []).append(row)
    shown = range(first, min(first + _PARAGRAPHS, len(chapter.paragraphs)))
    paragraphs = [_pieces(chapter.paragraphs[at], pieces.get(at, [])) for at in shown]
    return {"number": number, "title": chapter.title, "part": part, "paragraphs": paragraphs}


def _pieces(text: str, speeches: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A paragraph in pieces: what is told, and what is said."""
    found: list[dict[str, Any]] = []
    at = 0
    for row in speeches:
        start, end = row.pop("start"), row.pop("end")
        found += [{"text": text[at:start]}] if start > at else []
        found.append({"text": text[start:end], **row})
        at = end
    return found + ([{"text": text[at:]}] if at < len(text) else [])


def _lost(one: Correction) -> dict[str, str]:
    return {"text": one.text, "who": one.who}
