"""Who says what in a book, and how sure that is."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from voxmatrix.book.content import Chapter
from voxmatrix.book.people.candidates import Candidates, TurnFeatures, choice_of
from voxmatrix.book.people.clues import ClueFinder, Clues, called_nouns, said_nouns
from voxmatrix.book.people.persons import Persons, Seen, role_in
from voxmatrix.book.people.sequence import probabilities
from voxmatrix.book.people.turns import SPOKEN, Paragraph, Turn, paragraphs_of
from voxmatrix.book.people.words import Sex, language_of
from voxmatrix.text.speech.language import speech_of

#: What a probability is multiplied with that does not count somebody else, whom nothing names.
_DOUBT = 0.5
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
    nouns: Mapping[str, int]  # how often each one without a name speaks

    def first(self) -> tuple[list[Turn], list[Clues]]:
        """The turns that do not continue others, with their clues."""
        pairs = zip(self.turns, self.clues, strict=True)
        kept = [pair for number, pair in enumerate(pairs) if not (number and pair[0].continues)]
        return [turn for turn, _ in kept], [clues for _, clues in kept]

    def features(self) -> Iterator[TurnFeatures]:
        """What speaks for each candidate of the turns that do not continue others."""
        return Candidates(self.persons, *self.first(), self.mentions, self.nouns).of_turns()


def find_evidence(chapters: Iterable[Chapter], language: str = "en") -> Evidence:
    """What tells who speaks in a book in a language that has a table, whose chapters have their speech."""
    paragraphs, turns = paragraphs_of(chapters, dashes=speech_of(language).dash != "")
    # Titles are left out: `Lion Becomes the King of Beasts` names nobody. Blanks in their place keep all others.
    blank = [" " * len(paragraph.text) if paragraph.is_title else "" for paragraph in paragraphs]
    texts = _GAP.join(title or paragraph.text for title, paragraph in zip(blank, paragraphs, strict=True))
    narration = _GAP.join(title or paragraph.narration for title, paragraph in zip(blank, paragraphs, strict=True))
    persons = Persons(texts, narration.replace(SPOKEN, '"'), language_of(language))
    nouns = said_nouns(paragraphs, persons)
    mentions = _by_paragraph(paragraphs, persons, nouns)
    finder = ClueFinder(persons, paragraphs, mentions, nouns)
    previous: list[Turn | None] = [None, *turns]
    clues = [finder.clues(turn, before) for turn, before in zip(turns, previous, strict=False)]
    return Evidence(persons, paragraphs, mentions, turns, clues, nouns)


def find_speakers(chapters: Iterable[Chapter], language: str = "en") -> Speakers:
    """The speakers of a book in a language that has a table, whose chapters have their speech."""
    evidence = find_evidence(chapters, language)
    return Speakers(evidence.persons, evidence.paragraphs, list(_said(evidence)))


def _by_paragraph(paragraphs: Sequence[Paragraph], persons: Persons, nouns: Mapping[str, int]) -> list[list[Seen]]:
    """Who is named in each paragraph, or called by a noun."""
    starts, place = [], 0
    for paragraph in paragraphs:
        starts.append(place)
        place += len(paragraph.narration) + len(_GAP)
    found: list[list[Seen]] = [[] for _ in paragraphs]
    for mention in persons.mentions:
        number = bisect_right(starts, mention.start) - 1
        start, end = mention.start - starts[number], mention.end - starts[number]
        found[number].append(Seen(start, mention.name, role_in(paragraphs[number].narration, start, end)))
    called = {persons.words.noun(label)[1]: label for label in called_nouns(nouns, persons)}
    if called:
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, called))})\b")
        for own, text in zip(found, (paragraph.narration for paragraph in paragraphs), strict=True):
            own.extend(Seen(m.start(), called[m[0]], role_in(text, *m.span())) for m in pattern.finditer(text))
            own.sort()
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
    sex_sure = float(sexes[sex])
    if persons.words.general_nouns is not None:
        sure *= _DOUBT if _may_be_another(best, clues, who, persons) else 1.0
        sex_sure *= _DOUBT if _may_be_of_other_sex(clues, who, persons) else 1.0
    return SaidBy(turn, best, _rule(clues), sure, sex, sex_sure)


def _may_be_another(best: str, clues: Clues, who: Sequence[str], persons: Persons) -> bool:
    """Whether somebody may speak whom nothing names, in languages whose books call people by nouns."""
    words, subject = persons.words, clues.subject
    is_alone = len(who) == 1 and not (subject.says and subject.kind == "name")
    is_general = bool(best) and best not in persons.also and words.noun(best)[1].lower() in (words.general_nouns or ())
    return clues.several or is_alone or is_general


def _may_be_of_other_sex(clues: Clues, who: Sequence[str], persons: Persons) -> bool:
    """The same, where nothing tells the sex and nobody of the other one is weighed."""
    subject = clues.subject
    if clues.several or subject.sex or (subject.says and subject.kind == "name"):
        return clues.several
    return not {"m", "f"} <= {persons.sex(one) for one in who}


def _rule(clues: Clues) -> str:
    subject = clues.subject
    if not subject.kind:
        return "turn"
    return f"{subject.kind} {'says' if subject.says else 'does'}"
