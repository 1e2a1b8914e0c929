"""What is kept of each book, and room for others."""

import subprocess
import sys
from pathlib import Path

import pytest

from voxmatrix.book.content import Book
from voxmatrix.book.shelf import job_folder, note_book, remove, shelf
from voxmatrix.errors import UsageError
from voxmatrix.speak.wav import header
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger import open_ledger


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))


def book(title: str) -> Book:
    return Book(title=title, authors=(), language="en", cover=None, chapters=())


def speak(source: Path, title: str, count: int) -> None:
    """A book of which so many sentences of a second each are finished."""
    folder = job_folder(source)
    with open_ledger(folder) as ledger:
        note_book(folder, source, book(title))
        ledger.incoming.mkdir()
        for number in range(count):
            wav = ledger.incoming / "1.wav"
            wav.write_bytes(header(16000, 32000) + bytes(32000))
            key = f"{number:064x}"
            checksum = ledger.file(wav, key)
            ledger.record(
                [Delivery(key=key, sha256=checksum, samples=16000, rate_hz=16000, worker="cpu-1", wall_seconds=0.1)]
            )


def test_each_book_is_listed_with_what_is_kept_of_it(tmp_path: Path) -> None:
    assert shelf() == []
    speak(tmp_path / "a.epub", "Emma", 2)
    speak(tmp_path / "b.txt", "", 3)
    (job_folder(tmp_path / "c.txt")).mkdir()  # of an earlier version, or damaged
    found = {one.name: one for one in shelf()}
    assert set(found) == {"Emma", "b.txt", job_folder(tmp_path / "c.txt").name}
    assert (found["Emma"].sentences, found["Emma"].seconds) == (2, 2.0) and found["Emma"].size > 1000
    assert found["b.txt"].source == tmp_path / "b.txt" and found["b.txt"].sentences == 3


def test_what_is_removed_is_gone_unless_it_is_in_use(tmp_path: Path) -> None:
    speak(tmp_path / "a.epub", "Emma", 1)
    speak(tmp_path / "b.epub", "Persuasion", 1)
    emma = next(one for one in shelf() if one.title == "Emma")
    remove(emma)
    (other,) = shelf()
    assert other.title == "Persuasion"
    hold = "import pathlib, sys\nfrom voxmatrix.work.ledger import open_ledger\n"
    hold += "with open_ledger(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    input()\n"
    command = [sys.executable, "-c", hold, str(other.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another job"):
            remove(other)
        process.kill()
    assert shelf()[0].sentences == 1


def test_the_home_may_be_relative_and_a_book_has_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_HOME", "home")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.epub").symlink_to("a.epub")
    speak(Path("a.epub"), "Emma", 1)
    assert job_folder(Path("sub/../a.epub")) == job_folder(tmp_path / "link.epub") == job_folder(Path("a.epub"))
    assert [one.sentences for one in shelf()] == [1]


def test_a_damaged_note_is_no_error(tmp_path: Path) -> None:
    speak(tmp_path / "a.epub", "Emma", 1)
    for content in (b"", b"[]", b"\xff{"):
        (job_folder(tmp_path / "a.epub") / "book.json").write_bytes(content)
        assert [one.sentences for one in shelf()] == [1]
        note_book(job_folder(tmp_path / "a.epub"), tmp_path / "a.epub", book("Emma"))
        assert shelf()[0].title == "Emma"
