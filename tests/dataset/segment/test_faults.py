"""The clips of a long recording, by the checks of `prepare`."""

from pathlib import Path

import numpy as np
import soundfile

from voxmatrix.audio.long import LongRecording
from voxmatrix.dataset.segment.faults import with_faults
from voxmatrix.dataset.segment.output import Segment

SAMPLES = Path(__file__).parents[3] / "samples" / "en" / "wavs"


def test_a_clip_with_hum_is_named_and_a_good_one_and_one_left_out_are_not(tmp_path: Path) -> None:
    samples, rate_hz = soundfile.read(SAMPLES / "en-01.flac", dtype="float32")
    good = np.pad(samples, rate_hz // 2) + np.random.default_rng(0).normal(0, 1e-4, len(samples) + rate_hz)
    humming = good + 0.02 * np.sin(2 * np.pi * 50 * np.arange(len(good)) / rate_hz)
    soundfile.write(tmp_path / "long.wav", np.concatenate([good, humming, humming]), rate_hz)
    seconds = len(good) / rate_hz
    parts = [
        Segment(recording=0, start=number * seconds, end=(number + 1) * seconds, text="Words.", reason=reason)
        for number, reason in enumerate(("", "", "doubtful"))
    ]

    first, second, third = with_faults(parts, [LongRecording(tmp_path / "long.wav", tmp_path)])

    assert not first.faults and not third.faults
    (fault,) = second.faults
    assert (fault["kind"], fault["severity"]) == ("hum", "warning") and "50 Hz" in fault["problem"] and fault["remedy"]
