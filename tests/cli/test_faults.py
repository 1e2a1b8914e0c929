"""Call number n of the disk or of SQLite fails, for all n: one line, the right code, and then the same command works.

The whole product is tried with VOXMATRIX_HYPOTHESIS=full, a part of it otherwise.
"""

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.toys.family import tones, write_voice  # noqa: F401 (a fixture)
from tests.toys.faults import CALLS, Faults, planted, some_cases
from voxmatrix.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"


@dataclass(frozen=True)
class Command:
    """A command line, the files that it needs, and what it makes."""

    words: tuple[str, ...]
    prepare: Callable[[], Any]
    out: tuple[str, ...] = ()

    def check(self) -> None:
        """What was made is whole."""
        for name in self.out:
            assert Path(name).stat().st_size > 100
            if Path(name).suffix in (".wav", ".flac"):
                info = soundfile.info(name)
                assert info.frames > info.samplerate // 2


def _voice() -> None:
    write_voice(Path("v.tones"))


def _book() -> None:
    _voice()
    Path("book.md").write_text("# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.\n", encoding="utf-8")


def _recordings() -> None:
    lines = (SAMPLES / "en" / "metadata.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    Path("data/wavs").mkdir(parents=True)
    Path("data/metadata.csv").write_text("".join(lines), encoding="utf-8")
    for line in lines:
        (path,) = (SAMPLES / "en" / "wavs").glob(f"{line.partition('|')[0]}.*")
        shutil.copy(path, "data/wavs")


_SPEAK = ("speak", "--voice", "v.tones", "--text", "It begins. It goes on.", "--out")
COMMANDS = {
    "speak": Command((*_SPEAK, "out.wav"), _voice, ("out.wav",)),
    "speak-flac": Command((*_SPEAK, "out.flac"), _voice, ("out.flac",)),
    "book": Command(
        ("book", "book.md", "--voice", "v.tones", "--out", "out.m4b"), _book, ("out.m4b", "out.manifest.json")
    ),
    "prepare": Command(
        ("prepare", "data", "--phonemes", "text", "--workers", "1", "--force", "--report", "r.html"), _recordings
    ),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with its home, short waits, and no traces on standard error of other threads."""
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    monkeypatch.setattr("voxmatrix.database.BUSY_SECONDS", 0.05)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def begin_anew(place: Path, command: Command) -> None:
    """Only the files that the command needs."""
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    command.prepare()


def run(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and what stands on standard error. An error that nothing explains is a failed test."""
    with contextlib.chdir("."):
        code = main.run(list(words))
    return code, capsys.readouterr().err


@pytest.mark.usefixtures("tones", "forked_programs")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_call_that_fails_is_one_line_and_the_same_command_then_works(
    name: str, call: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = COMMANDS[name]
    begin_anew(place, command)
    with planted(Faults(place, call)) as counted:
        assert run(command.words, capsys)[0] == 0
    wrong = []
    for number, error in some_cases(call, counted.seen):
        begin_anew(place, command)
        try:
            with planted(Faults(place, call, number, error)):
                code, said = run(command.words, capsys)
            problems = [line for line in said.splitlines() if line.startswith("voxmatrix:")]
            wanted = (0,) if code == 0 else (8, 3) if error == "EACCES" else (6,) if error == "NOMEM" else (8,)
            assert code in wanted, (code, said)
            assert len(problems) == (code != 0) and "Traceback" not in said, said
            assert not list(place.rglob("*damaged*")), "something whole was renamed"
            if code != 0:
                code, said = run(command.words, capsys)
                assert code == 0, (code, said)
            command.check()
        except Exception as failed:
            wrong.append(f"{call} {number} of {counted.seen}, {error}: {type(failed).__name__}: {failed}"[:600])
    assert not wrong, f"{len(wrong)} of {len(some_cases(call, counted.seen))}:\n" + "\n".join(wrong)
