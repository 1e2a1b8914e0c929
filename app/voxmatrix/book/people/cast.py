"""A book whose speech has its speakers, and the people who speak."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from voxmatrix.book.content import SOMEBODY, Book, Chapter, Speech
from voxmatrix.book.dialogue import with_dialogue, with_lines_of
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.corrections import Place, find_corrections
from voxmatrix.book.people.persons import KnownPerson
from voxmatrix.book.people.speakers import SaidBy, find_speakers
from voxmatrix.book.people.words import languages
from voxmatrix.models.style import Role
from voxmatrix.voices.cast import role_from
from voxmatrix.voices.cast_table import NOBODY_KNOWN, CastTable, Correction

#: Nine of ten speeches are by the person, or sex, that is at least so probable (decision 56).
SURE, SEX_SURE = 0.95, 0.9
#: The rule of a line that a person has decided.
CORRECTED = "corrected"
#: How the rule of a line begins that nothing but the lines around it tells.
_IN_TURN = "turn"


@dataclass(frozen=True)
class Line:
    """A speech of a book, and who says it."""

    place: Place
    who: str  # the most probable person, by the main name in the table; "": nobody is known
    sex: str
    rule: str
    sure: bool
    sex_sure: bool


@dataclass(frozen=True)
class Attribution:
    """Who says what in a book."""

    book: Book  # with its speech
    lines: list[Line]
    lost: list[Correction] = field(default_factory=list)  # corrections whose speech is not found
    #: What the text tells of its people, by main names; empty if it is in a language without rules, or a play.
    persons: Mapping[str, KnownPerson] = field(default_factory=dict)


def knows_speakers(language: str) -> bool:
    """Whether there are rules of who speaks in this language; else only plays have speakers."""
    return _code(language) in languages()


def _code(language: str) -> str:
    """That of the table of a language; a book that does not tell its language is taken for English."""
    return language.lower().replace("_", "-").split("-")[0] or "en"


def attribute(book: Book, language: str, table: CastTable) -> Attribution:
    """Find who says what, with the names and corrections of a table."""
    return with_table(find_lines(book, language, table.by_name), table)


def find_lines(book: Book, language: str, names: Collection[str] = ()) -> Attribution:
    """Find who says what, by what the book tells alone; `names`, in small letters, may stand before lines."""
    book = with_dialogue(with_lines_of(book, names), language)
    known = all(speech.who for chapter in book.chapters for speech in chapter.speeches)
    speakers = None if known or not knows_speakers(language) else find_speakers(book.chapters, _code(language))
    said = iter(speakers.said) if speakers else None
    lines = []
    for number, chapter in enumerate(book.chapters):
        last, turn = -1, None
        for index, speech in enumerate(chapter.speeches):
            if speech.paragraph != last:
                last, turn = speech.paragraph, next(said) if said else None
            lines.append(_found(Place(number, index), speech, turn))
    who = {line.who for line in lines} - {"", NARRATOR}
    return Attribution(book, lines, persons=speakers.persons.known(who) if speakers else {})


def _found(place: Place, speech: Speech, turn: SaidBy | None) -> Line:
    if speech.who:
        return Line(place, speech.who, "", speech.rule, sure=True, sex_sure=False)
    if turn is None:
        return Line(place, "", "", "", sure=False, sex_sure=False)
    sure = bool(turn.who) and turn.sure >= SURE
    return Line(place, turn.who, turn.sex, f"{turn.rule} {turn.sure:.2f}", sure, sex_sure=turn.sex_sure >= SEX_SURE)


def with_table(found: Attribution, table: CastTable) -> Attribution:
    """What was found by `find_lines`, with the names and corrections of a table."""
    corrected, lost = find_corrections(found.book.chapters, table.said)
    lines, last, correction = [], (-1, -1), None
    for line in found.lines:
        speech = found.book.chapters[line.place.chapter].speeches[line.place.speech]
        if (line.place.chapter, speech.paragraph) != last:
            last, correction = (line.place.chapter, speech.paragraph), None
        correction = corrected.get(line.place, correction)
        lines.append(_line(line, speech, correction, table))
    return replace(found, lines=_without_talk_to_oneself(found, lines), lost=lost)


def _without_talk_to_oneself(found: Attribution, lines: list[Line]) -> list[Line]:
    """Lines of which those are not sure that were given to one of two people in turn whom the table says to be one."""
    doubted: set[Place] = set()
    for number, (one, other) in enumerate(pairwise(lines)):
        labels = [found.lines[place].who for place in (number, number + 1)]
        if one.who == other.who and labels[0] != labels[1] and one.place.chapter == other.place.chapter:
            doubted.update(line.place for line in (one, other) if line.rule.startswith(_IN_TURN))
    return [replace(line, sure=False, sex_sure=False) if line.place in doubted else line for line in lines]


def _line(line: Line, speech: Speech, correction: Correction | None, table: CastTable) -> Line:
    doubted = correction is not None and correction.who == NOBODY_KNOWN
    if correction and not doubted:
        rule = f"asked {correction.by}" if correction.by else CORRECTED
        return _decided(line.place, correction.who, rule, table)
    if speech.who:
        return _decided(line.place, speech.who, speech.rule, table)
    return _probable(line, table, doubted=doubted)


def _decided(place: Place, who: str, rule: str, table: CastTable) -> Line:
    who = table.name_of(who)
    person = table.by_name.get(who.casefold())
    return Line(place, who, person.sex if person else "", rule, sure=True, sex_sure=bool(person and person.sex))


def _probable(line: Line, table: CastTable, *, doubted: bool) -> Line:
    """A line by the rules; `doubted` if a model that was asked has said somebody else."""
    who = table.name_of(line.who)
    person = table.by_name.get(who.casefold())
    sure, sex = line.sure and not doubted, line.sex
    if sure and person and person.sex:
        sex = "m" if person.sex == "m" else "f"
    return replace(line, who=who, sex=sex, sure=sure, sex_sure=line.sex_sure and not doubted)


def spoken_book(found: Attribution, table: CastTable) -> tuple[Book, dict[str, Role]]:
    """The book whose speech has the names of those who speak it, and their voices by names in small letters.

    Raises:
        BadInputError: there is no such voice.
    """
    voices: dict[str, str] = {}
    named: dict[Place, tuple[str, str]] = {}
    for line in found.lines:
        who, voice = speaker_of(line, table)
        named[line.place] = who, line.rule
        if voice:
            voices[who.casefold()] = voice
    chapters = tuple(
        replace(chapter, speeches=tuple(_with_names(chapter, partial(Place, number), named)))
        for number, chapter in enumerate(found.book.chapters)
    )
    return replace(found.book, chapters=chapters), {who: role_from(voice) for who, voice in voices.items()}


def _with_names(chapter: Chapter, place: "partial[Place]", named: dict[Place, tuple[str, str]]) -> Iterator[Speech]:
    for index, speech in enumerate(chapter.speeches):
        who, rule = named[place(index)]
        yield replace(speech, who=who, rule=rule)


def speaker_of(line: Line, table: CastTable) -> tuple[str, str]:
    """Who is said to speak, and with which voice; "": the narrator's."""
    if line.who and (line.sure or table.unsure == "guess"):
        person = table.by_name.get(line.who.casefold())
        if line.who == NARRATOR and not (person and person.voice):
            return NARRATOR, ""
        return line.who, table.voice_of(line.who, line.sex if line.sex_sure or line.sure else "")
    of_sex = {"m": table.dialogue_male, "f": table.dialogue_female}.get(line.sex if line.sex_sure else "", "")
    if of_sex:
        return SOMEBODY[line.sex], of_sex
    return SOMEBODY[""], table.dialogue if table.unsure == "dialogue" else ""


def speeches_of(lines: Sequence[Line]) -> Counter[str]:
    """How many speeches each person has, sure or not."""
    return Counter(line.who for line in lines if line.who)
