"""Who may speak in each turn, and what speaks for each of them, with the weights of people_weights.toml."""

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from voxmatrix.book.people.clues import NARRATOR, Clues
from voxmatrix.book.people.persons import Persons, Role, Seen
from voxmatrix.book.people.sequence import Choice
from voxmatrix.book.people.turns import Turn
from voxmatrix.tables import rows

#: Candidates of one turn.
_MOST = 8
#: Paragraphs back in which names are counted.
_WINDOW = 12
#: Turns ahead whose speakers may speak before.
_AHEAD = 4
#: `I` speaks in a book where it says something so many times.
_LEAST_I = 5
#: Upper ends of distances in paragraphs that have weights of their own.
_DISTANCES = (0, 1, 3, 8, 20)

Features = dict[str, float]
#: Those of each candidate, and those of speaking `same` and `back` (`Choice`).
TurnFeatures = tuple[dict[str, Features], Features, Features]


@cache
def weights() -> Mapping[str, float]:
    """By features, as `candidates` names them."""
    found: dict[str, float] = rows.read("people_weights.toml")["weights"]
    return found


class Candidates:
    """The candidates of turns, one after the other.

    Args:
        persons: of the book.
        turns: without those that continue others.
        clues: of each turn.
        mentions: by number of the paragraph: start and person.
        nouns: how often `the guide`, `her mother` say something.
    """

    def __init__(
        self,
        persons: Persons,
        turns: Sequence[Turn],
        clues: Sequence[Clues],
        mentions: Sequence[Sequence[Seen]],
        nouns: Mapping[str, int],
    ) -> None:
        self._persons, self._turns, self._clues, self._mentions, self._nouns = persons, turns, clues, mentions, nouns
        self._seen: dict[str, tuple[int, Role]] = {}  # where each was last seen, and as what; the latest at the end
        self._window: deque[tuple[int, str]] = deque()
        self._often: Counter[str] = Counter()
        said_by_i = sum(one.subject.says and one.subject.who == NARRATOR for one in clues)
        self._tells = said_by_i >= _LEAST_I

    def of_turns(self) -> Iterator[TurnFeatures]:
        """The features of each turn."""
        paragraph = 0
        for number, turn in enumerate(self._turns):
            offset = turn.place - turn.paragraph
            for before in range(paragraph, turn.paragraph):
                self._see(before + offset, self._mentions[before])
            start = turn.parts[0][0]
            own = self._mentions[turn.paragraph]
            self._see(turn.place, (one for one in own if one.start < start))
            yield self._features(number), *self._links(number)
            self._see(turn.place, (one for one in own if one.start >= start))
            subject = self._clues[number].subject
            if subject.says and subject.kind == "name":
                self._see(turn.place, [Seen(0, subject.who, "said")])
            paragraph = turn.paragraph + 1

    def _see(self, place: int, seen: Iterable[Seen]) -> None:
        for _, who, role in seen:
            self._seen.pop(who, None)
            self._seen[who] = place, role
            self._window.append((place, who))
            self._often[who] += 1
        while self._window and self._window[0][0] < place - _WINDOW:
            self._often[self._window.popleft()[1]] -= 1

    def _kind(self, number: int) -> str:
        """Which weights apply: by what the paragraph tells."""
        turn, subject = self._turns[number], self._clues[number].subject
        if subject.says:
            return subject.kind
        if subject.kind == "he":
            return "does"
        return "pure" if turn.pure else "beside"

    def _features(self, number: int) -> dict[str, Features]:
        turn, clues = self._turns[number], self._clues[number]
        subject = clues.subject
        if subject.says and subject.kind == "name" and not subject.before:
            return {subject.who: {}}
        kind = self._kind(number)
        people = self._people(number)
        ranks = {who: rank for rank, who in enumerate(reversed(self._seen))}
        found = {}
        order = sorted(people, key=lambda who: ranks.get(who, math.inf))
        for rank, who in enumerate(order):
            features = {f"{kind}.seen.{self._distance(turn.place, who)}": 1.0}
            features[f"{kind}.often"] = math.log1p(self._often[who])
            features[f"{kind}.says"] = math.log1p(self._persons.said[who])
            if who in self._seen:
                features[f"{kind}.as.{self._seen[who][1]}"] = 1.0
            if rank < 2 and who in ranks:
                features[f"{kind}.rank.{rank}"] = 1.0
            if subject.sex and not self._persons.sex(who):
                features[f"{kind}.unknown"] = 1.0
            if who == NARRATOR:
                features[f"{kind}.narrator"] = 1.0
            if subject.who == who:
                features[f"{kind}.subject"] = 1.0
            if subject.noun == who:
                features["noun.itself"] = 1.0
                features["noun.itself.often"] = math.log1p(self._nouns.get(who, 0))
            features.update(self._talk(number, who))
            found[who] = features
        return found or {"": {}}

    def _people(self, number: int) -> list[str]:
        """Who may speak: those who were seen last, and those who speak or are called soon."""
        turn, subject = self._turns[number], self._clues[number].subject
        found: dict[str, None] = {}
        if subject.kind == "name":
            found[subject.who] = None
        if subject.noun and subject.says:
            found[subject.noun] = None
            if subject.who:
                found[subject.who] = None
        near = self._clues[max(0, number - 1) : number + _AHEAD + 1]
        for clues in near:
            for who in (clues.subject.who if clues.subject.says else "", *clues.called):
                if who and self._may_be(who, number):
                    found[who] = None
        if self._tells and self._may_be(NARRATOR, number):
            found[NARRATOR] = None
        for who in reversed(self._seen):
            if len(found) >= _MOST or turn.place - self._seen[who][0] > _DISTANCES[-1] * 2:
                break
            if self._may_be(who, number):
                found[who] = None
        return list(found)[:_MOST]

    def _may_be(self, who: str, number: int) -> bool:
        """Not somebody of the other sex; `I` is not spoken of as `he`."""
        subject = self._clues[number].subject
        if who == NARRATOR:
            return not (subject.says and subject.kind in ("he", "noun"))
        return not subject.sex or self._persons.sex(who) in ("", subject.sex) or subject.noun == who

    def _distance(self, place: int, who: str) -> str:
        if who not in self._seen:
            return "never"
        distance = place - self._seen[who][0]
        return next((str(end) for end in _DISTANCES if distance <= end), "far")

    def _talk(self, number: int, who: str) -> Features:
        """What is said to whom, in this turn and those beside it."""
        clues, found = self._clues[number], {}
        for name, people in (("called", clues.called), ("named", clues.named), ("told", clues.told)):
            if who in people:
                found[name] = 1.0
        for name, beside in (("before", number - 1), ("after", number + 1)):
            if 0 <= beside < len(self._turns) and abs(self._turns[beside].place - self._turns[number].place) <= 2:
                other = self._clues[beside]
                if who in other.called:
                    found[f"{name}.called"] = 1.0
                if who in other.told:
                    found[f"{name}.told"] = 1.0
                if who in other.named:
                    found[f"{name}.named"] = 1.0
        return found

    def _links(self, number: int) -> tuple[Features, Features]:
        kind = self._kind(number)
        one = self._gap(number, 1, (1, 2, 5))
        two = self._gap(number, 2, (2, 3, 5, 10))
        return {f"same.{kind}.{one}": 1.0}, {f"back.{kind}.{two}": 1.0}

    def _gap(self, number: int, back: int, ends: Sequence[int]) -> str:
        if number < back:
            return "far"
        distance = self._turns[number].place - self._turns[number - back].place
        return next((str(end) for end in ends if distance <= end), "far")


def choice_of(features: dict[str, Features], same: Features, back: Features) -> Choice:
    """The choice of a turn, with the weights of its features."""
    table = weights()

    def score(values: Features) -> float:
        return sum(table.get(name, 0.0) * value for name, value in values.items())

    return Choice(tuple(features), tuple(map(score, features.values())), score(same), score(back))
