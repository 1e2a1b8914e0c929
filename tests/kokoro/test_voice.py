"""Kokoro speaks what its network computes: whole sentences, long ones in pieces, the same bytes at every time."""

import wave
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kokoro.conftest import SYMBOL_SAMPLES, write_network
from voxmatrix.cli import main
from voxmatrix.errors import DamagedFileError
from voxmatrix.kokoro.alphabet import symbols
from voxmatrix.kokoro.styles import MAX_IDS
from voxmatrix.kokoro.voice import pieces, without_silence
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Style
from voxmatrix.text.spoken import SpokenText, spoken_sentences
from voxmatrix.voices.resolve import open_voice, resolve

pytestmark = pytest.mark.espeak


@pytest.fixture
def heart(kokoro: Path) -> Iterator[OpenVoice]:
    voice = open_voice(resolve("kokoro/af_heart"))
    yield voice
    voice.close()


def say(voice: OpenVoice, text: str, **style: float) -> list[np.ndarray]:
    utterance = voice.say(SpokenText(text, text), Style(**style), None)
    return [segment() for segment in utterance.segments]


def test_each_symbol_is_heard_and_the_silence_around_them_is_not(heart: OpenVoice) -> None:
    (samples,) = say(heart, "Hello.")
    symbol_seconds = heart.say(SpokenText("Hello.", "Hello."), Style(), None).symbols * SYMBOL_SAMPLES / 24_000
    assert len(samples) / 24_000 == pytest.approx(symbol_seconds, abs=0.15)


def test_the_style_is_that_of_the_voice_and_of_the_length_and_the_speed_arrives(heart: OpenVoice) -> None:
    def loudness(text: str, **style: float) -> float:
        return float(np.abs(say(heart, text, **style)[0]).max())

    assert loudness("Hello.", speed=2.0) == pytest.approx(2 * loudness("Hello."), rel=1e-4)
    assert loudness("Hello, " * 20) > loudness("Hello.")


def test_a_sentence_with_too_many_phonemes_is_spoken_in_pieces(heart: OpenVoice) -> None:
    text = "Extraordinarily " * 60
    assert len(say(heart, text)) > 1
    assert heart.say(SpokenText(text, text), Style(), None).symbols > MAX_IDS


def test_what_has_no_word_is_left_out(heart: OpenVoice) -> None:
    utterance = heart.say(SpokenText("…", "…"), Style(), None)
    assert not utterance.segments
    assert "can be pronounced" in utterance.findings[0].problem


def test_words_have_the_times_of_their_symbols(heart: OpenVoice) -> None:
    (text,) = spoken_sentences("Call 911, or come to the well-known place.", "en-us")
    utterance = heart.say(text, Style(), None)
    samples = np.concatenate([segment() for segment in utterance.segments])
    words = utterance.words()
    assert [word.text for word in words] == text.source.split()
    assert all(word.start < word.end <= len(samples) for word in words)
    assert all(one.end <= other.start for one, other in pairwise(words))
    steps = [other.start - one.start for one, other in pairwise(words[1:])]
    assert all(step % SYMBOL_SAMPLES == 0 for step in steps) and steps[0] > 3 * steps[1]  # 911, or


def test_words_of_a_sentence_in_pieces_go_on(heart: OpenVoice) -> None:
    count = 60
    utterance = heart.say(SpokenText("Extraordinarily " * count, "Extraordinarily " * count), Style(), None)
    samples = [len(segment()) for segment in utterance.segments]
    words = utterance.words()
    assert len(samples) > 1 and len(words) == count
    assert sum(samples) - words[-1].end <= SYMBOL_SAMPLES * 4
    steps = {other.start - one.start for one, other in pairwise(words)}
    assert min(steps) > 5 * SYMBOL_SAMPLES


def test_a_network_that_hides_its_frames_has_no_times(kokoro: Path) -> None:
    write_network(kokoro / "kokoro-v1.0.int8.onnx", frames="hidden")
    voice = open_voice(resolve("kokoro/af_heart"))
    utterance = voice.say(SpokenText("Hello.", "Hello."), Style(), None)
    assert len(utterance.segments[0]()) > 1000
    assert not utterance.words()
    voice.close()


@given(st.lists(st.sampled_from(sorted(symbols().values())), max_size=2000))
def test_pieces_are_the_whole_and_none_is_too_long(ids: list[int]) -> None:
    found = list(pieces(ids))
    assert [one for piece in found for one in piece] == ids
    assert all(0 < len(piece) <= MAX_IDS for piece in found)


def test_a_piece_ends_at_a_mark_where_there_is_one() -> None:
    comma, letter = symbols()[","], symbols()["a"]
    first, *_ = pieces([letter] * 400 + [comma] + [letter] * 400)
    assert first[-1] == comma
    assert len(first) == 401


def test_silence_alone_stays() -> None:
    assert without_silence(np.zeros(100, np.float32), 24_000) == slice(0, 100)
    assert without_silence(np.zeros(0, np.float32), 24_000) == slice(0, 0)


@pytest.mark.parametrize("names", [("input_ids", "style"), ("tokens", "style")])
def test_networks_of_several_publishers_are_spoken(names: tuple[str, str], kokoro: Path) -> None:
    write_network(kokoro / "kokoro-v1.0.int8.onnx", *names)
    voice = open_voice(resolve("kokoro/af_heart"))
    assert len(say(voice, "Hello.")[0]) > 1000
    voice.close()


@pytest.mark.parametrize("damage", ["not a network", "other inputs"])
def test_a_network_that_is_none_is_said(damage: str, kokoro: Path) -> None:
    network = kokoro / "kokoro-v1.0.int8.onnx"
    if damage == "other inputs":
        write_network(network, "tokens", "voice")
    else:
        network.write_bytes(b"nothing")
    voice = open_voice(resolve("kokoro/af_heart"))
    with pytest.raises(DamagedFileError, match="corrupt or not a voice"):
        say(voice, "Hello.")
    voice.close()


def test_the_commands_speak_it_alone_and_in_a_batch_with_the_same_bytes(kokoro: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(3):
        (texts / f"{number}.txt").write_text(f"This is sentence number {number}. It is short.")
    voice = ["--voice", "kokoro/af_heart+af_bella", "--seed", "1"]
    assert main.run(["speak", *voice, "--batch", str(texts), "--out", str(tmp_path / "out")]) == 0
    for number in range(3):
        alone = tmp_path / f"{number}.wav"
        assert main.run(["speak", *voice, "--file", str(texts / f"{number}.txt"), "--out", str(alone)]) == 0
        with wave.open(str(alone)) as one, wave.open(str(tmp_path / "out" / f"{number}.wav")) as other:
            assert one.getframerate() == 24_000
            assert one.readframes(10**7) == other.readframes(10**7)
