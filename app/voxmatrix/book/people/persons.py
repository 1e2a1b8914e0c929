"""The people of a text: each with names and sex, and who is meant by a name."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from voxmatrix.book.people.groups import Groups, pronouns_behind
from voxmatrix.book.people.names import Mention, Names
from voxmatrix.book.people.turns import SPOKEN
from voxmatrix.book.people.words import Language, Sex

#: What a title, a noun such as `Aunt` and a given name weigh beside pronouns.
_TITLE_WEIGHT, _NOUN_WEIGHT, _NAME_WEIGHT = 50, 20, 5
#: The sex is unknown if the votes differ by less than this share.
_LEAST_DIFFERENCE = 0.2
_ENDS_SENTENCE = ("", ".", "!", "?", SPOKEN)

#: What somebody is where the narration names them.
Role = Literal["first", "owner", "other", "said"]


class Seen(NamedTuple):
    """Somebody who is named in a paragraph."""

    start: int  # in the paragraph
    who: str
    role: Role  # first: the first word of a sentence; owner: Anna's; said: the subject of a verb of saying


def role_in(narration: str, start: int, end: int) -> Role:
    """The role of a name in a paragraph."""
    if narration[end - 2 : end] in ("'s", "\u2019s") or narration[end : end + 2] in ("'s", "\u2019s"):
        return "owner"
    return "first" if narration[max(0, start - 3) : start].rstrip()[-1:] in _ENDS_SENTENCE else "other"


@dataclass(frozen=True)
class SexEvidence:
    """What the sex of somebody is concluded from."""

    sex: Sex
    he: int  # pronouns behind the names
    she: int
    title: str  # a title that tells it


@dataclass(frozen=True)
class KnownPerson:
    """What a text tells of somebody."""

    also: tuple[str, ...]  # other names, the most frequent one first
    sex: Sex
    evidence: str  # what tells it


class Persons:
    """The people who are named in a text.

    Args:
        text: all of it, a paragraph a line.
        narration: the same, with quotation marks for all that is spoken.
        words: of the language.
    """

    def __init__(self, text: str, narration: str, words: Language) -> None:
        self.words = words
        self.names = Names(text, narration, words)
        self.of_name = Groups(self.names, narration, words).of
        #: Where the narration names people, by main names.
        self.mentions = [
            Mention(one.start, one.end, self.of_name[one.name])
            for one in self.names.mentions
            if one.name in self.of_name
        ]
        self.also: defaultdict[str, list[str]] = defaultdict(list)
        for name, person in self.of_name.items():
            self.also[person].append(name)
        #: How often each says something, by name.
        self.said: Counter[str] = Counter()
        for name, person in self.of_name.items():
            self.said[person] += self.names.said[name]
        votes = pronouns_behind(((one.end, one.name) for one in self.mentions), narration, words)
        self._noun_sexes: dict[str, Sex] = {}
        self.evidence = {person: self._evidence(person, votes.get(person, Counter())) for person in self.also}

    def who(self, raw: str) -> str:
        """The person of a name as it is written, or of its parts; "": nobody."""
        key = self.names.key(raw)
        if key in self.of_name:
            return self.of_name[key]
        parts = key.split()
        for cut in range(1, len(parts)):
            for part in (" ".join(parts[cut:]), " ".join(parts[:-cut])):
                if part in self.of_name:
                    return self.of_name[part]
        return ""

    def sex(self, who: str) -> Sex:
        """The sex of a person, or of a noun such as `the old man`."""
        if found := self.evidence.get(who):
            return found.sex
        if who not in self._noun_sexes:
            self._noun_sexes[who] = self.words.speaker_sex(who) if who else ""
        return self._noun_sexes[who]

    def known(self, speakers: Iterable[str]) -> dict[str, KnownPerson]:
        """What is known of everybody, by main names, and of nouns that speak, such as `the old man`."""
        count = self.names.count
        found = {}
        for who, evidence in self.evidence.items():
            also = sorted((name for name in self.also[who] if name != who), key=lambda name: (-count[name], name))
            pronouns = [f"{evidence.he} he, {evidence.she} she"] if evidence.he or evidence.she else []
            told = ", ".join([*([evidence.title] if evidence.title else []), *pronouns])
            found[who] = KnownPerson(tuple(also), evidence.sex, told)
        for who in sorted(set(speakers) - found.keys()):
            sex = self.sex(who)
            found[who] = KnownPerson((), sex, repr(self.words.noun(who)[1]) if sex else "")
        return found

    def titled(self, title: str) -> set[str]:
        """The people with a title, in small letters: `count`."""
        return {person for name, person in self.of_name.items() if name.split()[0].lower() == title}

    def _evidence(self, person: str, pronouns: Counter[Sex]) -> SexEvidence:
        votes, told_by = Counter(pronouns), ""
        for name in self.also[person]:
            first, *_, last = name.split() if " " in name else (name, name)
            if (told := self.words.title_sex(first)) and first != last:
                votes[told] += _TITLE_WEIGHT
                told_by = first
            if told := self.words.nouns.get(last.lower(), ""):
                votes[told] += _NOUN_WEIGHT
                told_by = told_by or last
            if told := self.words.given_names.get(self.names.parts(name)[1][0], ""):
                votes[told] += _NAME_WEIGHT
                told_by = told_by or self.names.parts(name)[1][0]
        difference = votes["m"] - votes["f"]
        sex: Sex = "m" if difference > 0 else "f"
        if abs(difference) < max(_LEAST_DIFFERENCE * votes.total(), self.words.least_pronouns):
            sex = ""
        return SexEvidence(sex, pronouns["m"], pronouns["f"], told_by)
