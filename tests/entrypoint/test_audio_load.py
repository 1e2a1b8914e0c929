"""`torchaudio.load` by soundfile gives what torchaudio's own gives: channels first, float32, the samples asked for."""

import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
import torch

from voxmatrix_entrypoint import audio_load
from voxmatrix_entrypoint.ledger import apply_patch
from voxmatrix_entrypoint.patches import PATCHES

LOAD = next(patch for patch in PATCHES if patch.id == "torchaudio-load")


@pytest.fixture
def stereo(tmp_path: Path) -> Path:
    path = tmp_path / "å stereo.flac"
    soundfile.write(path, np.arange(20, dtype=np.int16).reshape(10, 2) * 1000, 44100)
    return path


def test_channels_come_first_and_samples_are_float32(stereo: Path) -> None:
    samples, rate_hz = audio_load.load(stereo)
    assert (samples.shape, samples.dtype, rate_hz) == ((2, 10), torch.float32, 44100)
    assert samples[1, 0].item() == 1000 / 32768
    assert samples.is_contiguous()
    assert audio_load.load(str(stereo), channels_first=False)[0].shape == (10, 2)


@pytest.mark.parametrize(
    ("offset", "count", "frames"),
    [(0, -1, 10), (3, -1, 7), (3, 2, 2), (8, 100, 2), (99, -1, 0), (0, 0, 0), (-5, -7, 10)],
)
def test_the_frames_that_are_asked_for(stereo: Path, offset: int, count: int, frames: int) -> None:
    assert audio_load.load(stereo, frame_offset=offset, num_frames=count)[0].shape == (2, frames)


def test_a_file_object_is_read_as_well(stereo: Path) -> None:
    assert torch.equal(audio_load.load(io.BytesIO(stereo.read_bytes()))[0], audio_load.load(stereo)[0])


def test_other_parameters_change_nothing_and_no_normalising_is_said(stereo: Path) -> None:
    plain = audio_load.load(stereo)[0]
    assert torch.equal(audio_load.load(stereo, format="wav", buffer_size=1, backend="sox")[0], plain)
    with pytest.warns(UserWarning, match="normalize"):
        assert torch.equal(audio_load.load(stereo, normalize=False)[0], plain)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no audio at all" * 100])
def test_what_is_no_audio_is_a_runtime_error_as_in_torchaudio(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(RuntimeError):
        audio_load.load(path)


@pytest.mark.parametrize("error", [ImportError("TorchCodec is required"), RuntimeError("Could not load libtorchcodec")])
def test_it_takes_the_place_of_one_that_cannot_load(error: Exception) -> None:
    def load(uri: object) -> object:
        raise error

    torchaudio = SimpleNamespace(load=load)
    assert apply_patch(LOAD, torchaudio).state == "applied"
    assert torchaudio.load is audio_load.load


def _own(uri: str) -> object:
    return audio_load.load(uri)


def test_one_that_loads_keeps_its_place() -> None:
    torchaudio = SimpleNamespace(load=_own)
    assert apply_patch(LOAD, torchaudio).state == "retired"
    assert torchaudio.load is _own
