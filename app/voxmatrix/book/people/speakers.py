"""Who says what in an English book, and how sure that is."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from voxmatrix.book.content import Chapter
from voxmatrix.book.people.candidates import Candidates, TurnFeatures, choice_of
from voxmatrix.book.people.clues import ClueFinder, Clues, said_nouns
from voxmatrix.book.people.persons import Persons, Seen, role_in
from voxmatrix.book.people.sequence import probabilities
from voxmatrix.book.people.turns import SPOKEN, Paragraph, Turn, paragraphs_of
from voxmatrix.book.people.words import Sex, english

#: Between two paragraphs, where no name and no sentence goes on.
_GAP = "\n\2\n"


@dataclass(frozen=True)
class SaidBy:
    """The speaker of a paragraph with speech."""

    turn: Turn
    who: str  # the main name of a person, `the old man`, or `I`; "": nobody is known
    rule: str  # what tells it
    sure: float  # the probability that it is this person
    sex: Sex  # of the speaker, whoever it is
    sex_sure: float


@dataclass(frozen=True)
class Speakers:
    """Who says what."""

    persons: Persons
    paragraphs: list[Paragraph]
    said: list[SaidBy] = field(default_factory=list)


@dataclass(frozen=True)
class Evidence:
    """What tells who speaks in a book."""

    persons: Persons
    paragraphs: list[Paragraph]
    mentions: list[list[Seen]]  # who is named in each paragraph
    turns: list[Turn]
    clues: list[Clues]  # of each turn

    def first(self) -> tuple[list[Turn], list[Clues]]:
        """The turns that do not continue others, with their clues."""
        pairs = zip(self.turns, self.clues, strict=True)
        kept = [pair for number, pair in enumerate(pairs) if not (number and pair[0].continues)]
        return [turn for turn, _ in kept], [clues for _, clues in kept]

    def features(self) -> Iterator[TurnFeatures]:
        """What speaks for each candidate of the turns that do not continue others."""
        nouns = said_nouns(self.paragraphs, self.persons)
        return Candidates(self.persons, *self.first(), self.mentions, nouns).of_turns()


def find_evidence(chapters: Iterable[Chapter]) -> Evidence:
    """What tells who speaks in a book, whose chapters have their speech."""
    paragraphs, turns = paragraphs_of(chapters)
    narration = _GAP.join(paragraph.narration for paragraph in paragraphs).replace(SPOKEN, '"')
    persons = Persons(_GAP.join(paragraph.text for paragraph in paragraphs), narration, english())
    mentions = _by_paragraph(paragraphs, persons)
    finder = ClueFinder(persons, paragraphs, mentions)
    previous: list[Turn | None] = [None, *turns]
    clues = [finder.clues(turn, before) for turn, before in zip(turns, previous, strict=False)]
    return Evidence(persons, paragraphs, mentions, turns, clues)


def find_speakers(chapters: Iterable[Chapter]) -> Speakers:
    """The speakers of a book, whose chapters have their speech."""
    evidence = find_evidence(chapters)
    return Speakers(evidence.persons, evidence.paragraphs, list(_said(evidence)))


def _by_paragraph(paragraphs: Sequence[Paragraph], persons: Persons) -> list[list[Seen]]:
    """Who is named in each paragraph."""
    starts, place = [], 0
    for paragraph in paragraphs:
        starts.append(place)
        place += len(paragraph.narration) + len(_GAP)
    found: list[list[Seen]] = [[] for _ in paragraphs]
    for mention in persons.mentions:
        number = bisect_right(starts, mention.start) - 1
        start, end = mention.start - starts[number], mention.end - starts[number]
        found[number].append(Seen(start, mention.name, role_in(paragraphs[number].narration, start, end)))
    return found


def _said(evidence: Evidence) -> Iterator[SaidBy]:
    choices = [choice_of(*features) for features in evidence.features()]
    found = {}
    for turn, clues, choice, chances in zip(*evidence.first(), choices, probabilities(choices), strict=True):
        found[turn.paragraph] = _decided(turn, clues, choice.who, chances, evidence.persons)
    last = None
    for turn in evidence.turns:
        if said := found.get(turn.paragraph):
            last = said
            yield said
        elif last is not None:
            yield SaidBy(turn, last.who, "continued", last.sure, last.sex, last.sex_sure)


def _decided(turn: Turn, clues: Clues, who: Sequence[str], chances: Sequence[float], persons: Persons) -> SaidBy:
    sure, best = max(zip(chances, who, strict=True))
    sexes = {
        sex: sum(chance for chance, one in zip(chances, who, strict=True) if persons.sex(one) == sex) for sex in "mf"
    }
    sex: Sex = "m" if sexes["m"] >= sexes["f"] else "f"
    return SaidBy(turn, best, _rule(clues), sure, sex, sexes[sex])


def _rule(clues: Clues) -> str:
    subject = clues.subject
    if not subject.kind:
        return "turn"
    return f"{subject.kind} {'says' if subject.says else 'does'}"
