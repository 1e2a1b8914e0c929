"""The table of who speaks in a book, and with which voice: BOOK.cast.toml, which `book cast` writes and people edit."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.wording import quoted

#: Who speaks what is said by nobody knows whom.
Unsure = Literal["narrator", "dialogue", "guess"]
SUFFIX = ".toml"
#: Who says a speech of which rules and a model think differently.
NOBODY_KNOWN = "?"
_REMEDY = "mend that line of the table; docs/books.md describes it"


@dataclass(frozen=True, kw_only=True)
class CastPerson:
    """A person of a book."""

    name: str
    also: tuple[str, ...] = ()  # other names in the book
    sex: str = ""  # m, f, or unknown
    voice: str = ""  # a voice, or voice|speaker; "": that of dialogue, or of the narrator
    proposed: bool = False  # nobody has looked at it


@dataclass(frozen=True)
class Correction:
    """Who says one speech."""

    text: str  # its first words, or all
    who: str
    behind: str = ""  # words before it
    by: str = ""  # the model that has said so; "": a person


@dataclass(frozen=True, kw_only=True)
class CastTable:
    """What the file says."""

    narrator: str = ""  # a voice, where none is given
    dialogue: str = ""  # the voice of speech that has none of its own
    dialogue_male: str = ""
    dialogue_female: str = ""
    unsure: Unsure = "narrator"
    people: tuple[CastPerson, ...] = ()
    said: tuple[Correction, ...] = ()
    #: People by each of their names, in small letters.
    by_name: Mapping[str, CastPerson] = field(default_factory=dict, repr=False)

    def by_people(self, answers: Iterable[Correction] = ()) -> "CastTable":
        """The table with these answers of a model, and no others."""
        return replace(self, said=(*(one for one in self.said if not one.by), *answers))

    def has_all_of(self, other: "CastTable") -> bool:
        """Whether everything that a person has decided in another table is in this one."""
        people = {person for person in other.people if not person.proposed}
        said = {one for one in other.said if not one.by}
        return people <= set(self.people) and said <= set(self.said)

    def name_of(self, who: str) -> str:
        """The main name of a person; the same if they are not in the table."""
        person = self.by_name.get(who.casefold())
        return person.name if person else who

    def voice_of(self, who: str, sex: str) -> str:
        """The voice of somebody, by name or else by sex; "": the narrator's."""
        person = self.by_name.get(who.casefold())
        of_sex = {"m": self.dialogue_male, "f": self.dialogue_female}.get((person.sex if person else "") or sex, "")
        return (person.voice if person else "") or of_sex or self.dialogue


def read_table(path: Path) -> CastTable:
    """Read a table.

    Raises:
        BadInputError: it cannot be read, is not TOML, or a value is not what it has to be.
    """
    with read_errors(path):
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except ValueError as error:
        raise BadInputError(f"{path} is not TOML: {error}", _REMEDY) from error
    return parse_table(text, path)


def parse_table(text: str, path: Path) -> CastTable:
    """The table in the text of a file.

    Raises:
        BadInputError: it is not TOML, or a value is not what it has to be.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not TOML: {error}", _REMEDY) from error
    people = tuple(_person(path, name, row) for name, row in _typed(path, values, "people", dict, {}).items())
    texts = {key: _typed(path, values, key, str, "") for key in ("narrator", "dialogue")}
    unsure = _typed(path, values, "unsure", str, "narrator")
    if unsure not in get_args(Unsure):
        raise BadInputError(f"{path}: unsure is {quoted(unsure)}", f"write one of: {', '.join(get_args(Unsure))}")
    return CastTable(
        **texts,
        dialogue_male=_typed(path, values, "dialogue_male", str, ""),
        dialogue_female=_typed(path, values, "dialogue_female", str, ""),
        unsure=unsure,
        people=people,
        said=tuple(_correction(path, row) for row in _typed(path, values, "said", list, [])),
        by_name=_by_name(path, people),
    )


def _person(path: Path, name: str, row: Any) -> CastPerson:
    if not isinstance(row, dict):
        raise BadInputError(f"{path}: {quoted(name)} is not a table", f'begin it with [people."{name}"]')
    also = _typed(path, row, "also", list, [])
    if not all(isinstance(one, str) for one in also):
        raise BadInputError(f"{path}: a name in also of {quoted(name)} is not a text", _REMEDY)
    return CastPerson(
        name=name,
        also=tuple(also),
        sex=_typed(path, row, "sex", str, ""),
        voice=_typed(path, row, "voice", str, ""),
        proposed=_typed(path, row, "proposed", bool, False),
    )


def _correction(path: Path, row: Any) -> Correction:
    given = row if isinstance(row, dict) else {}
    found = Correction(*(_typed(path, given, key, str, "") for key in ("text", "who", "behind", "by")))
    if not found.text.strip() or not found.who.strip():
        raise BadInputError(f"{path}: a [[said]] lacks text or who", "write what is said, and who says it")
    return found


def _by_name(path: Path, people: Iterable[CastPerson]) -> dict[str, CastPerson]:
    """A name in also is stronger than the same name as a person of its own: they are merged."""
    found: dict[str, CastPerson] = {}
    for person in people:
        for name in person.also:
            other = found.setdefault(name.casefold(), person)
            if other is not person:
                problem = f"{path}: {quoted(name)} is in also of {quoted(other.name)} and of {quoted(person.name)}"
                raise BadInputError(problem, "remove it from one of them")
    for person in people:
        found.setdefault(person.name.casefold(), person)
    return found


def _typed(path: Path, values: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    value = values.get(key, default)
    if not isinstance(value, kind):
        names = {str: "a text in quotation marks", list: "a list", dict: "a table", bool: "true or false"}
        raise BadInputError(f"{path}: {key} = {quoted(str(value))} is not {names[kind]}", _REMEDY)
    return value
