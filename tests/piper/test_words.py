"""When the words of a sentence are heard: every engine tells, and its times fill its samples."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voxmatrix.models.family import OpenVoice, TimedWord
from voxmatrix.models.style import Style
from voxmatrix.piper.engines.onnx import WholeModelEngine
from voxmatrix.piper.voice import open_piper_voice
from voxmatrix.text.spoken import spoken_sentences

TEXT = "Call 911, or come to the well-known place."


def said(voice: OpenVoice, speed: float = 1.0) -> tuple[int, list[TimedWord]]:
    (text,) = spoken_sentences(TEXT, "en-us")
    utterance = voice.say(text, Style(speed=speed, seed=1, knobs={"noise": 0.0, "noise_w": 0.0}), 1)
    samples = np.concatenate([segment() for segment in utterance.segments])
    return len(samples), list(utterance.words())


def check(samples: int, words: list[TimedWord]) -> None:
    assert [word.text for word in words] == TEXT.split()
    edges = [place for word in words for place in (word.start, word.end)]
    assert edges == sorted(edges) and edges[0] > 0 and edges[-1] <= samples
    assert all(word.start < word.end for word in words)
    assert words[1].end - words[1].start > 2 * (words[3].end - words[3].start)  # 911 is three words, `come` is one


@pytest.mark.parametrize("quality", ["x_low", "fast"])
def test_every_engine_tells_the_same(quality: str, make_onnx: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path: Path = make_onnx(quality, 1, "text")
    with open_piper_voice(path) as voice:
        length, words = said(voice)
        check(length, words)
        voice.load()  # its first half is written anew
        assert said(voice) == (length, words)
        slow_length, slow = said(voice, speed=0.5)
        check(slow_length, slow)
        assert slow[-1].end > 1.3 * words[-1].end
    with open_piper_voice(path) as again:  # as it is kept in the cache
        assert said(again) == (length, words)

    monkeypatch.setattr("voxmatrix.piper.engines.onnx.split_voices", lambda path: iter(()))
    with open_piper_voice(path) as whole:
        assert isinstance(whole.engine, WholeModelEngine)
        assert said(whole) == (length, words)


def test_a_checkpoint_tells_as_well(make_checkpoint: Any) -> None:
    with open_piper_voice(make_checkpoint("x_low", 1, "text")) as voice:
        check(*said(voice))
