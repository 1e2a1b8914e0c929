"""What is said of takes, beyond what `prepare` says."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from voxmatrix.config import home
from voxmatrix.serve.recordings import review as reviewing
from voxmatrix.serve.recordings.prompt_list import PromptList
from voxmatrix.serve.recordings.review import Take, review

SAMPLES = Path(__file__).parents[3] / "samples" / "en" / "wavs"
TEXT = "The birch canoe slid on the smooth planks."


@pytest.fixture(autouse=True)
def _characters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters instead of phonemes, which need espeak-ng."""
    monkeypatch.setattr(reviewing, "espeak_version", lambda: None)


def speech() -> NDArray[np.float64]:
    """A sentence with half a second of a quiet room before and after it, at 16 kHz."""
    samples, _ = soundfile.read(SAMPLES / "en-01.flac")
    room = np.random.default_rng(0).normal(0, 10 ** (-65 / 20), len(samples) + 16_000)
    room[8000:-8000] += samples
    return np.asarray(room)


def judged(samples: NDArray[np.float64], rate_hz: int = 48_000) -> Take:
    """The verdict on these samples, at a rate that no remark is made about."""
    found = PromptList(profile="p", name="l", folder=home() / "p" / "l", language="en-US", prompts=(TEXT,))
    found.folder.mkdir(parents=True)
    found.write()
    soundfile.write(found.sound_path(1), np.repeat(samples, rate_hz // 16_000), rate_hz)
    found.text_path(1).write_text(TEXT, encoding="utf-8")
    return review(found).takes[1]


def kinds(take: Take) -> list[str]:
    return [remark.kind for remark in take.remarks]


def test_a_good_take_has_no_remarks() -> None:
    take = judged(speech())
    assert take.usable and not take.remarks
    assert take.measured is not None
    assert take.measured.speech_dbfs - take.measured.noise_dbfs > 35
    assert len(take.measured.heights) == 48 and 0.2 < max(take.measured.heights) <= 1


def test_a_quiet_take_is_told() -> None:
    assert kinds(judged(0.03 * speech())) == ["quiet"]


def test_a_noisy_take_is_told() -> None:
    noise = np.random.default_rng(1).normal(0, 0.06, len(speech()))
    take = judged(speech() + noise)
    assert kinds(take) == ["noisy"]
    assert take.usable


@pytest.mark.parametrize(("part", "word"), [(slice(20_500, None), "beginning"), (slice(None, 40_600), "end")])
def test_a_take_that_was_cut_off_is_told(part: slice, word: str) -> None:
    take = judged(speech()[part])
    assert [remark.problem for remark in take.remarks] == [f"its {word} is cut off"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda x: np.clip(40 * x, -1, 1), "clipped"),
        (lambda x: 0 * x, "silent"),
        (lambda x: x[20_000:23_000], "too-short"),
        (lambda x: x[18_000:27_000], "text-does-not-fit"),
    ],
)
def test_what_prepare_leaves_out_is_told_in_its_words_alone(change: object, kind: str) -> None:
    take = judged(change(speech()))  # type: ignore[operator]
    assert kind in kinds(take)
    assert not take.usable and not {"quiet", "noisy", "cut-off"} & set(kinds(take))


def test_a_second_look_reads_no_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    take = judged(speech())
    monkeypatch.setattr(soundfile, "SoundFile", None)
    assert review(PromptList.read(home() / "p" / "l")).takes[1] == take
