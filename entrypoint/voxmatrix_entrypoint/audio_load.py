"""A `torchaudio.load` that uses soundfile if torchcodec, which needs FFmpeg, is missing or cannot be loaded."""

import io
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

_RATE_HZ = 16000
_SAMPLES = (0, 16384, -32768, 8192)


def cannot_load(torchaudio: Any) -> bool:
    """Whether loading a WAV fails: with ImportError without torchcodec, with RuntimeError without FFmpeg."""
    try:
        torchaudio.load(_wav())
    except (ImportError, OSError, RuntimeError):
        return True
    return False


def with_soundfile(torchaudio: Any) -> Mapping[str, Any]:
    """Replace `load` by one that uses soundfile, which reads WAV, FLAC, OGG and MP3 but not M4A."""
    return {"load": load}


def loads_right(torchaudio: Any) -> bool:
    """Whether a WAV is loaded correctly."""
    samples, rate_hz = torchaudio.load(_wav())
    return bool(rate_hz == _RATE_HZ and samples.tolist() == [[sample / 32768 for sample in _SAMPLES]])


def load(  # noqa: PLR0917  # the signature of torchaudio.load
    uri: Any,
    frame_offset: int = 0,
    num_frames: int = -1,
    normalize: bool = True,
    channels_first: bool = True,
    format: str | None = None,
    buffer_size: int = 4096,
    backend: str | None = None,
) -> "tuple[torch.Tensor, int]":
    """Samples (channels, frames) or (frames, channels) in float32 between -1 and 1, and the sample rate in Hz.

    `format`, `buffer_size` and `backend` are ignored, as in torchaudio 2.9 and newer.

    Raises:
        RuntimeError: soundfile cannot read the file.
    """
    import soundfile
    import torch

    if not normalize:
        warnings.warn("normalize=False is ignored: samples are always float32 between -1 and 1", stacklevel=2)
    start, count = max(0, frame_offset), max(-1, num_frames)
    samples, rate_hz = soundfile.read(uri, start=start, frames=count, dtype="float32", always_2d=True)
    loaded = torch.from_numpy(samples)  # (frames, channels)
    return loaded.T.contiguous() if channels_first else loaded, int(rate_hz)


def _wav() -> io.BytesIO:
    import wave

    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(_RATE_HZ)
        written.writeframes(b"".join(sample.to_bytes(2, "little", signed=True) for sample in _SAMPLES))
    file.seek(0)
    return file
