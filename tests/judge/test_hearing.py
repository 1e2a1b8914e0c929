"""Words that are missing or too many are counted; those that are heard as others are not."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.judge.hearing import Recogniser, word_gaps


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
