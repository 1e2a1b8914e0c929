"""Which of the candidates of each turn is right, by the annotations of a work of LitBank."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tools.people_weights.litbank import Mention, Work
from tools.people_weights.texts import Letters, book_of
from voxmatrix.book.people.candidates import TurnFeatures
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.speakers import Evidence, find_evidence
from voxmatrix.book.people.turns import SPOKEN, Turn
from voxmatrix.book.people.words import Sex, language_of

_OF_NARRATOR = ("I", "me", "my", "My", "myself", "mine")


@dataclass(frozen=True)
class LabelledTurn:
    """A turn, and who speaks."""

    features: TurnFeatures
    sexes: Sequence[Sex]  # of the candidates
    quotations: int  # that begin in it; 0: who speaks is not annotated
    right: frozenset[int]  # numbers of the candidates who mean the speaker
    sex: Sex  # of the speaker


def labelled_turns(work: Work) -> list[LabelledTurn]:
    """The turns of what is annotated, in order; names and people are found in the whole book."""
    evidence = find_evidence(book_of(work.text).chapters)
    letters = Letters(paragraph.text for paragraph in evidence.paragraphs)
    meant = _Meant(work, evidence, letters)
    speakers = _speakers(work, evidence, letters)
    sexes = _sexes(work.mentions)
    found = []
    for turn, features in zip(evidence.first()[0], evidence.features(), strict=True):
        if letters.before(turn.paragraph, turn.parts[0][0]) >= work.end:
            break
        said = speakers.get(turn.paragraph, [])
        who = said[0] if len(set(said)) == 1 else ""
        names = list(features[0])
        right = frozenset(number for number, name in enumerate(names) if who and meant.by(name, turn) == who)
        own_sexes = [evidence.persons.sex(name) for name in names]
        found.append(LabelledTurn(features, own_sexes, len(said) if who else 0, right, sexes.get(who, "")))
    return found


def _speakers(work: Work, evidence: Evidence, letters: Letters) -> Mapping[int, list[str]]:
    """The speaker of each quotation that begins in a piece of speech, by number of the paragraph."""
    parts = {turn.paragraph: turn.parts for turn in evidence.turns}
    found: defaultdict[int, list[str]] = defaultdict(list)
    for quotation in work.quotations:
        paragraph, character = letters.place(quotation.start)
        if any(start <= character < end for start, end in parts.get(paragraph, ())):
            found[paragraph].append(quotation.who)
    return found


def _sexes(mentions: Sequence[Mention]) -> dict[str, Sex]:
    """By who is mentioned: the sex of most of the pronouns."""
    votes: defaultdict[str, Counter[Sex]] = defaultdict(Counter)
    pronouns = language_of("en").pronouns
    for one in mentions:
        if sex := pronouns.get(one.text.lower()):
            votes[one.who][sex] += 1
    return {who: max(("m", "f"), key=count.__getitem__) for who, count in votes.items()}


class _Meant:
    """Whom of the annotated people a candidate means."""

    def __init__(self, work: Work, evidence: Evidence, letters: Letters) -> None:
        self._letters = letters
        self._mentions = sorted(work.mentions, key=lambda one: one.end - one.start)
        self._paragraphs = evidence.paragraphs
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for who, start in _names(work, evidence, letters):
            if mention := next((one for one in self._mentions if one.start <= start < one.end), None):
                votes[who][mention.who] += 1
        votes[NARRATOR] = Counter(one.who for one in self._mentions if self._tells(one))
        self._by_name = {who: count.most_common(1)[0][0] for who, count in votes.items() if count}

    def by(self, name: str, turn: Turn) -> str:
        """Whom a candidate of a turn means; "": it is not known."""
        if found := self._by_name.get(name):
            return found
        if not name:
            return ""
        noun = name.rsplit(maxsplit=1)[-1]
        first = self._letters.before(turn.paragraph, 0)
        last = self._letters.before(turn.paragraph + 1, 0)
        return next(
            (
                one.who
                for one in self._mentions
                if one.kind == "NOM" and first <= one.start < last and noun in one.text.lower().split()
            ),
            "",
        )

    def _tells(self, one: Mention) -> bool:
        if one.text not in _OF_NARRATOR:
            return False
        paragraph, character = self._letters.place(one.start)
        return self._paragraphs[paragraph].narration[character] != SPOKEN


def _names(work: Work, evidence: Evidence, letters: Letters) -> Iterator[tuple[str, int]]:
    """Who is named where."""
    persons = evidence.persons
    for number, paragraph in enumerate(evidence.paragraphs):
        for match in persons.words.patterns.name.finditer(paragraph.text):
            start = letters.before(number, match.start())
            if start >= work.end:
                return
            if who := persons.who(match[0]):
                yield who, start
