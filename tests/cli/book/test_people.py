"""`voxmatrix book cast` finds who speaks in a book, and `book` speaks it with their voices."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.voices.cast_table import read_table

BOOK = """# One

It was then that Mr Bell met Anna, and she was glad.

“Good morning,” said Anna.

“Good morning,” said Mr Bell. He bowed.

# Two

“You are late,” said Anna to Mr Bell.

“Am I?” said Mr Bell.

“Very late,” said Anna.

“So be it,” said Mr Bell.
"""


@pytest.fixture(autouse=True)
def _book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    Path("book.md").write_text(BOOK, encoding="utf-8")


def test_a_table_is_written_and_updated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["book", "cast", "book.md"]) == 0
    printed = capsys.readouterr()
    assert "3      3 sure  f  Anna" in printed.out and "book.cast.toml: 6 pieces of speech" in printed.err
    table = Path("book.cast.toml")
    kept = table.read_text(encoding="utf-8")
    assert kept.index('[people."Anna"]') < kept.index('[people."Mr Bell"]')
    assert main.run(["book", "cast", "book.md", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["speeches"], found["sure"], [one["name"] for one in found["people"]]) == (6, 6, ["Anna", "Mr Bell"])
    assert table.read_text(encoding="utf-8") == kept


def test_chapters_are_shown_with_their_speakers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["book", "cast", "book.md", "--show", "chapter 2"]) == 0
    shown = capsys.readouterr().out
    assert "Anna                “You are late,”" in shown and "Good morning" not in shown
    assert not Path("book.cast.toml").exists()
    assert main.run(["book", "cast", "book.md", "--show", "2", "--json"]) == 0
    assert [line.get("who") for line in json.loads(capsys.readouterr().out)["lines"]][-2:] == ["Anna", "Mr Bell"]


@pytest.mark.slow
def test_a_book_with_its_speakers(make_onnx: Any, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    for name, made in {"teller": ("tiny", 1), "anna": ("medium", 1), "many": ("x_low", 3)}.items():
        source = make_onnx(*made, "text")
        shutil.copy(source, f"{name}.onnx")
        shutil.copy(f"{source}.json", f"{name}.onnx.json")
    Path("b.cast.toml").write_text(
        'narrator = "teller.onnx"\n[people."Anna"]\nvoice = "anna.onnx"\n[people."Mr Bell"]\nvoice = "many.onnx|1"\n'
        '[[said]]\ntext = "Am I"\nwho = "Anna"\n[[said]]\ntext = "Where are you"\nwho = "Anna"\n',
        encoding="utf-8",
    )
    command = ["book", "book.md", "--cast", "b.cast.toml", "--out", "B.mp3", "--json", "--chapters", "2"]
    assert main.run(command) == 0
    assert "'Where are you', which Anna says, is not found" in capsys.readouterr().err
    certificate = json.loads(Path("B.manifest.json").read_text(encoding="utf-8"))
    said = [(unit["voice"], unit.get("who", ""), unit.get("rule", "")) for unit in certificate["units"]]
    assert said[1] == ("anna.onnx", "Anna", "name says 1.00")
    assert said[3] == ("anna.onnx", "Anna", "corrected")
    assert said[-2][:2] == ("many.onnx#1", "Mr Bell")
    assert said[-1] == ("teller.onnx", "", "")
    assert [one["name"] for one in certificate["cast"]] == ["anna.onnx", "many.onnx#1"]


@pytest.mark.slow
def test_voices_are_proposed_and_measured_once(
    make_onnx: Any,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (home() / "voices").mkdir(parents=True)
    source = make_onnx("x_low", 3, "text")
    shutil.copy(source, home() / "voices" / "many.onnx")
    shutil.copy(f"{source}.json", home() / "voices" / "many.onnx.json")
    assert main.run(["book", "cast", "book.md", "--propose", "--out", "a.toml"]) == 0, capsys.readouterr().err
    proposed = [person.voice for person in read_table(Path("a.toml")).people]
    assert len(proposed) == 2 and any(proposed)
    monkeypatch.setattr("voxmatrix.book.people.sounds.open_voice", None)
    assert main.run(["book", "cast", "book.md", "--propose", "--out", "b.toml"]) == 0
    assert Path("b.toml").read_bytes() == Path("a.toml").read_bytes()
    capsys.readouterr()
    (home() / "voices" / "many.onnx").unlink()
    assert main.run(["book", "cast", "book.md", "--propose", "--out", "c.toml"]) == 0
    assert "voxmatrix voices download kokoro" in capsys.readouterr().err


def test_a_table_with_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    for text, problem in {
        "unsure = 1": "unsure = '1' is not a text",
        'unsure = "no"': "unsure is 'no'",
        '[people]\nAnna = "x"': "'Anna' is not a table",
        '[people.A]\nalso = ["C"]\n[people.B]\nalso = ["c"]': "'c' is in also of 'A' and of 'B'",
        '[[said]]\ntext = "x"': "lacks text or who",
        "[": "is not TOML",
    }.items():
        Path("book.cast.toml").write_text(text, encoding="utf-8")
        assert main.run(["book", "cast", "book.md"]) == 3, text
        assert problem in capsys.readouterr().err.replace("\n", " ")
