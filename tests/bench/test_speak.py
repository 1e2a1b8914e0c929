"""Real sentences with real voices: exported ones and checkpoints."""

from pathlib import Path

import pytest

from tests.bench.reports import HERE
from tests.piper.conftest import MakeCheckpoint
from tests.plan.computers import ARC
from voxmatrix.bench.speak import SENTENCES, SpeakBench, parts
from voxmatrix.errors import BadInputError, NoDeviceError


def test_the_voice_that_comes_along_says_every_sentence() -> None:
    figures = parts(SpeakBench(voice="", runs=1, warmup=0), None, HERE)[0].measure()
    assert figures["realtime_factor"] * figures["times_realtime"] == pytest.approx(1)
    assert figures["speech_seconds"] > len(SENTENCES)
    assert figures["spread"] == 0


def test_a_checkpoint_speaks_too(make_checkpoint: MakeCheckpoint) -> None:
    path = make_checkpoint(phoneme_type="text")
    figures = parts(SpeakBench(voice=str(path), runs=2, warmup=0), None, HERE)[0].measure()
    assert figures["realtime_factor"] > 0


def test_a_voice_that_is_not_there_and_a_device_that_this_voice_cannot_use_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no voice"):
        parts(SpeakBench(voice=str(tmp_path / "no.onnx")), None, HERE)[0].measure()
    with pytest.raises(NoDeviceError, match="directml"):
        parts(SpeakBench(voice=""), ARC, HERE)[0].measure()
