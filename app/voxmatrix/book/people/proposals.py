"""Which voice each person of a book may have: of their sex, and unlike those whom they talk with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from voxmatrix.book.content import Book
from voxmatrix.book.people.cast import Line
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.found import FoundPerson
from voxmatrix.book.people.sounds import VoiceSound
from voxmatrix.voices.cast_table import CastTable

#: Who says less than this share of the speech shares a voice with others.
_LEAST_SHARE = 0.02
#: A voice that is as far from the narrator's and all other voices counts half as much as far from those talked with.
_OTHERS = 0.5
#: Characters that a voice says to be measured.
_SAMPLE = 150


@dataclass(frozen=True)
class Proposal:
    """Voices for a book."""

    voices: dict[str, str] = field(default_factory=dict)  # by main names
    of_sex: dict[str, str] = field(default_factory=dict)  # "m" and "f": of all others


def sample_of(book: Book) -> str:
    """A text of the book, which voices say to be measured."""
    texts = [text for chapter in book.chapters for text in chapter.paragraphs]
    return next((text for text in texts if len(text) >= _SAMPLE), texts[0])[:_SAMPLE]


def propose_missing(
    people: Sequence[FoundPerson],
    lines: Sequence[Line],
    voices: Sequence[VoiceSound],
    narrator: str,
    table: CastTable,
) -> Proposal:
    """Voices for what has none in a table; those that it names already are left to whom they were given.

    Args:
        people, lines, voices, narrator: as of `propose`.
        table: what is decided, or was proposed before.
    """
    general = {"m": table.dialogue_male, "f": table.dialogue_female}
    taken = {person.voice for person in table.people} | {table.dialogue, *general.values()}
    missing = [
        person
        for person in people
        if not ((known := table.by_name.get(person.name.casefold())) and known.voice) and person.name != NARRATOR
    ]
    found = propose(missing, lines, [one for one in voices if one.name == narrator or one.name not in taken], narrator)
    return replace(found, of_sex={sex: voice for sex, voice in found.of_sex.items() if not general[sex]})


def propose(
    people: Sequence[FoundPerson], lines: Sequence[Line], voices: Sequence[VoiceSound], narrator: str
) -> Proposal:
    """Give each person who speaks much a voice of their own, while there are any; the rest of them two, by sex.

    Args:
        people: who speaks most first.
        lines: of the book in order: who speaks after whom talks with them.
        voices: of the language of the book.
        narrator: the voice of the book.
    """
    talk = Counter(frozenset(pair) for pair in pairwise(line.who for line in lines if line.who) if len(set(pair)) == 2)
    teller = next((voice for voice in voices if voice.name == narrator), None)
    left = [voice for voice in voices if voice is not teller]
    of_sex = {}
    for sex in ("m", "f"):
        own = [voice for voice in left if voice.sex == sex]
        if len(own) > 1:
            of_sex[sex] = own[-1].name
            left.remove(own[-1])
    given: dict[str, VoiceSound] = {}
    for person in people:
        fits = [voice for voice in left if not person.sex or voice.sex in ("", person.sex)]
        if person.speeches < _LEAST_SHARE * len(lines) or not fits:
            continue
        given[person.name] = max(fits, key=lambda voice: _apart(voice, person.name, given, teller, talk))
        left.remove(given[person.name])
    return Proposal({name: voice.name for name, voice in given.items()}, of_sex)


def _apart(
    voice: VoiceSound, who: str, given: dict[str, VoiceSound], teller: VoiceSound | None, talk: Counter[frozenset[str]]
) -> float:
    """How far a voice is from those of whom a person talks with, weighted by how much, and from the nearest one."""
    near = [voice.distance(other) for other in given.values()] + ([voice.distance(teller)] if teller else [])
    shares = {name: talk[frozenset((who, name))] for name in given}
    total = sum(shares.values()) or 1
    talked = sum(share / total * voice.distance(given[name]) for name, share in shares.items())
    return talked + _OTHERS * min(near, default=0.0)
