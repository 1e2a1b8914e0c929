"""The people who speak in a book, with what is known of them."""

from collections import Counter
from dataclasses import dataclass

from voxmatrix.book.people.cast import Attribution
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.voices.cast_table import CastTable

#: Who speaks fewer times gets no lines of their own in a table.
LEAST_SPEECHES = 3


@dataclass(frozen=True, kw_only=True)
class FoundPerson:
    """Somebody who speaks."""

    name: str  # the main name in the table, if they are in it
    also: tuple[str, ...]  # other names in the book, the most frequent one first
    sex: str
    evidence: str  # what tells the sex
    speeches: int
    sure: int  # how many of them are theirs for sure


def people_of(found: Attribution, table: CastTable) -> list[FoundPerson]:
    """Everybody who speaks, who speaks most first."""
    speeches = Counter(line.who for line in found.lines if line.who)
    sure = Counter(line.who for line in found.lines if line.who and line.sure)
    people = []
    for who, count in sorted(speeches.items(), key=lambda pair: (-pair[1], pair[0])):
        person = table.by_name.get(who.casefold())
        sex, evidence = _sex(found, who)
        if person and person.sex:
            sex = person.sex
        people.append(
            FoundPerson(name=who, also=_also(found, who), sex=sex, evidence=evidence, speeches=count, sure=sure[who])
        )
    return people


def _also(found: Attribution, who: str) -> tuple[str, ...]:
    if found.speakers is None:
        return ()
    count = found.speakers.persons.names.count
    names = found.speakers.persons.also.get(who, [])
    return tuple(sorted((name for name in names if name != who), key=lambda name: (-count[name], name)))


def _sex(found: Attribution, who: str) -> tuple[str, str]:
    if found.speakers is None:
        return "", ""
    persons = found.speakers.persons
    evidence = persons.evidence.get(who)
    if evidence is None:
        sex = "" if who == NARRATOR else persons.sex(who)
        return sex, f"{persons.words.noun(who)[1]!r}" if sex else ""
    parts = [f"{evidence.he} he, {evidence.she} she"] if evidence.he or evidence.she else []
    return evidence.sex, ", ".join([*([evidence.title] if evidence.title else []), *parts])
