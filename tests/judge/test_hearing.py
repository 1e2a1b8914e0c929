"""Words that are missing or too many are counted; those that are heard as others are not."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.judge.hearing import Recogniser, missing_words, word_gaps


class WhisperModel:
    """A stand-in for that of faster-whisper."""

    supported_languages = ("en", "no", "zh")

    def __init__(self, model: str, **_: object) -> None:
        self.languages: list[str] = []

    def transcribe(self, wave: Any, language: str, **_: object) -> tuple[list[Any], None]:
        self.languages.append(language)
        return [], None


@pytest.mark.parametrize(("language", "code"), [("en-us", "en"), ("nb", "no"), ("cmn-latn-pinyin", "zh"), ("de", "")])
def test_languages_have_whispers_names_or_are_refused(
    language: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("faster_whisper")
    module.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    if not code:
        with pytest.raises(BadInputError, match="does not know the language 'de'"):
            Recogniser("base", language)
        return
    recogniser = Recogniser("base", language)
    recogniser.hear(np.zeros(16_000, np.float32), 16_000)
    assert recogniser._model.languages == [code]


_TEXTS = st.lists(st.sampled_from(["one", "two", "red", "green", "house", "tree"]), max_size=8)


@pytest.mark.parametrize(
    ("text", "heard", "gaps"),
    [
        ("The bell rang twice.", "the bell rang twice", 0),
        ("The bell rang twice.", "The rang twice.", 1),
        ("The bell rang twice.", "The bell the bell rang twice.", 2),
        ("The ball sank.", "The bell rang.", 0),
        ("Everyone came in 1998.", "Every one came in nineteen ninety-eight.", 0),
        ("Hello there.", "", 2),
    ],
)
def test_gaps_are_counted(text: str, heard: str, gaps: int) -> None:
    assert word_gaps(text, heard, "en-us") == gaps


@given(_TEXTS, st.integers(0, 8))
def test_a_word_that_is_skipped_is_always_a_gap(words: list[str], place: int) -> None:
    heard = words[:place] + words[place + 1 :]
    assert word_gaps(" ".join(words), " ".join(heard), "en-us") == len(words) - len(heard)
    assert word_gaps(" ".join(words), " ".join(words), "en-us") == 0


@pytest.mark.parametrize(
    ("text", "heard", "said"),
    [
        ("Anne took the dress and looked at it.", "the dress and looked at it.", "not heard at its beginning"),
        ("The evening was a vision of delight.", "The evening was a", "not heard at its end"),
        ("I am tired of that big house.", "I am tired of, I am tired of that big house.", "are heard"),
        ("He opened the old door very slowly and went in.", "He opened the old and went in.", "not heard after 'old'"),
        ("Rice is often served in round bowls.", "The juice of lemons makes fine punch.", "other words are heard"),
        ("Rice is served.", "", "other words are heard than those of its text: none"),
    ],
)
def test_words_that_are_missing_or_too_many_are_told(text: str, heard: str, said: str) -> None:
    assert said in missing_words(text, heard, "en-us")


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("Mrs Lynde says she knows an orphan girl.", "Mrs. Lens says she knows an orphan girl."),
        (
            "The figure of a great tragedian began to haunt her.",
            "The figure of a great tragedy and began to haunt our.",
        ),
        ("This pianoforte is very kindly given.", "this behind a foray is very kindly given."),
        ("Oh, glad doesn't seem the right word at all.", "glad does it seem the right word at all."),
        ("It cost 25 dollars.", "It cost twenty-five dollars."),
        ("Oh!", "Uh."),
        ("Aye, aye.", "I I"),
        ("Hm.", ""),
    ],
)
def test_words_that_are_heard_as_others_are_not_missing(text: str, heard: str) -> None:
    assert missing_words(text, heard, "en-us") == ""


@pytest.mark.parametrize(
    ("text", "heard", "language"),
    [
        ("こんにちは、元気ですか、今日は良い天気です。", "今日はげんきですか今日はいいてんきです", "ja"),
        ("這個國家的發展與經濟關係", "这个国家的发展与经济关系", "cmn"),
        ("Dobar dan, kako ste danas?", "Добар дан, како сте данас?", "sr"),
    ],
)
def test_other_letters_of_the_same_words_are_not_missing(text: str, heard: str, language: str) -> None:
    assert missing_words(text, heard, language) == ""
    assert "none" in missing_words(text, "", language)
