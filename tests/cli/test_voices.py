"""`voxmatrix voices list`, and speaking with a voice by its name."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.bundled import BUNDLED, DEFAULT
from tests.piper.conftest import *  # noqa: F403  # its voices
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.piper.files import config_path, source_path, title_of
from voxmatrix.voices.resolve import installed, locate, make_default, remove, rename


@pytest.fixture
def mine(make_onnx: Any) -> Path:
    """A voice with two speakers in the home."""
    folder = home() / "voices"
    folder.mkdir(parents=True)
    for suffix in (".onnx", ".onnx.json"):
        shutil.copy(make_onnx("tiny", 2, "text").with_suffix(suffix), folder / f"mine{suffix}")
    return folder / "mine.onnx"


def test_voices_are_listed_with_their_facts_and_the_default_one_first(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["voices", "list"]) == 0
    shown = capsys.readouterr().out
    assert shown.index(DEFAULT) < shown.index("mine ")
    assert str(mine) in shown and "2 speakers" in shown and "en-us, tiny, 16000 Hz" in shown

    assert main.run(["voices", "list", "--json"]) == 0
    first, own, *others = json.loads(capsys.readouterr().out)["voices"]
    assert (own["name"], own["speakers"]) == ("mine", 2)
    assert [first["name"], *(one["name"] for one in others)] == [*BUNDLED]


@pytest.mark.parametrize("words", [["list"], ["show", "mine"]])
def test_a_voice_of_a_stranger_does_not_command_the_terminal(
    words: list[str], mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = mine.with_name("mine.onnx.json")
    content = json.loads(described.read_text(encoding="utf-8"))
    content["audio"]["quality"] = "high\x1b]0;title\x07\x9b2J"
    content["dataset"] = content["language"]["name_english"] = "set\x1b[2J"
    described.write_text(json.dumps(content), encoding="utf-8")
    assert main.run(["voices", *words]) == 0
    shown = capsys.readouterr().out
    assert "high\\x1b]0;title\\x07\\x9b2J" in shown
    assert not set(shown) & {"\x1b", "\x07", "\x9b"}


def test_a_voice_whose_language_is_no_language_is_listed_with_the_problem(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = mine.with_name("mine.onnx.json")
    content = json.loads(described.read_text(encoding="utf-8")) | {"espeak": {"voice": "../../etc\x1b[2J"}}
    described.write_text(json.dumps(content), encoding="utf-8")
    assert main.run(["voices", "list"]) == 0
    shown = capsys.readouterr().out
    assert "espeak.voice is '../../etc\\x1b[2J', must be a language of espeak-ng" in shown and "\x1b" not in shown


def test_a_voice_whose_json_is_missing_is_listed_with_the_problem(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.with_name("mine.onnx.json").unlink()
    assert main.run(["voices", "list"]) == 0
    assert "mine.onnx.json" in capsys.readouterr().out


@pytest.mark.parametrize("keep", [0, 1, 1000, -1])
def test_a_truncated_voice_is_listed_with_the_problem(
    keep: int, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_bytes(mine.read_bytes()[:keep])
    assert main.run(["voices", "list"]) == 0
    assert "mine.onnx is corrupt" in capsys.readouterr().out


@pytest.mark.usefixtures("mine")
def test_a_default_is_chosen_and_listed_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["voices", "default", DEFAULT]) == 0
    assert next(iter(installed())) == DEFAULT
    assert locate()[1].stem == DEFAULT
    assert main.run(["voices", "default", "nobody"]) == 3
    assert "there is no voice nobody" in capsys.readouterr().err
    (home() / "voices" / "default").write_text("nobody")
    assert next(iter(installed())) == DEFAULT
    for words in (["voices", "list"], ["speak", "--text", "Hello.", "--out", str(home() / "a.wav")]):
        assert main.run(words) == 0
        said = capsys.readouterr().err
        assert f"voices/default names 'nobody', which is no voice here: {DEFAULT} is the default voice" in said
        assert "voxmatrix voices default NAME" in said


@pytest.mark.usefixtures("mine")
def test_a_default_voice_that_is_removed_is_no_default_any_more(capsys: pytest.CaptureFixture[str]) -> None:
    make_default("mine")
    remove("mine")
    assert main.run(["voices", "list"]) == 0
    assert "voices/default" not in capsys.readouterr().err


def test_a_voice_is_renamed_with_its_files_and_stays_the_default(mine: Path) -> None:
    make_default("mine")
    source_path(mine).write_text("{}")
    assert rename("mine", "yours") == "yours"
    assert {file.name for file in mine.parent.iterdir()} == {
        "default", "yours.onnx", "yours.onnx.json", "yours.onnx.source.json",
    }  # fmt: skip
    assert next(iter(installed())) == "yours"
    for name in (DEFAULT, "nobody"):
        with pytest.raises(BadInputError):
            rename(name, "other")
    (mine.parent / "taken.onnx").touch()
    with pytest.raises(UsageError, match="already a voice taken"):
        rename("yours", "taken")
    source_path(mine.with_name("yours.onnx")).unlink()
    config_path(mine.with_name("yours.onnx")).unlink()
    with pytest.raises(BadInputError):
        rename("yours", "broken")
    assert (mine.parent / "yours.onnx").exists()  # as before


@pytest.mark.usefixtures("mine")
def test_a_voice_speaks_by_its_name(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    assert main.run(["speak", "--voice", "mine", "--speaker", "1", "--text", "Hello.", "--out", str(out)]) == 0
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("en_US-joe-medium", "Joe"), ("en_GB-vctk-medium", "VCTK"), ("en_US-hfc_female-medium", "HFC Female"),
        (DEFAULT, "Heart"), ("my_voice", "my voice"), ("Ann-Everyday-English", "Ann-Everyday-English"),
    ],
)  # fmt: skip
def test_a_voice_has_the_name_that_people_call_it(name: str, title: str) -> None:
    assert title_of(name) == title
