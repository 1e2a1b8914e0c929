"""The people who speak in a book, with what is known of them."""

from collections import Counter
from dataclasses import dataclass

from voxmatrix.book.people.cast import Attribution
from voxmatrix.book.people.persons import KnownPerson
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
        known = found.persons.get(who) or KnownPerson((), "", "")
        sex = person.sex if person and person.sex else known.sex
        people.append(
            FoundPerson(name=who, also=known.also, sex=sex, evidence=known.evidence, speeches=count, sure=sure[who])
        )
    return people
