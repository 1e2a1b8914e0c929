"""The ledger: whatever is torn is redone and named, and what is intact is kept."""

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.work.conftest import RunJob
from voxmatrix.errors import Finding, UnreachableError, UsageError
from voxmatrix.files import digest
from voxmatrix.models.style import Style
from voxmatrix.speak.wav import header
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.unit import Unit, unit_of


def audio(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (folder / "audio").rglob("*.flac")}


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    match how:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "truncated":
            path.write_bytes(content[: len(content) * 2 // 3])
        case "flipped":
            path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
        case "a folder":
            path.unlink()
            path.mkdir()


@pytest.mark.parametrize("how", ["missing", "empty", "truncated", "flipped", "a folder"])
def test_damaged_audio_is_named_and_spoken_again(run: RunJob, units: list[Unit], tmp_path: Path, how: str) -> None:
    run(units)
    before = audio(tmp_path / "job")
    path = tmp_path / "job" / "audio" / units[3].key[:2] / f"{units[3].key}.flac"
    damage(path, how)

    if how == "a folder":
        with pytest.raises((UnreachableError, IsADirectoryError)):
            run(units)
        path.rmdir()
    outcome = run(units)

    if how != "a folder":
        (finding,) = outcome.findings
        assert "Sentence number 3." in finding.problem and "again" in finding.remedy
    assert (outcome.spoken, outcome.known) == (1, 29)
    assert audio(tmp_path / "job") == before


@pytest.mark.parametrize("how", ["missing", "empty", "truncated", "flipped"])
def test_a_damaged_database_costs_no_more_than_what_cannot_be_read(
    run: RunJob, units: list[Unit], tmp_path: Path, how: str
) -> None:
    run(units)
    before = audio(tmp_path / "job")
    damage(tmp_path / "job" / "ledger.sqlite", how)

    outcome = run(units)

    assert outcome.spoken + outcome.known == 30 and not outcome.given_up
    assert audio(tmp_path / "job") == before
    if how == "truncated":
        assert "was damaged" in outcome.findings[0].problem
        assert list((tmp_path / "job").glob("ledger.damaged-1.sqlite"))


@given(seed=st.integers(0, 10**6), pieces=st.integers(1, 3))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_database_lead_to_a_job_that_goes_on(
    run: RunJob, units: list[Unit], tmp_path: Path, seed: int, pieces: int
) -> None:
    whole, job = tmp_path / "whole", tmp_path / "job"
    if not whole.exists():
        run(units)
        job.rename(whole)
    shutil.rmtree(job, ignore_errors=True)
    shutil.copytree(whole, job)
    rng = random.Random(seed)
    content = bytearray((job / "ledger.sqlite").read_bytes())
    for _ in range(pieces):
        start = rng.randrange(len(content))
        content[start : start + rng.choice([1, 16, 4096])] = rng.randbytes(rng.choice([1, 16, 4096]))
    (job / "ledger.sqlite").write_bytes(content[: rng.choice([len(content), rng.randrange(len(content))])])

    with open_ledger(job) as ledger:
        ledger.want(units)
        pending = ledger.pending(100)
        deliveries = list(ledger.deliveries())

    assert len(pending) + len(deliveries) == 30
    assert [text for text, _ in deliveries] == [
        unit.text for unit in units if unit.key in {delivery.key for _, delivery in deliveries}
    ]


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_ledger_of_which_nothing_is_left_is_named(run: RunJob, units: list[Unit], tmp_path: Path, how: str) -> None:
    assert run(units).findings == ()
    damage(tmp_path / "job" / "ledger.sqlite", how)

    outcome = run(units)

    (finding,) = outcome.findings
    assert f"ledger.sqlite is {how}" in finding.problem and "again" in finding.remedy
    assert outcome.spoken == len(units)


def test_a_damaged_ledger_behind_a_link_is_moved_aside_where_it_lies(
    run: RunJob, units: list[Unit], tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "disk").mkdir()
    link, target = tmp_path / "job" / "ledger.sqlite", tmp_path / "disk" / "ledger.sqlite"
    link.symlink_to(target)
    target.write_bytes(b"no ledger" * 1000)

    run(units)

    assert link.is_symlink() and target.exists()
    assert (tmp_path / "disk" / "ledger.damaged-1.sqlite").read_bytes().startswith(b"no ledger")


def test_a_file_that_is_no_ledger_is_moved_aside(tmp_path: Path, units: list[Unit]) -> None:
    (tmp_path / "ledger.sqlite").write_text("Dear diary, " * 100)

    with open_ledger(tmp_path) as ledger:
        ledger.want(units)
        assert len(ledger.pending(100)) == 30
        assert [finding.severity for finding in ledger.findings] == ["warning"]


def test_a_ledger_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as database:
        database.execute("pragma user_version = 99")

    with pytest.raises(UnreachableError, match="another version"), open_ledger(tmp_path):
        pass


#: As version 1 created it.
VERSION_1 = """
create table options (id integer primary key, voice text not null, options text not null, unique (voice, options));
create table wanted (place integer primary key, key text not null unique, text text not null, options integer not null,
    given_up text);
create table deliveries (key text primary key, sha256 text not null, samples integer not null, rate_hz integer not null,
    worker text not null, wall_seconds real not null, findings text not null, at real not null) without rowid;
create table attempts (key text not null, worker text not null, problem text not null, at real not null);
pragma user_version = 1;
"""


def earlier_ledger(folder: Path) -> None:
    """What version 1 left of a job with one finished sentence."""
    key, sound = "ab" * 32, header(16000, 200) + bytes(200)
    path = folder / "audio" / key[:2] / f"{key}.wav"
    path.parent.mkdir(parents=True)
    path.write_bytes(sound)
    with closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as database:
        database.execute("pragma journal_mode = wal")
        database.executescript(VERSION_1)
        database.execute("insert into options values (1, 'voice', '{}')")
        database.execute("insert into wanted values (1, ?, 'Sentence number 0.', 1, null)", (key,))
        row = (key, hashlib.sha256(sound).hexdigest(), 100, 16000, "cpu-1", 0.5, "[]", 1.0)
        database.execute("insert into deliveries values (?, ?, ?, ?, ?, ?, ?, ?)", row)


def test_a_ledger_of_an_earlier_version_is_begun_anew_and_says_so(
    run: RunJob, units: list[Unit], tmp_path: Path
) -> None:
    earlier_ledger(tmp_path / "job")

    first, second = run(units), run(units)

    (finding,) = first.findings
    assert "by an earlier version of voxmatrix" in finding.problem and "spoken again" in finding.remedy
    assert (first.spoken, first.known) == (30, 0) and set(audio(tmp_path / "job")) == {unit.key for unit in units}
    assert (second.spoken, second.known, second.findings) == (0, 30, ())


def test_audio_is_kept_without_loss_in_half_the_space(tmp_path: Path) -> None:
    times = np.arange(48000) / 24000
    noise = np.random.default_rng(1).integers(-9, 9, 48000)
    samples = (8000 * np.sin(2 * np.pi * 300 * times) + noise).astype(np.int16)
    with open_ledger(tmp_path) as ledger:
        ledger.incoming.mkdir()
        wav = ledger.incoming / "1.wav"
        wav.write_bytes(header(24000, 96000) + samples.tobytes())
        checksum = ledger.file(wav, "ab" * 32)
        place = ledger.audio("ab" * 32)
    assert not wav.exists() and digest(place) == checksum and place.stat().st_size < 48000
    found, rate_hz = soundfile.read(place, dtype="int16")
    assert rate_hz == 24000 and np.array_equal(found, samples)


def test_a_beginning_anew_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier_ledger(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("voxmatrix.work.ledger.remove", lambda path: 1 / 0)
        with pytest.raises(ZeroDivisionError), open_ledger(tmp_path):
            pass

    with open_ledger(tmp_path) as ledger:
        assert ledger.begun_anew and not list(ledger.deliveries())
    with open_ledger(tmp_path) as ledger:
        assert not ledger.begun_anew and not ledger.findings


def test_two_processes_cannot_drive_a_job(tmp_path: Path) -> None:
    import subprocess
    import sys

    hold = "import pathlib, sys\nfrom voxmatrix.work.ledger import open_ledger\n"
    hold += "with open_ledger(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    input()\n"
    command = [sys.executable, "-c", hold, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another job"), open_ledger(tmp_path):
            pass
        other.kill()
    with open_ledger(tmp_path):
        pass


def test_units_come_back_in_order_page_by_page_and_equal_ones_once(tmp_path: Path) -> None:
    wanted = [unit_of(f"Number {number % 7}.", "v", Style()) for number in range(20)]
    with open_ledger(tmp_path) as ledger:
        ledger.want(wanted)
        first = ledger.pending(4)
        rest = ledger.pending(4, after=first[-1][0])

    assert [unit for _, unit in first + rest] == wanted[:7]


def test_what_was_left_out_of_a_unit_is_kept_with_it(tmp_path: Path, units: list[Unit]) -> None:

    left_out = Finding(problem="nothing in '🙂' can be pronounced", remedy="remove it", severity="warning")
    delivery = Delivery(
        key=units[0].key,
        sha256="0" * 64,
        samples=8,
        rate_hz=4,
        worker="w",
        wall_seconds=0.5,
        findings=(left_out,),
        computed="cpu float32 sdpa",
    )
    with open_ledger(tmp_path) as ledger:
        ledger.want(units)
        ledger.record([delivery])
    with open_ledger(tmp_path) as ledger:
        assert ledger.delivery(units[0].key) == delivery and delivery.seconds == 2.0
        assert ledger.speeds() == {"w": 4.0}
        assert ledger.delivery("unknown") is None
