"""What a person decides about the people of a book, written into the table without changing what else it says.

Each function takes the text of a table and what it says, and returns the new text.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.book.people.cast_file import ANSWERS, answer_lines, name_in, quoted_toml, updated_table
from voxmatrix.book.people.found import FoundPerson
from voxmatrix.book.people.proposals import Proposal
from voxmatrix.errors import BadInputError
from voxmatrix.voices.cast_table import CastPerson, CastTable, Correction, parse_table

#: The keys at the top of a table that choose voices.
GENERAL = ("dialogue", "dialogue_male", "dialogue_female", "unsure")
_BLOCK = re.compile(r"(?m)^(?=\[)")
_REMEDY = 'write people as [people."NAME"], each key at the beginning of a line, or begin with a new table'


def with_person(text: str, table: CastTable, person: CastPerson) -> str:
    """A table with another sex or voice of somebody, who may be new, and is no longer proposed.

    Raises:
        BadInputError: the table is written in a way that cannot be changed without changing what else it says.
    """
    person = replace(person, proposed=False)
    others = [one for one in table.people if one.name != person.name]
    wanted = [person if one.name == person.name else one for one in table.people]
    wanted = wanted if len(others) < len(table.people) else [*table.people, person]
    return _checked(_with_block(text, person), replace(table, people=tuple(wanted)))


def merged(text: str, table: CastTable, name: str, into: str) -> str:
    """A table in which a name, and all other names of whose main name it is, are those of another person.

    Raises:
        BadInputError: both are the same person, or as `with_person`.
    """
    target = table.by_name.get(into.casefold()) or CastPerson(name=into)
    source = table.by_name.get(name.casefold()) or CastPerson(name=name)
    if source.name.casefold() == target.name.casefold():
        raise BadInputError(f"{name} is {target.name} already", "choose somebody else")
    whole = source.name.casefold() == name.casefold()
    moved = (source.name, *source.also) if whole else (name,)
    kept = tuple(one for one in target.also if one.casefold() not in map(str.casefold, moved))
    target = replace(target, also=(*kept, *moved), proposed=False)
    if whole:
        target = replace(target, voice=target.voice or source.voice, sex=target.sex or source.sex)
        table = replace(table, people=tuple(one for one in table.people if one.name != source.name))
        text = _edited(text, lambda blocks: _without_person(blocks, source.name))
    else:
        table, text = _without_name(text, table, source, name)
    others = tuple(target if one.name == target.name else one for one in table.people)
    known = any(one.name == target.name for one in table.people)
    return _checked(_with_block(text, target), replace(table, people=others if known else (*others, target)))


def separated(text: str, table: CastTable, name: str) -> str:
    """A table in which a name is no longer another name of somebody.

    Raises:
        BadInputError: it is none, or as `with_person`.
    """
    person = table.by_name.get(name.casefold())
    if person is None or name.casefold() not in map(str.casefold, person.also):
        raise BadInputError(f"{name} is no other name of anybody", "choose one of the other names of a person")
    table, text = _without_name(text, table, person, name)
    return _checked(text, table)


def with_said(text: str, table: CastTable, old: Correction | None, new: Correction | None) -> str:
    """A table with a correction of a speech instead of another one.

    Raises:
        BadInputError: as `with_person`.
    """
    said = tuple(one for one in table.said if one != old) + (() if new is None else (new,))

    def change(blocks: list[str]) -> list[str]:
        kept = [
            rest for block in blocks for rest in [_rest(block) if old and _said_in(block) == old else block] if rest
        ]
        return kept if new is None else [*_ended(kept), "\n" + "\n".join(answer_lines(new)) + "\n"]

    return _checked(_edited(text, change), replace(table, said=said))


def with_general(text: str, table: CastTable, values: dict[str, str]) -> str:
    """A table with other values of `GENERAL`.

    Raises:
        BadInputError: as `with_person`.
    """

    def change(blocks: list[str]) -> list[str]:
        for key, value in values.items():
            blocks[0] = _with_value(blocks[0], key, quoted_toml(value))
        return blocks

    changed: dict[str, Any] = dict(values)
    return _checked(_edited(text, change), replace(table, **changed))


def proposed_table(text: str, table: CastTable, people: Iterable[FoundPerson], proposal: Proposal) -> str:
    """A table with the people that it lacks, and with voices where nobody has decided about them.

    Raises:
        BadInputError: as `with_person`.
    """
    text = updated_table(text, table, people, proposal.voices)
    keys = {"m": "dialogue_male", "f": "dialogue_female"}
    empty = {keys[sex]: voice for sex, voice in proposal.of_sex.items() if not getattr(table, keys[sex])}
    return with_general(text, parse_table(text, Path("the table")), empty) if empty else text


def _checked(text: str, wanted: CastTable) -> str:
    """The text, if it says this.

    Raises:
        BadInputError: it does not.
    """
    problem = "the table is written in a way that cannot be changed without changing what else it says"
    try:
        found = parse_table(text, Path("the table"))
    except BadInputError as error:
        raise BadInputError(problem, _REMEDY) from error
    same = [getattr(found, key) == getattr(wanted, key) for key in (*GENERAL, "narrator")]
    if not all(same) or set(found.people) != set(wanted.people) or set(found.said) != set(wanted.said):
        raise BadInputError(problem, _REMEDY)
    return text


def _edited(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """The text with other blocks: what stands before the first table, and each table with what follows it."""
    before, mark, answers = text.partition(ANSWERS)
    blocks = _BLOCK.split(before)
    return "".join(change(blocks)) + ("\n" if mark and not before.endswith("\n") else "") + mark + answers


def _with_block(text: str, person: CastPerson) -> str:
    values = {
        "also": f"[{', '.join(map(quoted_toml, person.also))}]",
        "sex": quoted_toml(person.sex),
        "voice": quoted_toml(person.voice),
        "proposed": "false",
    }

    def change(blocks: list[str]) -> list[str]:
        at = next((at for at, block in enumerate(blocks) if name_in(block.partition("\n")[0]) == person.name), None)
        if at is None:
            lines = [f"[people.{quoted_toml(person.name)}]", *(f"{key} = {value}" for key, value in values.items())]
            return [*_ended(blocks), "\n" + "\n".join(lines) + "\n"]
        for key, value in values.items():
            if _value_in(blocks[at], person.name, key) != getattr(person, key):
                blocks[at] = _with_value(blocks[at], key, value)
        return blocks

    return _edited(text, change)


def _value_in(block: str, name: str, key: str) -> Any:
    try:
        row = tomllib.loads(block)["people"][name]
    except (ValueError, LookupError, RecursionError):
        return None
    value = row.get(key, {"also": [], "proposed": False}.get(key, ""))
    return tuple(value) if isinstance(value, list) else value


def _without_name(text: str, table: CastTable, person: CastPerson, name: str) -> tuple[CastTable, str]:
    also = tuple(one for one in person.also if one.casefold() != name.casefold())
    without = replace(person, also=also, proposed=False)
    people = tuple(without if one.name == person.name else one for one in table.people)
    return replace(table, people=people), _with_block(text, without)


def _without_person(blocks: list[str], name: str) -> list[str]:
    return [_rest(block) if name_in(block.partition("\n")[0]) == name else block for block in blocks]


def _rest(block: str) -> str:
    """What stands behind a table until the next one: comments and blank lines."""
    lines = block.splitlines(keepends=True)
    last = max((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), default=-1)
    return "".join(lines[last + 1 :]).lstrip("\n")


def _said_in(block: str) -> Correction | None:
    try:
        (row,) = tomllib.loads(block)["said"]
        return Correction(*(row.get(key, "") for key in ("text", "who", "behind", "by")))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _ended(blocks: Sequence[str]) -> list[str]:
    whole = "".join(blocks)
    return [*blocks, "\n"] if whole and not whole.endswith("\n") else list(blocks)


def _with_value(block: str, key: str, value: str) -> str:
    """A table whose line of a key has this value; its comment stays."""
    lines = block.splitlines(keepends=True)
    for start, line in enumerate(lines):
        if re.match(rf"{key}\s*=", line):
            end = next((at for at in range(start + 1, len(lines) + 1) if _parses(lines[start:at])), start + 1)
            comment = _comment(line) if end == start + 1 else ""
            behind = line[len(line.rstrip()) :] or "\n"
            return "".join([*lines[:start], f"{key} = {value}{comment}{behind}", *lines[end:]])
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    place = 1 if lines and lines[0].startswith("[") else len(lines)
    return "".join([*lines[:place], f"{key} = {value}\n", *lines[place:]])


def _parses(lines: Iterable[str]) -> bool:
    try:
        tomllib.loads("".join(lines))
    except (ValueError, RecursionError):
        return False
    return True


def _comment(line: str) -> str:
    """The comment at the end of a line with a value, with the spaces before it."""
    for found in re.finditer(r"\s*#", line):
        if _parses([line[: found.start()]]):
            return line[found.start() :].rstrip()
    return ""
