"""Writing BOOK.cast.toml: people are added to it, and what somebody has written into it stays as it is."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from voxmatrix.book.people.found import LEAST_SPEECHES, FoundPerson
from voxmatrix.errors import BadInputError
from voxmatrix.voices.cast_table import CastTable, Correction, parse_table

_HEAD = """\
# Who speaks in this book, and with which voice. Edit it freely: `voxmatrix book cast` adds people, and changes only the
# lines `speeches` and `voice = ""` of those who are `proposed`. To merge two people, move the names of one into `also`
# of the other.
book = {book}
narrator = ""          # a voice, e.g. "en_US-heart-student", or "VOICE|SPEAKER"; "": that of --voice
dialogue = ""          # the voice of speech without one of its own; "": the narrator
dialogue_male = {male}     # the same where the speaker is surely a man
dialogue_female = {female}   # or a woman
unsure = "narrator"    # who speaks if that is not sure: "narrator", "dialogue", or "guess" for the likeliest person
"""
_FOOT = """
# One speech, corrected by hand; it is found again by its words when the book changes:
# [[said]]
# text = "How dreadful!"             # its first words
# behind = "cried Dorian, laughing"  # what stands before it; may be left out
# who = "Dorian Gray"
"""
#: Behind it, nobody writes by hand: people are added before it.
ANSWERS = "# ---- What a model has answered (`--ask`): written anew each time; [[said]] above is stronger. ----\n"
_HEADER = re.compile(r"\[people\..*\]\s*(?:#.*)?")
_BLOCK = re.compile(r"(?m)^(?=\[)")
_SPEECHES = re.compile(r"speeches\s*=.*")
_NO_VOICE = re.compile(r"""voice\s*=\s*(?:""|'')(?P<behind>\s*(?:#.*)?)""")


def new_table(
    book: str,
    people: Iterable[FoundPerson],
    voices: Mapping[str, str],
    of_sex: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A table of a book.

    Args:
        book: the name of its file.
        people: who speaks; those who seldom do are left out.
        voices: by main names.
        of_sex: the voices of other men, "m", and women, "f".
    """
    male, female = (quoted_toml(of_sex.get(sex, "")) for sex in ("m", "f"))
    head = _HEAD.format(book=quoted_toml(book), male=male, female=female)
    return head + "".join(_blocks(people, voices)) + _FOOT


def updated_table(text: str, table: CastTable, people: Iterable[FoundPerson], voices: Mapping[str, str]) -> str:
    """A table with the people that it lacks; of those whom nobody has looked at, new figures and voices."""
    found = {person.name: person for person in people}
    proposed = {person.name for person in table.people if person.proposed}
    lines, current = [], None
    text, answers, said = text.partition(ANSWERS)
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            name = name_in(line)
            current = found.get(name) if name in proposed else None
        lines.append(_refreshed(line, current, voices) if current else line)
    more = "".join(_blocks((one for one in found.values() if one.name.casefold() not in table.by_name), voices))
    whole = "".join(lines)
    return whole + ("\n" if more and not whole.endswith("\n") else "") + more + (f"\n{answers}{said}" if said else "")


def kept_table(text: str, table: CastTable, name: str) -> str:
    """The text of an updated table, which still says all that somebody has decided.

    Args:
        text: of the updated table.
        table: what it said before.
        name: of the file.

    Raises:
        BadInputError: it does not.
    """
    try:
        if parse_table(text, Path(name)).has_all_of(table):
            return text
    except BadInputError:
        pass
    raise BadInputError(
        f"nothing can be added to {name} without changing what it says",
        'write people as [people."NAME"], with a value a line, or choose another file: `out=NEW.cast.toml`',
    )


def whole_table(table: CastTable) -> str:
    """A table that says the same, for programs."""
    keys = ("narrator", "dialogue", "dialogue_male", "dialogue_female", "unsure")
    lines = [f"{key} = {quoted_toml(getattr(table, key))}" for key in keys]
    for person in table.people:
        lines += [f"[people.{quoted_toml(person.name)}]", f"also = [{', '.join(map(quoted_toml, person.also))}]"]
        lines += [f"sex = {quoted_toml(person.sex)}", f"voice = {quoted_toml(person.voice)}"]
        lines += [f"proposed = {str(person.proposed).lower()}"]
    for said in table.said:
        lines += answer_lines(said)
    return "\n".join(lines) + "\n"


def with_answers(text: str, answers: Iterable[Correction]) -> str:
    """A table with what a model has said of speeches, behind all else, instead of what one had said before."""
    before, _, behind = text.partition(ANSWERS)
    kept = (before.rstrip("\n") + "\n" + _by_hand(behind)).rstrip("\n") + "\n"
    said = "".join("\n" + "\n".join(answer_lines(answer)) + "\n" for answer in answers)
    return kept + (f"\n{ANSWERS}{said}" if said else "")


def _by_hand(text: str) -> str:
    """What somebody has written between the answers of a model."""
    return "".join(block for block in _BLOCK.split(text) if block.strip() and not _is_answer(block))


def _is_answer(block: str) -> bool:
    try:
        (said,) = tomllib.loads(block)["said"]
    except (ValueError, KeyError, RecursionError):
        return False
    return bool(said.get("by"))


def answer_lines(answer: Correction) -> Iterator[str]:
    """Who says a speech, as lines of a table."""
    yield "[[said]]"
    for key, value in (("text", answer.text), ("behind", answer.behind), ("who", answer.who), ("by", answer.by)):
        if value:
            yield f"{key} = {quoted_toml(value)}"


def _blocks(people: Iterable[FoundPerson], voices: Mapping[str, str]) -> Iterator[str]:
    for person in people:
        if person.speeches >= LEAST_SPEECHES:
            yield "\n" + "\n".join(_block(person, voices.get(person.name, ""))) + "\n"


def _block(person: FoundPerson, voice: str) -> Iterator[str]:
    yield f"[people.{quoted_toml(person.name)}]"
    yield f"also = [{', '.join(map(quoted_toml, person.also))}]"
    yield f"sex = {quoted_toml(person.sex)}" + (f"  # {person.evidence}" if person.evidence else "")
    yield _speeches(person)
    yield f"voice = {quoted_toml(voice)}"
    yield "proposed = true  # false: leave these lines as they are"


def _speeches(person: FoundPerson) -> str:
    return f"speeches = {person.speeches}  # {person.sure} of them sure"


def _refreshed(line: str, person: FoundPerson, voices: Mapping[str, str]) -> str:
    end = line[len(line.rstrip()) :]
    if _SPEECHES.fullmatch(line.strip()):
        return _speeches(person) + end
    if (empty := _NO_VOICE.fullmatch(line.strip())) and (voice := voices.get(person.name)):
        return f"voice = {quoted_toml(voice)}{empty['behind']}{end}"
    return line


def name_in(line: str) -> str:
    """Whom the header of a table is of; "": nobody."""
    if not _HEADER.fullmatch(line.strip()):
        return ""
    try:
        people = tomllib.loads(line)["people"]
    except ValueError:  # the header goes on in the next line, in a way that this file is never written in
        return ""
    return next(iter(people), "")


def quoted_toml(text: str) -> str:
    """A text as TOML: its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
