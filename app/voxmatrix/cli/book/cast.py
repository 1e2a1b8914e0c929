"""`voxmatrix book cast`: who speaks in a book, as a table of voices to edit."""

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.book.asking import answers_of
from voxmatrix.cli.book.casting import lost_findings
from voxmatrix.cli.book.contents import BookFile, read_chapters, wanted_kinds
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import Finding
from voxmatrix.files import check_not_folder, write_text
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.book.people.cast import Attribution, Line
    from voxmatrix.book.people.found import FoundPerson
    from voxmatrix.book.people.proposals import Proposal
    from voxmatrix.voices.cast_table import CastTable

#: How a book of unknown language is read.
_DEFAULT_LANGUAGE = "en"
_MARGIN, _WIDTH = 18, 100
#: With fewer voices, that of the narrator among them, two people have the same.
_FEW_VOICES = 3
#: People that are named on the terminal.
_NAMED = 20


def command(
    file: BookFile,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The table (default: BOOK.cast.toml); it is updated.")
    ] = None,
    show: Annotated[
        str, typer.Option("--show", metavar="CHAPTERS", help="Print chapters with their speakers, and write nothing.")
    ] = "",
    propose: Annotated[
        bool, typer.Option("--propose", help="Propose voices of those that are installed, which are measured once.")
    ] = False,
    ask: Annotated[
        str, typer.Option("--ask", metavar="URL", help="Ask a chat server with OpenAI's API where rules are not sure.")
    ] = "",
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model that `--ask` asks.")] = "",
    key_file: Annotated[
        Path | None, typer.Option("--key-file", metavar="FILE", help="A file with the key of that server.")
    ] = None,
    facts: Annotated[
        bool, typer.Option("--facts", hidden=True, help="Print all that the book tells, for programs.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Find who speaks in a book, and write it as a table of voices to edit (`--cast`)."""
    from voxmatrix.book.people.cast import attribute, find_lines, knows_speakers
    from voxmatrix.book.people.cast_file import kept_table, with_answers
    from voxmatrix.book.people.clues import NARRATOR
    from voxmatrix.book.people.facts import facts_of
    from voxmatrix.book.people.found import people_of
    from voxmatrix.book.people.proposals import Proposal
    from voxmatrix.voices.cast_table import CastTable, read_table

    path = out or Path(f"{file.stem}.cast.toml")
    check_not_folder(path)
    book = read_chapters(file, "", wanted_kinds("", "", notes=False))
    if facts:
        print_json(facts_of(find_lines(book, book.language or _DEFAULT_LANGUAGE)))
        return
    table = read_table(path) if path.exists() else CastTable()
    language = book.language or _DEFAULT_LANGUAGE
    found = attribute(book, language, table)
    for finding in _findings(found, path, knows=knows_speakers(book.language)):
        warn(finding)
    if show:
        _show(found, show, as_json=as_json)
        return
    people = people_of(found, table)
    answers = None
    if ask:
        names = [person.name for person in people if person.name != NARRATOR]
        answers = answers_of(attribute(book, language, table.by_people()), names, ask, model, key_file, as_json=as_json)
        found = attribute(book, language, table.by_people(answers))
    proposal = _proposal(found, people, table, as_json=as_json) if propose else Proposal()
    text = _table_text(file, path, table, people, proposal)
    text = text if answers is None else with_answers(text, answers)
    write_text(path, kept_table(text, table, str(path)))
    if as_json:
        _print_people(found, people, path)
        return
    _summarise(found, people, path, file)


def _table_text(file: Path, path: Path, table: "CastTable", people: "list[FoundPerson]", proposal: "Proposal") -> str:
    """The table in `path` with what was found, or a new one."""
    from voxmatrix.book.people.cast_file import new_table
    from voxmatrix.book.people.decisions import proposed_table

    if path.exists():
        return proposed_table(path.read_text(encoding="utf-8-sig"), table, people, proposal)
    return new_table(_name(file), people, proposal.voices, proposal.of_sex)


def _print_people(found: "Attribution", people: "list[FoundPerson]", path: Path) -> None:
    """What was found, as JSON."""
    speeches = {"speeches": len(found.lines), "sure": sum(line.sure for line in found.lines)}
    lost = [asdict(correction) for correction in found.lost]
    print_json({"cast": str(path), **speeches, "people": [asdict(person) for person in people], "lost": lost})


def _name(file: Path) -> str:
    """The name of a file as Unicode."""
    return file.name.encode("utf-8", "replace").decode("utf-8")


def _proposal(found: "Attribution", people: "list[FoundPerson]", table: "CastTable", *, as_json: bool) -> "Proposal":
    """Voices for people who have none, and a warning where there are too few."""
    from voxmatrix.book.people.proposals import propose_missing, sample_of
    from voxmatrix.book.people.sounds import voices_at_hand

    language = found.book.language.lower() or _DEFAULT_LANGUAGE
    with progress("check", "voices measured", as_json=as_json) as on_progress:
        voices = list(voices_at_hand(language, sample_of(found.book), on_progress))
    teller = table.narrator or (voices[0].name if voices else "")
    proposal = propose_missing(people, found.lines, voices, teller, table)
    if len(voices) < _FEW_VOICES:
        problem = f"too few voices speak {language} here: {len(voices)}"
        remedy = "download Kokoro, which has many, or a voice with several speakers: voxmatrix voices download kokoro"
        warn(Finding(problem=problem, remedy=remedy, severity="warning"))
    return proposal


def _findings(found: "Attribution", path: Path, *, knows: bool) -> Iterator[Finding]:
    if not knows and not any(line.who for line in found.lines):
        problem = f"there are no rules yet of who speaks in a book in {found.book.language}, but of plays"
        yield Finding(
            problem=problem, remedy="set narrator and dialogue in the table, or write [[said]]", severity="warning"
        )
    yield from lost_findings(found.lost, path)


def _summarise(found: "Attribution", people: "list[FoundPerson]", path: Path, file: Path) -> None:
    total = len(found.lines) or 1
    sure = sum(line.sure for line in found.lines)
    sex = sum(line.sex_sure or (line.sure and bool(line.sex)) for line in found.lines)
    for person in people[:_NAMED]:
        also = f"  also {', '.join(person.also[:4])}" if person.also else ""
        echo(f"{person.speeches:6}  {person.sure:5} sure  {person.sex or '?'}  {person.name}{also}")
    if len(people) > _NAMED:
        echo(f"and {len(people) - _NAMED} more")
    echo(
        f"{path}: {pluralise(len(found.lines), 'piece')} of speech; the speaker of "
        f"{sure / total:.0%} is sure, man or woman of {sex / total:.0%}\n"
        f"  → give them voices, and make the book with `cast={path}`\n"
        f"  → see who says what in a chapter: voxmatrix book cast {file} --show 1",
        err=True,
    )


def _show(found: "Attribution", wanted: str, *, as_json: bool) -> None:
    from voxmatrix.book.people.corrections import Place
    from voxmatrix.book.selection import select_chapters

    numbers = select_chapters(wanted.lower().removeprefix("chapter").strip(), len(found.book.chapters))
    by_place = {line.place: line for line in found.lines}
    shown: list[dict[str, Any]] = []
    for number in numbers:
        chapter = found.book.chapters[number - 1]
        lines = {
            speech.paragraph: line
            for index, speech in enumerate(chapter.speeches)
            for line in [by_place[Place(number - 1, index)]]
        }
        for paragraph, text in enumerate(chapter.paragraphs):
            line = lines.get(paragraph)
            if as_json:
                said = {"who": line.who, "sure": line.sure, "sex": line.sex, "rule": line.rule} if line else {}
                shown.append({"chapter": number, "text": text, **said})
            else:
                echo(_in_margin(text, line))
    if as_json:
        print_json({"lines": shown})


def _in_margin(text: str, line: "Line | None") -> str:
    """A paragraph with its speaker beside it; ?: not sure."""
    who = "" if line is None else (line.who or "?") if line.sure or not line.who else f"{line.who} ?"
    margin = who if len(who) <= _MARGIN else f"{who[: _MARGIN - 3].rstrip()}…{who[-2:] if who.endswith(' ?') else ''}"
    indent = " " * (_MARGIN + 2)
    return textwrap.fill(text, _WIDTH, initial_indent=margin.ljust(_MARGIN + 2), subsequent_indent=indent) + "\n"
