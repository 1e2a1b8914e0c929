"""The pieces of a text: what is heard of it, in order."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.toys.family import tones, voice_of  # noqa: F401 (a fixture)
from voxmatrix.errors import BadInputError
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Style
from voxmatrix.speak.narration import Narration, has_words
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.voices.resolve import open_voice

pytestmark = pytest.mark.usefixtures("tones")
STYLE = Style(seed=1, pause_seconds=0.5)


@pytest.fixture
def voice(tmp_path: Path) -> Iterator[OpenVoice]:
    with closing(open_voice(voice_of(tmp_path / "bells.tones"))) as opened:
        yield opened


def heard(narration: Narration) -> np.ndarray[Any, Any]:
    return np.concatenate([piece.samples for piece in narration])


def test_silence_is_before_what_it_is_said_for_and_none_before_the_first(voice: OpenVoice) -> None:
    pieces = list(Narration(voice, "It is one. [pause:1s] Two it is.[pause:2s]", STYLE))
    assert [piece.pause / voice.card.rate_hz for piece in pieces] == [0, 1.5, 2]
    assert [bool(len(piece.sentence.samples)) for piece in pieces] == [True, True, False]
    assert [piece.number for piece in pieces] == [1, 2, 3]


def test_a_sentence_that_another_voice_goes_on_with_has_a_short_joint(voice: OpenVoice) -> None:
    text = "[rate:2]Yes, it is,[rate] said Anna. And so it was."
    pieces = list(Narration(voice, text, STYLE))
    assert [piece.pause / voice.card.rate_hz for piece in pieces] == [0, 0.06, 0.5]
    whole = list(Narration(voice, text.replace("[rate:2]", "[rate:1]"), STYLE))
    assert [piece.sentence.text.source for piece in whole] == ["Yes, it is, said Anna.", "And so it was."]


def test_a_caption_is_where_its_sentence_is_heard(voice: OpenVoice) -> None:
    narration = Narration(voice, "See [this one](a.html). And &amp; this.", STYLE, captions=True)
    pieces = list(narration)
    first, second = (piece.caption for piece in pieces)
    assert first is not None and second is not None
    assert (first.text, second.text) == ("See this one.", "And & this.")
    assert first.start_ms == 0 and second.start_ms == pytest.approx(first.end_ms + 500, abs=1)
    assert narration.sentences == 2


def test_what_was_spoken_before_is_empty_and_the_rest_as_if_it_had_been_spoken(voice: OpenVoice) -> None:
    whole = list(Narration(voice, "It is one. Two it is. And three.", STYLE))
    frames = len(whole[0].samples)
    start = SpeechPosition(sentences=1, frames=frames, gain_db=whole[0].sentence.gain_db)
    narration = Narration(voice, "It is one. Two it is. And three.", STYLE, start=start)
    rest = list(narration)
    assert len(rest[0].samples) == 0 and narration.sentences == 3
    for one, other in zip(rest[1:], whole[1:], strict=True):
        assert np.array_equal(one.samples, other.samples)


def test_a_sentence_of_a_book_has_no_markup(voice: OpenVoice) -> None:
    (piece,) = Narration(voice, "The <b> of HTML.", STYLE, whole=True)
    assert "b" in piece.sentence.text.text.split()


@pytest.mark.parametrize("text", ["\U0001f600", "***", "<b></b>", "<speak><break time='100ms'/></speak>"])
def test_a_text_without_words_is_a_moment_of_silence_if_somebody_listens(voice: OpenVoice, text: str) -> None:
    samples = heard(Narration(voice, text, STYLE, wordless=True))
    assert len(samples) == voice.card.rate_hz // 4 and not samples.any()
    with pytest.raises(BadInputError, match="there is nothing to speak"):
        heard(Narration(voice, text, STYLE))


@pytest.mark.parametrize("text", ["*[rate:0.9]she", 'He wrote "[rate:0.5]...[rate] and went.', "She [rate:2]…"])
def test_what_has_no_word_beside_a_tag_is_left_out(voice: OpenVoice, text: str) -> None:
    assert len(heard(Narration(voice, text, Style())))


def test_a_pause_alone_is_as_long_as_it_is(voice: OpenVoice) -> None:
    assert len(heard(Narration(voice, "[pause:2s]", STYLE, wordless=True))) == 2 * voice.card.rate_hz


def test_a_very_long_line_is_spoken_as_its_sentences(voice: OpenVoice) -> None:
    line = " ".join(f"Sentence number {number} is [here](a.b/c), Dr. Smith." for number in range(600))
    narration = Narration(voice, line, Style(seed=1, pause_seconds=0.0))
    assert sum(1 for _ in narration) == narration.sentences == 600


@pytest.mark.parametrize(("text", "expected"), [("a", True), ("1", True), ("\U0001f600 ...", False), ("\ud800", True)])
def test_letters_and_digits_are_words(text: str, expected: bool) -> None:
    assert has_words(text) == expected
