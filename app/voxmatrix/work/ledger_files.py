"""The files of a ledger: SQLite, read as far as possible if damaged, audio, and a copy of both for another job."""

import io
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from voxmatrix import database
from voxmatrix.files import digest, storage_errors

#: 2: sentences have seeds of their own, and so other keys. 3: deliveries say how they were computed. 4: audio is FLAC.
_VERSION = 4
#: `wanted` are the units of this run in order; `deliveries` and `attempts` are of all runs.
_TABLES = """
create table options (id integer primary key, voice text not null, options text not null, unique (voice, options));
create table wanted (place integer primary key, key text not null unique, text text not null, options integer not null,
    given_up text);
create table deliveries (key text primary key, sha256 text not null, samples integer not null, rate_hz integer not null,
    worker text not null, wall_seconds real not null, findings text not null, at real not null,
    computed text not null default '') without rowid;
create table attempts (key text not null, worker text not null, problem text not null, at real not null);
"""
#: Of libsndfile, 0 to 1: what takes longer is hardly smaller, for speech.
_COMPRESSION = 0.0


def connect(path: Path) -> sqlite3.Connection:
    """Open or create the tables. Deliveries are committed in groups, so that flushing them costs little.

    Raises:
        DamagedFileError: it is damaged, or no ledger.
        EarlierVersionError: it was written by an earlier version.
        UnreachableError: it cannot be written.
    """
    connection = database.connect(path, _TABLES, _VERSION)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    """A damaged text is one that is compared and found wrong, not an error."""
    return data.decode("utf-8", "replace")


def restore(connection: sqlite3.Connection, damaged: Path) -> int:
    """Copy the deliveries that can still be read from a damaged database, and return how many they are.

    What is wrong in them shows when the audio is checked.
    """
    connection.execute("begin")
    kept = 0
    for row in _salvaged(damaged):
        if [type(value) for value in row] == [str, str, int, int, str, float, str, float, str]:
            kept += connection.execute(
                "insert or ignore into deliveries values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            ).rowcount
    connection.execute("commit")
    return kept


def _salvaged(path: Path) -> Iterator[tuple[object, ...]]:
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(path)) as damaged:
        yield from damaged.execute("select * from deliveries")


def compressed(wav: Path) -> bytes:
    """A WAV file of 16-bit samples as FLAC, which is half as large."""
    import soundfile

    samples, rate_hz = soundfile.read(wav, dtype="int16")
    flac = io.BytesIO()
    soundfile.write(flac, samples, rate_hz, format="FLAC", subtype="PCM_16", compression_level=_COMPRESSION)
    return flac.getvalue()


def audio_problem(path: Path, checksum: str, samples: int, rate_hz: int) -> str:
    """What is wrong with a file of audio; "" if nothing is."""
    with storage_errors(path):  # what cannot be read now is not damaged
        try:
            found = digest(path)
        except FileNotFoundError:
            return "is missing"
    intact = found == checksum and samples > 0 and rate_hz > 0 and _length_and_rate(path) == (samples, rate_hz)
    return "" if intact else "is damaged"


def _length_and_rate(flac: Path) -> tuple[int, int] | None:
    """The samples of a file and their rate in Hz; None if it is not readable."""
    import soundfile

    try:
        found = soundfile.info(flac)
    except (soundfile.LibsndfileError, RuntimeError):
        return None
    return found.frames, found.samplerate


def copy_ledger(source: Path, target: Path, link: Callable[[Path, Path], object]) -> None:
    """Copy the record of a job that is not running; its audio, which never changes, gets another path by `link`.

    Raises:
        UnreachableError: the disk is full.
    """
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        for path in source.glob("audio/*/*.flac"):
            link(path, target / path.relative_to(source))
        for path in source.glob("ledger.sqlite*"):  # and what SQLite had beside it when the job was killed
            shutil.copyfile(path, target / path.name)


def kept(folder: Path) -> tuple[int, float]:
    """How many units a job has finished, and how many seconds of audio they are; zeros if its record is not readable.

    The job may be running.
    """
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{(folder / 'ledger.sqlite').absolute().as_uri()}?mode=ro", uri=True)) as opened,
    ):
        count, seconds = opened.execute("select count(*), total(1.0 * samples / rate_hz) from deliveries").fetchone()
        return int(count), float(seconds)
    return 0, 0.0
