"""Who speaks in the books of a server: what they tell, found once, and the table of what people decide, which is kept.

Both belong to the content of a book: the same file, uploaded again, has the same table.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import voxmatrix
from voxmatrix.book.people.cast import Attribution, with_table
from voxmatrix.book.people.cast_file import kept_table as checked
from voxmatrix.book.people.cast_file import new_table, updated_table
from voxmatrix.book.people.decisions import proposed_table
from voxmatrix.book.people.facts import attribution_of
from voxmatrix.book.people.found import FoundPerson, people_of
from voxmatrix.book.people.proposals import Proposal
from voxmatrix.config import home
from voxmatrix.files import content_digest, read_text_or_empty, storage_errors, write_text
from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.book_process import read_book_in_process
from voxmatrix.serve.errors import ApiError
from voxmatrix.voices.cast_table import CastTable, parse_table

_ID_CHARACTERS = 32
#: Books whose findings are kept in memory, and on the disk.
_IN_MEMORY, _ON_DISK = 4, 20
#: The name of a table in messages.
_TABLE = "the table"


@dataclass(frozen=True)
class Cast:
    """Who speaks in a book, as it stands."""

    id: str
    told: Attribution  # by the book alone
    text: str  # of the table

    @cached_property
    def table(self) -> CastTable:
        """What the table says."""
        return parse_table(self.text, Path(_TABLE))

    @cached_property
    def found(self) -> Attribution:
        """Who says what, with the decisions of the table."""
        return with_table(self.told, self.table)

    @cached_property
    def people(self) -> list[FoundPerson]:
        """Everybody who speaks, who speaks most first."""
        return people_of(self.found, self.table)


class Casts:
    """The casts of a server. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._known: OrderedDict[str, Cast] = OrderedDict()

    def open(self, book: Path, left: threading.Event | None = None) -> Cast:
        """Find who speaks in a book, if that is not known, and add people to its table.

        `left` is set when the client has left.

        Raises:
            ApiError: the book cannot be read, or somebody deletes its cast meanwhile.
            ClientDisconnectedError: the client has left.
            UnreachableError: the disk is full.
        """
        identity, found = _id_of(book), None
        if self._told(identity) is None:
            found = read_book_in_process(book, "cast", ["--facts"], left)
        with self._lock:
            if found is not None:
                _keep_facts(identity, found)
            told, path = self._told(identity), _table_path(identity)
            if told is None:
                raise ApiError(409, "it was deleted while it was being opened: open it again", code="wrong_state")
            if not path.exists():
                people = people_of(with_table(told, CastTable()), CastTable())
                with storage_errors(path):
                    path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, new_table(book.name, people, {}))
            cast = self.read(identity)
            text = updated_table(cast.text, cast.table, cast.people, {})
            return self._write(cast, checked(text, cast.table, _TABLE))

    def read(self, identity: str) -> Cast:
        """A cast that was opened.

        Raises:
            ApiError: it was not, or longer ago than others.
        """
        with self._lock:
            text = read_text_or_empty(_table_path(identity))
            known = self._known.get(identity)
            if known is not None and known.text == text:
                self._known.move_to_end(identity)
                return known
            told = self._told(identity)
            if told is None or not text:
                message = "it is not known who speaks in that book: open it again (POST /v1/casts)"
                raise ApiError(404, message, param="cast", code="not_found")
            return self._keep(Cast(identity, told, text))

    def change(self, identity: str, new_text: Callable[[Cast], str]) -> Cast:
        """Change the table of a cast; `new_text` makes its text.

        Raises:
            ApiError: there is no such cast.
            And what `new_text` raises; UnreachableError: the disk is full.
        """
        with self._lock:
            cast = self.read(identity)
            return self._write(cast, new_text(cast))

    def remove(self, identity: str) -> None:
        """Forget what was found in a book, and what people have decided about it.

        Raises:
            ApiError: there is no such cast.
            UnreachableError: its files cannot be removed.
        """
        paths = (_table_path(identity), _facts_path(identity))
        with self._lock, storage_errors(paths[0]):
            if not any(path.exists() for path in paths):
                raise ApiError(404, "there is no such cast", param="cast", code="not_found")
            self._known.pop(identity, None)
            for path in paths:
                path.unlink(missing_ok=True)

    def propose(self, identity: str, proposal: Callable[[Cast], Proposal]) -> Cast:
        """Fill in voices of people nobody has looked at, and of all others if there are none yet.

        Raises:
            As `change`.
        """

        def text(cast: Cast) -> str:
            found = proposal(cast)
            return checked(proposed_table(cast.text, cast.table, cast.people, found), cast.table, _TABLE)

        return self.change(identity, text)

    def _write(self, cast: Cast, text: str) -> Cast:
        if text != cast.text:
            changed = replace(cast, text=text)
            _ = changed.table  # what cannot be read is not written
            write_text(_table_path(cast.id), text)
            return self._keep(changed)
        return cast

    def _keep(self, cast: Cast) -> Cast:
        self._known[cast.id] = cast
        self._known.move_to_end(cast.id)
        while len(self._known) > _IN_MEMORY:
            self._known.popitem(last=False)
        return cast

    def _told(self, identity: str) -> Attribution | None:
        with self._lock:
            if identity in self._known:
                return self._known[identity].told
        try:
            facts = json.loads(read_text_or_empty(_facts_path(identity)) or "{}")
            return attribution_of(facts) if facts.get("version") == voxmatrix.__version__ else None
        except (LookupError, TypeError, ValueError):
            return None


def kept_table(book: Path) -> CastTable | None:
    """What the table of a book says; None if there is none.

    Raises:
        BadInputError: it cannot be read.
    """
    text = read_text_or_empty(_table_path(_id_of(book)))
    return parse_table(text, Path(_TABLE)) if text else None


def with_voices(table: CastTable, rename: Callable[[str], str]) -> CastTable:
    """A table with other names of its voices."""

    def named(voice: str) -> str:
        return rename(voice) if voice else ""

    people = tuple(replace(person, voice=named(person.voice)) for person in table.people)
    return replace(
        table,
        narrator="",
        dialogue=named(table.dialogue),
        dialogue_male=named(table.dialogue_male),
        dialogue_female=named(table.dialogue_female),
        people=people,
    )


def table_name(voice: VoiceCard, speaker: str | None) -> str:
    """A voice, or a speaker of it, as a table names it."""
    return f"{voice.id}|{speaker}" if speaker else voice.id


def wire_name(voice: str) -> str:
    """A voice of a table as the API names it."""
    name, _, speaker = (part.strip() for part in voice.partition("|"))
    return f"{name}:{speaker}" if speaker else name


def _id_of(book: Path) -> str:
    return content_digest(book)[:_ID_CHARACTERS]


def _table_path(identity: str) -> Path:
    return home() / "casts" / f"{identity}.cast.toml"


def _facts_path(identity: str) -> Path:
    return home() / "cache" / "casts" / f"{identity}.json"


def _keep_facts(identity: str, facts: Mapping[str, Any]) -> None:
    path = _facts_path(identity)
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({"version": voxmatrix.__version__, **facts}))
    _tidy(path.parent)


def _tidy(folder: Path) -> None:
    """Keep the newest findings only: they hold whole books."""
    with storage_errors(folder):
        files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[_ON_DISK:]:
            path.unlink(missing_ok=True)
