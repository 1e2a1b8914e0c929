"""Titles of voices: in any letters, beside an id that stays."""

import pytest

from tests.piper.conftest import MakeCheckpoint, checkpoint_content, make_checkpoint, make_onnx
from tests.serve.conftest import copy_voice
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.voices.resolve import remove, rename, resolve
from voxmatrix.voices.titles import set_title, title_of, titles

__all__ = ["checkpoint_content", "make_checkpoint", "make_onnx"]  # fixtures


@pytest.fixture
def mine(make_onnx: MakeCheckpoint) -> str:
    copy_voice(make_onnx("tiny", phoneme_type="text"), home() / "voices" / "mine.onnx")
    return "mine"


def test_a_title_has_any_letters_and_can_be_taken_back(mine: str) -> None:
    card = resolve(mine)
    assert title_of(card, titles()) == "mine"
    set_title(mine, "  Mein  Erzähler №1 ")
    assert (title_of(card, titles()), resolve(mine)) == ("Mein Erzähler №1", card)  # the voice is the same
    set_title(mine, "")
    assert title_of(card, titles()) == "mine" and not (home() / "voices" / "titles.json").exists()


@pytest.mark.parametrize("title", ["x" * 81, "a\u202eb", "a\x00b"])
def test_what_cannot_be_shown_is_no_title(mine: str, title: str) -> None:
    with pytest.raises(UsageError, match="title"):
        set_title(mine, title)
    assert titles() == {}


def test_a_title_follows_a_voice_that_is_renamed_and_goes_with_it(mine: str) -> None:
    set_title(mine, "My Narrator")
    assert rename(mine, "yours") == "yours"
    assert titles() == {"yours": "My Narrator"}
    with pytest.raises(BadInputError, match="did you mean yours"):
        resolve("my narrator")
    remove("yours")
    assert titles() == {}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"mine": 1}', "\ufeff"])
def test_a_file_that_holds_no_titles_is_none(mine: str, content: str) -> None:
    (home() / "voices" / "titles.json").write_text(content, encoding="utf-8")
    assert titles() == {}
