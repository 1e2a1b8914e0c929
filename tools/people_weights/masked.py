"""Turns of whole books whose speaker is named beside them, as if nobody were named, or only `he` or `she`.

Who speaks in them is known without annotation. They show how dialogues go on in the middle of books.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from tools.people_weights.labels import LabelledTurn
from tools.people_weights.texts import book_of
from voxmatrix.book.people.candidates import Candidates
from voxmatrix.book.people.clues import Clue, Clues, said_nouns
from voxmatrix.book.people.persons import Persons
from voxmatrix.book.people.speakers import find_evidence
from voxmatrix.book.people.turns import Turn

#: Of so many turns with a name, one is taken for one without a clue and one for one with a pronoun.
_ONE_IN = 4
#: Letters of narration beside speech that are left out with the name: `said Anna quietly`.
_SHORT = 40
#: Turns of a book, from the end of its first third on.
_MOST = 400


def masked_turns(text: str, most: int = _MOST) -> list[LabelledTurn]:
    """Turns of a book in order, some of them with a speaker who is known and hidden from the features."""
    evidence = find_evidence(book_of(text).chapters)
    turns, clues = evidence.first()
    mentions = list(evidence.mentions)
    known: dict[int, str] = {}
    named = [number for number, own in enumerate(clues) if _is_named(own)]
    for count, number in enumerate(named):
        who, turn = clues[number].subject.who, turns[number]
        mask = _mask(count, turn, evidence.persons, who)
        if mask is None:
            continue
        known[number] = who
        clues[number] = replace(clues[number], subject=mask)
        mentions[turn.paragraph] = [one for one in mentions[turn.paragraph] if one.who != who]
        if not mask.kind:
            turns[number] = Turn(turn.paragraph, turn.place, turn.parts, "", turn.continues)
    nouns = said_nouns(evidence.paragraphs, evidence.persons)
    features = Candidates(evidence.persons, turns, clues, mentions, nouns).of_turns()
    first = len(turns) // 3
    found = []
    for number, own in islice(enumerate(features), first, first + most):
        right = frozenset(place for place, who in enumerate(own[0]) if who == known.get(number))
        found.append(LabelledTurn(own, [], 1 if right else 0, right, ""))
    return found


def _is_named(clues: Clues) -> bool:
    subject = clues.subject
    return subject.says and subject.kind == "name" and not subject.before


def _mask(count: int, turn: Turn, persons: Persons, who: str) -> Clue | None:
    """What a turn says of its speaker instead; None: what it does."""
    if count % _ONE_IN == 1 and sum(map(str.isalpha, turn.narration)) <= _SHORT:
        return Clue()
    if count % _ONE_IN == 3 and (sex := persons.sex(who)):
        return Clue("he", sex=sex, says=True)
    return None
