"""Read audio files with libsndfile, or else ffmpeg, as float32 mono at a given sample rate, in bounded memory."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voxmatrix.audio.checks import (
    AudioError,
    check_block,
    check_complete,
    check_file,
    is_text,
    plain_reason,
    unreadable,
)
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, MissingProgramError

if TYPE_CHECKING:
    import soundfile

#: A header with a sample rate outside this range is corrupt, and resampling from e.g. 1 Hz would exhaust the memory.
RATES_HZ = range(2000, 1_000_001)
#: Samples read at once, over all channels.
BLOCK_SAMPLES = 1 << 18
#: A sample at or above this is at full scale (16 bits: the last 32 steps).
FULL_SCALE = 0.999
#: Read to tell formats apart that libsndfile cannot read.
_START_BYTES = 200
#: Formats that ffmpeg reads, as place and bytes: MP4 (m4a), AAC, Ogg (opus), Matroska (webm), ASF (wma), AMR.
_BY_FFMPEG = (
    *((4, b"ftyp"), (0, b"\xff\xf1"), (0, b"\xff\xf9"), (0, b"OggS"), (0, b"\x1aE\xdf\xa3"), (0, b"0&\xb2u")),
    (0, b"#!AMR"),
)
#: Format tags of WAV files that ffmpeg reads whole: MPEG, WMA, AC-3.
_TAGS_BY_FFMPEG = frozenset((0x50, 0x55, 0x160, 0x161, 0x162, 0x163, 0x2000))
#: libsndfile's names for samples that can be NaN, infinity or beyond full scale.
FLOATING = ("FLOAT", "DOUBLE")
#: Floating-point samples beyond this are integers that were not scaled.
_MAX_FLOAT = 16.0
#: The channels cancel each other out when their mean has less than this fraction of their energy.
CANCELLED = 0.01
#: This many full-scale samples in a row are clipping; a single one is the peak of a normalised recording.
CLIPPED_RUN = 3


@dataclass(frozen=True, kw_only=True)
class Wave:
    """Mono samples, and the properties of the file before mixing and resampling."""

    samples: Samples  # (frames,) -1..1
    rate_hz: int
    source_rate_hz: int
    source_channels: int
    source_frames: int
    clipped_fraction: float  # of the file's samples: those in runs at full scale

    @property
    def source_seconds(self) -> float:
        """Duration of the file."""
        return self.source_frames / self.source_rate_hz


def read(path: Path, rate_hz: int, *, max_seconds: float | None = None) -> Wave:
    """Decode `path`, mix it to mono and resample it to `rate_hz`; a file longer than `max_seconds` is rejected.

    Raises:
        AudioError: the file is missing, not audio, truncated, empty or too long, or contains NaN or infinity.
    """
    check_file(path)
    with _open(path, max_seconds) as file:
        if file.samplerate not in RATES_HZ:
            reason = f"its header has a sample rate of {file.samplerate} Hz"
            raise unreadable(path, reason, "record it again or fix its header")
        limit = None if max_seconds is None else int(max_seconds * file.samplerate)
        if limit is not None and 0 <= limit < file.frames < 2**62:  # libsndfile reports an unknown length as 2**63 - 1
            more = "more than " if isinstance(file.name, io.BytesIO) else ""  # ffmpeg decodes only the beginning
            raise _too_long(path, file.frames / file.samplerate, max_seconds or 0, more)
        scale = full_scale(path, file) if file.subtype in FLOATING else 1.0
        wave, energies = _decode(path, file, rate_hz, limit, scale=scale)
        if energies[-1] < CANCELLED * energies[:-1].mean():
            file.seek(0)
            wave, _ = _decode(path, file, rate_hz, limit, scale=scale, channel=int(energies[:-1].argmax()))
        check_complete(path, file, wave.source_frames)
    return wave


def check_finite(path: Path) -> None:
    """Check the samples of a file whose format allows NaN and infinity, if libsndfile can read it.

    Raises:
        AudioError: it contains one of them, or is damaged.
    """
    import soundfile

    try:
        opened = soundfile.SoundFile(path)
    except soundfile.LibsndfileError:
        return
    with opened as file:
        if file.subtype not in FLOATING:
            return
        start = 0
        for block in blocks(path, file):
            check_block(path, block, start, file.samplerate)
            start += len(block)


def _open(path: Path, max_seconds: float | None) -> "soundfile.SoundFile":
    import soundfile

    with path.open("rb") as opened:
        start = opened.read(_START_BYTES)
    if start[8:16] == b"WAVEfmt " and int.from_bytes(start[20:22], "little") in _TAGS_BY_FFMPEG:
        return soundfile.SoundFile(io.BytesIO(_decoded(path, max_seconds)))
    try:
        return soundfile.SoundFile(path)
    except (soundfile.LibsndfileError, OSError, TypeError, ValueError, RuntimeError) as error:
        if is_text(start):
            raise unreadable(path, "it is a text, not a recording", "replace it with the recording") from error
        if any(start.startswith(magic, place) for place, magic in _BY_FFMPEG):
            return soundfile.SoundFile(io.BytesIO(_decoded(path, max_seconds)))
        raise unreadable(path, plain_reason(error), "if it plays elsewhere, export it there as WAV") from error


def _decoded(path: Path, max_seconds: float | None) -> bytes:
    """The file as WAV; if it is too long, a little more than is allowed."""
    from voxmatrix.audio.ffmpeg import decode

    try:
        return decode(path, None if max_seconds is None else max_seconds + 1)
    except MissingProgramError as error:
        raise unreadable(path, "its format requires ffmpeg, which is not installed", error.remedy) from error
    except BadInputError as error:
        raise unreadable(path, "ffmpeg cannot decode it", "record or copy it again") from error


def full_scale(path: Path, file: Any) -> float:
    """What floating-point samples are divided by: nothing is lost beyond full scale."""
    peak = 0.0
    for block in blocks(path, file):
        peak = max(peak, float(np.abs(block[np.isfinite(block)]).max(initial=0.0)))
    file.seek(0)
    if peak > _MAX_FLOAT:
        return 2.0**15 if peak <= 2.0**15 else 2.0**31
    return max(1.0, peak)


def _decode(
    path: Path, file: Any, rate_hz: int, limit: int | None, *, scale: float, channel: int | None = None
) -> tuple[Wave, Samples]:
    """The mean of the channels, or one of them; and the energies of the channels and of their mean."""
    import soxr

    resample = soxr.ResampleStream(file.samplerate, rate_hz, 1, dtype="float32") if file.samplerate != rate_hz else None
    clipping = _Clipping(file.channels)
    parts: list[Samples] = []
    frames, energies = 0, np.zeros(file.channels + 1, np.float32)
    for read in blocks(path, file):
        frames += len(read)
        if limit is not None and frames > limit:
            raise _too_long(path, frames / file.samplerate, limit / file.samplerate, "more than ")
        check_block(path, read, frames - len(read), file.samplerate)
        block = read if scale == 1.0 else read * np.float32(1 / scale)
        if scale == 1.0 or scale > 2 * _MAX_FLOAT:
            clipping.add(block)
        several = file.channels > 1 and channel is None
        mono = block.mean(axis=1, dtype=np.float32) if several else block[:, channel or 0]
        energies += [*np.einsum("fc,fc->c", block, block), mono @ mono]
        parts.append(resample.resample_chunk(mono) if resample else mono)
    if resample and frames:
        parts.append(resample.resample_chunk(np.zeros(0, np.float32), last=True))
    wave = Wave(
        samples=np.concatenate(parts) if parts else np.zeros(0, np.float32),
        rate_hz=rate_hz,
        source_rate_hz=file.samplerate,
        source_channels=file.channels,
        source_frames=frames,
        clipped_fraction=clipping.fraction,
    )
    return wave, energies


def blocks(path: Path, file: Any) -> Iterator[Samples]:
    """The open file in blocks of (frames, channels).

    Raises:
        AudioError: it is damaged.
    """
    import soundfile

    size = max(1, BLOCK_SAMPLES // file.channels)
    while True:
        try:
            block: Samples = file.read(size, dtype="float32", always_2d=True)
        except (soundfile.LibsndfileError, RuntimeError) as error:
            raise unreadable(path, f"decoding stopped: {plain_reason(error)}", "record or copy it again") from error
        if not len(block):
            return
        yield block


def _too_long(path: Path, seconds: float, limit_seconds: float, more: str = "") -> AudioError:
    problem = f"{path.name} is {more}{seconds:.1f} s long; the limit is {limit_seconds:g} s"
    return AudioError("too-long", problem, "split it into sentences, each with its own text")


class _Clipping:
    """Count samples in runs at full scale, block by block (a run across two blocks counts as two)."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._clipped = 0
        self._samples = 0

    def add(self, block: Samples) -> None:
        self._samples += block.size
        loud = np.abs(block) >= FULL_SCALE
        if not loud.any():
            return
        for channel in range(self._channels):
            edges = np.flatnonzero(np.diff(np.concatenate(([0], loud[:, channel].view(np.int8), [0]))))
            runs = edges[1::2] - edges[::2]
            self._clipped += int(runs[runs >= CLIPPED_RUN].sum())

    @property
    def fraction(self) -> float:
        return self._clipped / self._samples if self._samples else 0.0
