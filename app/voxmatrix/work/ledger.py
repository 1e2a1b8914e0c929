"""The record of what is done, in the folder of a job: which units are wanted, what was delivered, and what failed.

    FOLDER/ledger.sqlite          the record
    FOLDER/audio/ab/abcdef….flac  finished audio, named by the key of its unit
    FOLDER/incoming/              what workers have written, as WAV, and the job has not filed yet

What the record says and what the files are is compared before it is believed.
"""

import hashlib
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voxmatrix.database import EarlierVersionError, database_errors, moved_aside, remove
from voxmatrix.errors import DamagedFileError, Finding
from voxmatrix.files import storage_errors
from voxmatrix.lock import locked
from voxmatrix.wording import quoted
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger_files import audio_problem, compressed, connect, restore
from voxmatrix.work.unit import Unit

_FILE = "ledger.sqlite"
_GROUP = 500


@dataclass(frozen=True, kw_only=True)
class GivenUp:
    """A unit that could not be spoken, and what happened at the last attempt."""

    unit: Unit
    problem: str


@dataclass(frozen=True, kw_only=True)
class LedgerState:
    """How far the wanted units are."""

    wanted: int
    done: int
    audio_seconds: float
    characters_left: int


class Ledger:
    """The record of one job. Made by `open_ledger`."""

    def __init__(
        self, folder: Path, database: sqlite3.Connection, findings: Iterable[Finding] = (), *, begun_anew: bool = False
    ) -> None:
        self.folder = folder
        #: Damage that was found, and what follows from it.
        self.findings = list(findings)
        #: What an earlier version had spoken was removed.
        self.begun_anew = begun_anew
        self._database = database
        self._path = folder / _FILE
        self._options: dict[tuple[str, str], int] = {}

    def audio(self, key: str) -> Path:
        """The file for the audio of a unit, whether or not it is there."""
        return self.folder / "audio" / key[:2] / f"{key}.flac"

    def samples(self, key: str) -> npt.NDArray[np.int16]:
        """The audio of a unit that is done, (samples,)."""
        import soundfile

        samples: npt.NDArray[np.int16] = soundfile.read(self.audio(key), dtype="int16")[0]
        return samples

    @property
    def incoming(self) -> Path:
        """The folder in which workers leave finished files."""
        return self.folder / "incoming"

    def file(self, path: Path, key: str) -> str:
        """Compress a finished WAV file without loss, to its place, and return the checksum of what is there.

        To be called before the delivery is recorded.

        Raises:
            UnreachableError: the disk is full, or the place cannot be written.
        """
        place = self.audio(key)
        with storage_errors(place):
            data = compressed(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".flac")
            beside.write_bytes(data)
            beside.replace(place)
            path.unlink()
        return hashlib.sha256(data).hexdigest()

    def want(self, units: Iterable[Unit]) -> None:
        """Begin a run: these are the units, in order; equal ones count once. Audio that is done already is checked.

        Damaged or missing audio becomes a finding, and its unit has to be spoken again.

        Raises:
            UnreachableError: the disk is full.
        """
        with self._changing() as database:
            database.execute("delete from wanted")
            for unit in units:
                row = (unit.key, unit.text, self._options_id(unit))
                database.execute("insert or ignore into wanted (key, text, options) values (?, ?, ?)", row)
            self._check_audio(database)

    def _options_id(self, unit: Unit) -> int:
        recipe = (unit.voice, unit.options)
        if recipe not in self._options:
            self._database.execute("insert or ignore into options (voice, options) values (?, ?)", recipe)
            rows = self._database.execute("select id from options where voice = ? and options = ?", recipe)
            self._options[recipe] = rows.fetchone()[0]
        return self._options[recipe]

    def _check_audio(self, database: sqlite3.Connection) -> None:
        query = "select key, text, sha256, samples, rate_hz from wanted join deliveries using (key)"
        damaged = []
        for key, text, checksum, samples, rate_hz in database.execute(query):
            if problem := audio_problem(self.audio(key), checksum, samples, rate_hz):
                damaged.append((key,))
                self.findings.append(_spoken_again(f"the audio of {quoted(text)} {problem}"))
        database.executemany("delete from deliveries where key = ?", damaged)

    def pending(self, limit: int, after: int = 0) -> list[tuple[int, Unit]]:
        """Up to `limit` wanted units that are not done, after this place, with their places."""
        query = """select place, text, voice, options.options from wanted join options on options.id = wanted.options
            left join deliveries using (key) where deliveries.key is null and given_up is null and place > ?
            order by place limit ?"""
        rows = self._rows(query, (after, limit))
        return [(place, Unit(text=text, voice=voice, options=options)) for place, text, voice, options in rows]

    def record(self, deliveries: Sequence[Delivery], failures: Sequence[tuple[str, str, str]] = ()) -> None:
        """Deliveries, and failures as (key, worker, problem), in one transaction that survives a power cut.

        Raises:
            UnreachableError: the disk is full.
        """
        with self._changing() as database:
            rows = [delivery.to_row(time.time()) for delivery in deliveries]
            database.executemany("insert or replace into deliveries values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            attempts = [(*failure, time.time()) for failure in failures]
            database.executemany("insert into attempts values (?, ?, ?, ?)", attempts)

    def attempts(self, key: str) -> list[tuple[str, str]]:
        """The workers on which a unit has ever failed, each with the problem."""
        return self._rows("select worker, problem from attempts where key = ?", (key,))

    def give_up(self, key: str, problem: str) -> None:
        """A unit is not tried again in this run."""
        with self._changing() as database:
            database.execute("update wanted set given_up = ? where key = ?", (problem, key))

    def given_up(self) -> list[GivenUp]:
        """The units that were given up in this run, in order."""
        query = """select text, voice, options.options, given_up from wanted join options
            on options.id = wanted.options where given_up is not null order by place"""
        rows = self._rows(query)
        return [
            GivenUp(unit=Unit(text=text, voice=voice, options=options), problem=problem)
            for text, voice, options, problem in rows
        ]

    def forget(self, keys: Iterable[str]) -> None:
        """Units whose audio is of no use: they are spoken again when they are wanted.

        Raises:
            UnreachableError: the disk is full.
        """
        keys = [*keys]
        with self._changing() as database:
            database.executemany("delete from deliveries where key = ?", [(key,) for key in keys])
        for key in keys:
            self.audio(key).unlink(missing_ok=True)

    def deliveries(self) -> Iterator[tuple[str, Delivery]]:
        """The text and the delivery of every wanted unit that is done, in order."""
        query = """select text, key, sha256, samples, rate_hz, worker, wall_seconds, findings, computed
            from wanted join deliveries using (key) order by place"""
        with database_errors(self._path):
            rows = self._database.execute(query)
        while True:
            with database_errors(self._path):
                some = rows.fetchmany(_GROUP)
            if not some:
                return
            yield from ((text, Delivery.from_row(row)) for text, *row in some)

    def delivery(self, key: str) -> Delivery | None:
        """What was delivered for a key."""
        query = """select key, sha256, samples, rate_hz, worker, wall_seconds, findings, computed from deliveries
            where key = ?"""
        rows = self._rows(query, (key,))
        return Delivery.from_row(rows[0]) if rows else None

    def state(self) -> LedgerState:
        """How far this run is."""
        query = """select count(*), count(deliveries.key), total(1.0 * samples / rate_hz),
            total(case when deliveries.key is null and given_up is null then length(text) end)
            from wanted left join deliveries using (key)"""
        ((wanted, done, seconds, characters),) = self._rows(query)
        return LedgerState(wanted=wanted, done=done, audio_seconds=seconds, characters_left=int(characters))

    def speeds(self) -> dict[str, float]:
        """Seconds of audio per second of every worker that has ever delivered."""
        query = """select worker, sum(1.0 * samples / rate_hz) / sum(wall_seconds) from deliveries
            group by worker having sum(wall_seconds) > 0"""
        return dict(self._rows(query))

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with database_errors(self._path):
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction on the database of the ledger."""
        with database_errors(self._path):
            self._database.execute("begin immediate")
            try:
                yield self._database
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("rollback")
                raise
            self._database.execute("commit")


@contextmanager
def open_ledger(folder: Path) -> Iterator[Ledger]:
    """Open or create the ledger of a job; only one process at a time can.

    From a damaged database everything is kept that can be read; the rest has to be spoken again, and is a finding. So
    is all that an earlier version of the program has spoken: it is removed.

    Raises:
        UsageError: another process drives this job.
        UnreachableError: the folder cannot be written.
    """
    with locked(folder, "job", "wait until it has finished, or stop it"):
        path, findings, begun_anew = folder / _FILE, _lost(folder), False
        try:
            database = connect(path)
        except EarlierVersionError:
            _remove_earlier(folder)
            begun_anew = True
            database = connect(path)
            problem = f"what {folder} contains was spoken by an earlier version of voxmatrix, and kept in another way"
            remedy = "it was removed, and everything is spoken again, so that all sentences fit together"
            findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
        except DamagedFileError:
            aside = moved_aside(path)
            database = connect(path)
            kept = restore(database, aside)
            problem = f"{path} was damaged and is now {aside.name}: {kept} finished sentences of it could be read"
            findings.append(Finding(problem=problem, remedy="the others are spoken again", severity="warning"))
        try:
            ledger = Ledger(folder, database, findings, begun_anew=begun_anew)
            shutil.rmtree(ledger.incoming, ignore_errors=True)  # of a process that was killed
            yield ledger
        finally:
            database.close()


def _lost(folder: Path) -> list[Finding]:
    """A ledger that is empty or missing beside audio is one that was damaged: it is written before its first audio."""
    path = folder / _FILE
    if (path.is_file() and path.stat().st_size) or not any(folder.glob("audio/*/*.flac")):
        return []
    problem = f"{path} is {'empty' if path.is_file() else 'missing'}: it does not list the finished sentences beside it"
    return [Finding(problem=problem, remedy="they are spoken again", severity="warning")]


def _remove_earlier(folder: Path) -> None:
    """Remove a ledger and its audio; the ledger last, so that a removal that is interrupted goes on."""
    with storage_errors(folder):
        if (folder / "audio").is_dir():
            shutil.rmtree(folder / "audio")
        remove(folder / _FILE)


def _spoken_again(problem: str) -> Finding:
    return Finding(problem=problem, remedy="it is spoken again", severity="warning")
