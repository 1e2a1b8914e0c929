"""A sentence that is heard while it is computed: its pieces are the sentence, and end where it is quiet."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from voxmatrix.audio.loudness import HEAD_SECONDS
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.first_chunk import quiet_place, split_early
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.synthesize import in_words, synthesize
from voxmatrix.voices.resolve import open_voice, resolve

RATE_HZ = 16_000


def speech(seconds: float) -> np.ndarray:
    """A voiced sound: a pulse every 8 ms that rings out."""
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    pulse = time % 0.008
    return (np.exp(-pulse * 500) * np.sin(2 * np.pi * 700 * pulse)).astype(np.float32)


def cut(samples: np.ndarray, length: int = 8192) -> Iterator[np.ndarray]:
    return (samples[place : place + length] for place in range(0, len(samples), length))


def test_the_pieces_are_the_sentence_and_the_first_one_tells_its_loudness() -> None:
    samples = speech(6.0)
    found = list(split_early(cut(samples), RATE_HZ))
    assert np.array_equal(np.concatenate(found), samples)
    assert len(found) > 5
    assert len(found[0]) >= (HEAD_SECONDS - 0.1) * RATE_HZ


def test_the_first_piece_needs_not_more_than_its_segments() -> None:
    asked = []

    def segments() -> Iterator[np.ndarray]:
        for segment in cut(speech(20.0)):
            asked.append(segment)
            yield segment

    next(split_early(segments(), RATE_HZ))
    assert len(asked) <= 4


def test_without_a_loudness_to_measure_each_segment_leaves_at_once() -> None:
    samples, asked = speech(6.0), []

    def segments() -> Iterator[np.ndarray]:
        for segment in cut(samples):
            asked.append(segment)
            yield segment

    found = split_early(segments(), RATE_HZ, measured=False)
    first = next(found)
    assert len(asked) == 1
    assert np.array_equal(np.concatenate([first, *found]), samples)


@pytest.mark.parametrize("samples", [speech(1.0), np.zeros(0, np.float32), np.zeros(200_000, np.float32)])
def test_what_is_short_or_silent_is_one_piece(samples: np.ndarray) -> None:
    (found,) = split_early(cut(samples), RATE_HZ)
    assert np.array_equal(found, samples)


def test_pieces_end_where_the_signal_is_small() -> None:
    samples = speech(1.0)
    place = quiet_place(samples, RATE_HZ)
    assert len(samples) - place < 0.06 * RATE_HZ
    assert np.abs(samples[place - 16 : place + 16]).max() < 0.2 * np.abs(samples).max()


def test_the_first_sentence_comes_in_parts_with_one_gain(make_onnx: Callable[..., Path]) -> None:
    voice = make_onnx("tiny", phoneme_type="text")
    whole, parts = _spoken(voice, early=False), _spoken(voice, early=True)
    assert [begins for begins, _ in whole] == [True, True]
    assert [begins for begins, _ in parts].count(True) == 2
    assert parts[-1][0]  # the second sentence is one part
    assert len(parts) > 3
    first = np.concatenate([samples for _, samples in parts[:-1]])
    assert len(first) == len(whole[0][1])
    loud = np.abs(whole[0][1]) > 0.01
    gains = 20 * np.log10(first[loud] / whole[0][1][loud])
    assert gains.max() - gains.min() < 0.1
    assert abs(gains.mean()) < 3.0


def test_after_other_speech_the_first_part_is_a_segment_and_as_loud_as_that(make_onnx: Callable[..., Path]) -> None:
    voice = make_onnx("tiny", phoneme_type="text")
    plain = _spoken(voice, early=False, levelled=False)[0][1]
    unknown, known = _spoken(voice, early=True), _spoken(voice, early=True, gain_db=6.0)
    assert len(known[0][1]) < 0.5 * len(unknown[0][1])
    head = slice(0, len(known[0][1]))
    loud = np.abs(plain[head]) > 0.01
    gains = 20 * np.log10(known[0][1][loud] / plain[head][loud])
    own_db = 20 * np.log10(unknown[0][1][head][loud] / plain[head][loud]).mean()
    assert abs(gains.mean() - 6.0) < 0.5 * abs(own_db - 6.0)


def _spoken(
    path: Path, *, early: bool, levelled: bool = True, gain_db: float | None = None
) -> list[tuple[bool, np.ndarray]]:
    """Two sentences, the first one long: whether each part begins one, and its samples."""
    texts = ["the quick brown fox jumps over the lazy dog " * 6 + ".", "And then it sleeps."]
    style = Style(seed=8, levelled=levelled)
    with closing(open_voice(resolve(path), runtime=Runtime(threads=1))) as voice:
        sentences = in_words(texts, voice.card, style)
        found = synthesize(voice, sentences, style, SpeechPosition(gain_db=gain_db), early=early)
        return [(part.begins, part.samples) for part in found]
