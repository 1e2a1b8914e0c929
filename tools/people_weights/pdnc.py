"""How well speakers are found in novels of the Project Dialogism Novel Corpus, which is in a folder of its own.

It has no licence: nothing of it is in this repository, and nothing is fitted on it.
"""

import ast
import csv
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.people_weights.texts import Letters, book_of
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.persons import Persons
from voxmatrix.book.people.speakers import SaidBy, find_speakers

#: Novels that were read while the rules were written; the others are the test.
SEEN = frozenset(
    [
        "PrideAndPrejudice",
        "TheSignOfTheFour",
        "AlicesAdventuresInWonderland",
        "TheSunAlsoRises",
        "OliverTwist",
        "HowardsEnd",
        "TheInvisibleMan",
        "Emma",
    ]
)
_KINDS = ("Explicit", "Anaphoric", "Implicit")


@dataclass(frozen=True)
class Person:
    """A character as the set has it."""

    names: frozenset[str]  # in small letters, without dots
    sex: str  # "m", "f" or ""


@dataclass(frozen=True)
class Quotation:
    """A quotation as the set has it."""

    start: int  # characters of the text
    speaker: str
    kind: str  # Explicit, Anaphoric or Implicit


@dataclass(frozen=True)
class Result:
    """What was found for a quotation."""

    kind: str
    right: bool
    sure: float  # the probability of the person; 0: no speech was found there
    sex: bool | None  # whether the sex is right; None: the set does not know it
    sex_sure: float


def novels(folder: Path) -> list[str]:
    """The names of the novels."""
    return sorted(path.name for path in (folder / "data").iterdir() if path.is_dir())


def measure(folder: Path, novel: str) -> list[Result]:
    """What is found for each quotation of a novel."""
    own = folder / "data" / novel
    text = (own / "novel_text.txt").read_text(encoding="utf-8")
    people = _people(own / "character_info.csv")
    book = book_of(text)
    found = find_speakers(book.chapters)
    letters = Letters(paragraph.text for paragraph in found.paragraphs)
    before = _letters_before(text)
    said = _Said(found.said, letters)
    quotations = list(_quotations(own / "quotation_info.csv", people))
    turns = [said.at(before[one.start]) for one in quotations]
    persons = _same(found.persons, people, {one.who for one in found.said})
    told = Counter(one.speaker for one, turn in zip(quotations, turns, strict=True) if turn and turn.who == NARRATOR)
    if told:
        persons[NARRATOR] = told.most_common(1)[0][0]
    return [_result(one, turn, persons, people) for one, turn in zip(quotations, turns, strict=True)]


def _result(one: Quotation, turn: SaidBy | None, persons: Mapping[str, str], people: Mapping[str, Person]) -> Result:
    if turn is None:
        return Result(one.kind, right=False, sure=0.0, sex=None, sex_sure=0.0)
    sex = people[one.speaker].sex if one.speaker in people else ""
    right = persons.get(turn.who) == one.speaker
    return Result(one.kind, right, turn.sure, turn.sex == sex if sex else None, turn.sex_sure)


class _Said:
    """The paragraphs with speech, by the letters before them."""

    def __init__(self, said: Sequence[SaidBy], letters: Letters) -> None:
        spans = [
            (letters.before(one.turn.paragraph, start), letters.before(one.turn.paragraph, end), one)
            for one in said
            for start, end in one.turn.parts
        ]
        self._spans = sorted(spans, key=lambda span: span[:2])
        self._starts = [start for start, *_ in self._spans]

    def at(self, number: int) -> SaidBy | None:
        """Who says the letter with so many before it."""
        place = bisect_right(self._starts, number) - 1
        if place < 0 or self._spans[place][1] <= number:
            return None
        return self._spans[place][2]


def _letters_before(text: str) -> list[int]:
    counts, count = [], 0
    for character in text:
        counts.append(count)
        count += character.isalnum()
    return counts


def _people(path: Path) -> dict[str, Person]:
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["Main Name"]: Person(
                frozenset(map(_plain, {row["Main Name"], *ast.literal_eval(row["Aliases"])})),
                {"M": "m", "F": "f"}.get(row["Gender"], ""),
            )
            for row in csv.DictReader(file)
        }


def _quotations(path: Path, people: Mapping[str, Person]) -> Iterator[Quotation]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            spans = ast.literal_eval(row["quoteByteSpans"])
            if spans and row["quoteType"] in _KINDS:
                yield Quotation(spans[0][0], _main_name(row["speaker"], people), row["quoteType"])


def _main_name(speaker: str, people: Mapping[str, Person]) -> str:
    if speaker in people:
        return speaker
    return next((name for name, person in people.items() if _plain(speaker) in person.names), speaker)


def _same(found: Persons, people: Mapping[str, Person], said: set[str]) -> dict[str, str]:
    """The character that has most of the names of each person that was found, by how often they are named."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for name, person in people.items():
        for alias in person.names:
            owners[alias].append(name)
    same = {}
    for who in {*found.also, *said}:
        names = found.also.get(who) or [who]
        votes: Counter[str] = Counter()
        for name in names:
            for owner in owners[_plain(name)]:
                votes[owner] += (found.names.count[name] + 1) / len(owners[_plain(name)])  # type: ignore[assignment]
        same[who] = max(sorted(votes), key=votes.__getitem__) if votes else _by_words(names, people)
    return same


def _by_words(names: Sequence[str], people: Mapping[str, Person]) -> str:
    """The only character whose main name has all words of one of these names; "": there is none."""
    fits = {person for person in people for name in names if set(_plain(name).split()) <= set(_plain(person).split())}
    return fits.pop() if len(fits) == 1 else ""


def _plain(name: str) -> str:
    return name.lower().replace(".", "").removeprefix("the ").strip()
