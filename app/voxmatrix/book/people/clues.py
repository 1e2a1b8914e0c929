"""What a paragraph tells of who speaks in it: `said Anna`, `he said`, `the old man shook his head`, `Yes, Anna`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from voxmatrix.book.people.persons import Persons, Seen
from voxmatrix.book.people.turns import SPOKEN, Paragraph, Turn
from voxmatrix.book.people.words import Sex

#: Who tells the book, as `I`.
NARRATOR = "I"
#: Characters of narration that are searched before and behind speech.
_NEAR = 300
#: Somebody is known by a noun that says something so many times.
_LEAST_CALLED = 2
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_OPENS, _CLOSES = ',"\u201c', ',.!?;"\u201d-\u2014'

Kind = Literal["name", "he", "noun", ""]


@dataclass(frozen=True)
class Clue:
    """The subject of a verb of saying, or of what is done beside speech."""

    kind: Kind = ""  # "": there is none
    who: str = ""  # the person of a name
    sex: Sex = ""  # of a pronoun or noun
    noun: str = ""  # `the old man`, `her mother`
    says: bool = False  # a verb of saying stands beside it
    before: bool = False  # it stands before the speech


@dataclass(frozen=True)
class Clues:
    """All that the paragraph of a turn tells."""

    subject: Clue
    called: tuple[str, ...]  # whom its speech calls by name
    named: frozenset[str]  # of whom it speaks
    told: frozenset[str]  # to whom it is said
    several: bool = False  # more than one person speaks in it


class ClueFinder:
    """Finds what paragraphs tell.

    Args:
        persons: of the book.
        paragraphs: all of it.
        mentions: by number of the paragraph.
        nouns: how often `the guide`, `her mother` say something.
    """

    def __init__(
        self,
        persons: Persons,
        paragraphs: Sequence[Paragraph],
        mentions: Sequence[Sequence[Seen]],
        nouns: Mapping[str, int],
    ) -> None:
        self._persons, self._paragraphs, self._mentions = persons, paragraphs, mentions
        self._called = called_nouns(nouns, persons)
        self._patterns = persons.words.patterns

    def clues(self, turn: Turn, previous: Turn | None) -> Clues:
        """What the paragraph of a turn tells, and the end of the one before it."""
        text = self._paragraphs[turn.paragraph].text
        called: list[str] = []
        named: set[str] = set()
        for start, end in turn.parts:
            for who, is_called in self._names_in(text[start:end]):
                if is_called:
                    called.append(who)
                else:
                    named.add(who)
        told = {
            who
            for match in self._patterns.said_to.finditer(turn.narration)
            if (who := self._persons.who(match[1] or match[2]))
        }
        behind = list(self._said_behind(turn))
        several = self._persons.words.several_speak and _several_speak(turn, behind)
        subject = (behind[0] if behind else self._says_before(turn, previous)) or self._does(turn, called) or Clue()
        return Clues(subject, tuple(called), frozenset(named - set(called)), frozenset(told), several)

    def _names_in(self, speech: str) -> Iterator[tuple[str, bool]]:
        """Who is named in speech, and whether they are called."""
        for match in self._patterns.name.finditer(speech):
            if who := self._persons.who(match[0]):
                before, after = speech[: match.start()].rstrip(), speech[match.end() :].lstrip()
                opens = before[-1:] in _OPENS or before.endswith(self._persons.words.called)
                yield who, opens and after[:1] in _CLOSES

    def _says_before(self, turn: Turn, previous: Turn | None) -> Clue | None:
        """The subject of a verb of saying before the first piece of speech."""
        sentence = _SENTENCE.split(self._lead(turn, previous))[-1]
        if not sentence.endswith((",", ":", "-", "\u2014")):
            return None
        for pattern in (self._patterns.before, self._patterns.before_verb_first):
            found = list(pattern.finditer(sentence))
            if found and (clue := self._clue(found[-1], says=True, before=True)):
                return clue
        return None

    def _said_behind(self, turn: Turn) -> Iterator[Clue]:
        """The subjects of verbs of saying behind pieces of speech."""
        for part in range(len(turn.parts)):
            behind = turn.behind(part)[:_NEAR]
            for pattern in (self._patterns.verb_first, self._patterns.subject_first):
                if (match := pattern.match(behind)) and (clue := self._clue(match, says=True)):
                    yield clue
                    break

    def _lead(self, turn: Turn, previous: Turn | None) -> str:
        """The narration before speech: in its paragraph, or at the end of the one before, which leads to it."""
        before = turn.narration[: turn.parts[0][0]].replace("\n", " ").rstrip()
        if before or not turn.paragraph:
            return before[-_NEAR:]
        if previous is not None and previous.pure and previous.paragraph == turn.paragraph - 1:
            return ""
        end = self._paragraphs[turn.paragraph - 1].narration[-_NEAR:].replace("\n", " ").rstrip()
        return end if end.endswith((":", ",", "-", "\u2014")) else ""

    def _does(self, turn: Turn, called: Sequence[str]) -> Clue | None:
        """Nobody says, but somebody does something: the subject nearest to the speech in its paragraph."""
        for part in range(len(turn.parts)):
            first = _SENTENCE.split(turn.behind(part)[:_NEAR].strip(" ,"), maxsplit=1)[0]
            if (match := self._patterns.does.match(first)) and (clue := self._doer(match)):
                return clue
        before = turn.narration[: turn.parts[0][0]].replace("\n", " ").rstrip(" " + SPOKEN)[-_NEAR:]
        for sentence in reversed(_SENTENCE.split(before)[-2:]) if before else ():
            if (match := self._patterns.begins.match(sentence)) and (clue := self._doer(match)):
                return clue
        inside = [one.who for one in self._mentions[turn.paragraph] if one.who not in called]
        return Clue("name", inside[-1]) if len(set(inside)) == 1 else None

    def _doer(self, match: re.Match[str]) -> Clue | None:
        if match["noun"] and not self._persons.words.noun_sex(match["noun"]):
            return None
        return self._clue(match, says=False)

    def _clue(self, match: re.Match[str], *, says: bool, before: bool = False) -> Clue | None:
        """What a subject tells; None if it is nobody."""
        if (raw := match["name"]) and (who := self._persons.who(raw)):
            return Clue("name", who, says=says, before=before)
        if match["noun"]:
            return self._noun_clue(match["noun"], says=says, before=before)
        sex = self._persons.words.subjects.get((raw or match["pronoun"]).split()[0].lower())
        if sex is None:
            return None
        return (
            Clue("he", sex=sex, says=says, before=before) if sex else Clue("name", NARRATOR, says=says, before=before)
        )

    def _noun_clue(self, phrase: str, *, says: bool, before: bool) -> Clue:
        words = self._persons.words
        noun = words.noun(phrase)[1]
        if self._persons.names.is_name(noun) and (who := self._persons.who(noun)):
            return Clue("name", who, says=says, before=before)
        label = words.label(phrase)
        titled = self._persons.titled(noun.lower())
        if says and not titled and self._is_called(noun, label):
            return Clue("name", label, says=says, before=before)
        who = titled.pop() if len(titled) == 1 else ""
        return Clue("noun", who, words.speaker_sex(phrase), label, says=says, before=before)

    def _is_called(self, noun: str, label: str) -> bool:
        """Whether somebody is known by a noun: `the miller`."""
        return noun.lower() not in (self._persons.words.general_nouns or ()) and label in self._called


def _several_speak(turn: Turn, behind: Sequence[Clue]) -> bool:
    """Whether a paragraph has speech of different people, or speech that follows other speech at once."""
    if any(not any(map(str.isalpha, turn.behind(part))) for part in range(len(turn.parts) - 1)):
        return True
    return len({(clue.kind, clue.who, clue.noun) for clue in behind}) > 1


def called_nouns(nouns: Mapping[str, int], persons: Persons) -> set[str]:
    """The labels by which people are known who have no other name, in languages whose books do so: `the miller`."""
    if persons.words.general_nouns is None:
        return set()
    return {label for label, count in nouns.items() if count >= _LEAST_CALLED}


def said_nouns(paragraphs: Sequence[Paragraph], persons: Persons) -> Counter[str]:
    """How often a noun says something: `the guide`, `her mother`."""
    words = persons.words
    found: Counter[str] = Counter()
    for paragraph in paragraphs:
        text = paragraph.narration.replace(SPOKEN, '"')
        for pattern in words.patterns.said_nouns:
            found.update(words.label(f"{match[1]} {match[2]}") for match in pattern.finditer(text))
    return found
