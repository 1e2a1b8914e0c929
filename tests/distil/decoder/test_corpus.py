"""What was spoken is not spoken again, and damaged files are."""

from pathlib import Path

import numpy as np
import pytest

from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.corpus import CorpusSentence, OriginalVoice, synthesize_corpus
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.tables.quality import HOP

SENTENCES = [np.random.default_rng(number).integers(1, 100, 12).tolist() for number in range(30)]


def material(voice: Path, folder: Path, seconds: int = 1, speakers: int = 1) -> list[CorpusSentence]:
    return synthesize_corpus(
        OriginalVoice(voice, read_graph(voice), threads=1),
        SENTENCES,
        folder,
        options=SynthesisOptions(),
        num_speakers=speakers,
        rate_hz=16000,
        wanted_seconds=seconds,
        progress=lambda done, total: None,
    )


@pytest.mark.parametrize("speakers", [1, 3])
def test_utterances_have_what_the_networks_gave_each_other(
    speakers: int, make_onnx: MakeCheckpoint, tmp_path: Path
) -> None:
    spoken = material(make_onnx("tiny", speakers, "text"), tmp_path, speakers=speakers)

    assert len(spoken) == 24
    for one in spoken:
        assert one.latent.shape == (64, one.frames)
        assert len(one.samples) == one.frames * HOP
        assert len(one.speaker) == (512 if speakers > 1 else 0)
    assert len({one.speaker.tobytes() for one in spoken}) == speakers


@pytest.mark.parametrize(("quality", "speakers"), [("x_low", 1), ("tiny", 3)])
def test_the_original_is_heard(quality: str, speakers: int, make_onnx: MakeCheckpoint) -> None:
    voice = make_onnx(quality, speakers, "text")
    options = SynthesisOptions(speaker=speakers - 1)
    segments = open_onnx(voice, speakers).begin(SENTENCES[0], options, 5).segments
    expected = np.concatenate([segment() for segment in segments])

    spoken = OriginalVoice(voice, read_graph(voice), threads=1).speak(SENTENCES[0], options, np.random.default_rng(5))

    assert np.abs(expected).max() > 0.001
    assert np.allclose(spoken.wave(), expected, atol=1e-4)


def test_files_of_an_earlier_command_are_used_unless_damaged(
    make_onnx: MakeCheckpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = make_onnx("tiny", 1, "text")
    first = material(voice, tmp_path, seconds=12)
    files = sorted(tmp_path.glob("*.npz"))
    assert len(files) > 1
    files[1].write_bytes(files[1].read_bytes()[:1000])
    spoken: list[int] = []
    speak = OriginalVoice.speak

    def counted(self: OriginalVoice, *arguments: object) -> CorpusSentence:
        spoken.append(1)
        return speak(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(OriginalVoice, "speak", counted)
    again = material(voice, tmp_path, seconds=12)

    assert len(spoken) == 24  # one file
    assert [one.frames for one in again[:24]] == [one.frames for one in first[:24]]
    assert np.array_equal(again[3].samples, first[3].samples)
