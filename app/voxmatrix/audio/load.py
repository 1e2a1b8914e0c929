"""Read audio files with libsndfile, or else ffmpeg, as float32 mono at a given sample rate, in bounded memory."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voxmatrix.audio.checks import (
    AudioError,
    DecodingStoppedError,
    check_block,
    check_complete,
    check_file,
    plain_reason,
    unreadable,
)
from voxmatrix.audio.formats import SoundFormat
from voxmatrix.audio.pieces import header_frames, split
from voxmatrix.audio.waves import Samples
from voxmatrix.audio.whole import read_whole
from voxmatrix.errors import BadInputError, MissingProgramError

if TYPE_CHECKING:
    import soundfile

#: A header with a sample rate outside this range is corrupt, and resampling from e.g. 1 Hz would exhaust the memory.
RATES_HZ = range(2000, 1_000_001)
#: Samples read at once, over all channels.
BLOCK_SAMPLES = 1 << 18
#: A sample at or above this is at full scale (16 bits: the last 32 steps).
FULL_SCALE = 0.999
#: libsndfile's names for samples that can be NaN, infinity or beyond full scale.
FLOATING = ("FLOAT", "DOUBLE")
#: Floating-point samples beyond this are integers that were not scaled.
_MAX_FLOAT = 16.0
#: The channels cancel each other out when their mean has less than this fraction of their energy.
CANCELLED = 0.01
#: How far the quiet parts of a channel of noise are below its loud ones at most; speech has so much more.
_NOISE_RANGE_DB, _CHANNELS_DB = 12.0, 15.0
#: Levels of channels are those of frames of this length; a channel whose loud frames are below this has no sound.
_CHANNEL_SECONDS, _NO_SOUND_DBFS = 0.02, -60.0
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
    lone_channel: int | None = None  # the only one that is used, as the others have noise alone

    @property
    def source_seconds(self) -> float:
        """Duration of the file."""
        return self.source_frames / self.source_rate_hz


def read(path: Path, rate_hz: int, *, max_seconds: float | None = None) -> Wave:
    """Decode `path`, mix it to mono and resample it to `rate_hz`; a file longer than `max_seconds` is rejected.

    Of a file that was joined from several, all pieces are read; their properties are those of the worst.

    Raises:
        AudioError: the file is missing, not audio, truncated, empty or too long, or contains NaN or infinity.
    """
    check_file(path)
    use = partial(_read_open, path, rate_hz, max_seconds)
    join = partial(_read_pieces, path, rate_hz, max_seconds)
    return read_whole(path, use, join, partial(_decoded, path, max_seconds))


def _read_open(path: Path, rate_hz: int, max_seconds: float | None, file: "soundfile.SoundFile") -> Wave:
    if file.samplerate not in RATES_HZ:
        reason = f"its header has a sample rate of {file.samplerate} Hz"
        raise unreadable(path, reason, "record it again or fix its header")
    limit = None if max_seconds is None else int(max_seconds * file.samplerate)
    frames = header_frames(path, file)
    if limit is not None and frames is not None and frames > limit:
        more = "more than " if isinstance(file.name, io.BytesIO) else ""  # ffmpeg decodes only the beginning
        raise _too_long(path, frames / file.samplerate, max_seconds or 0, more)
    scale = full_scale(path, file) if file.subtype in FLOATING else 1.0
    wave, energies, lone = _decode(path, file, rate_hz, limit, scale=scale)
    if lone is not None or energies[-1] < CANCELLED * energies[:-1].mean():
        file.seek(0)
        channel = int(energies[:-1].argmax()) if lone is None else lone
        wave = replace(_decode(path, file, rate_hz, limit, scale=scale, channel=channel)[0], lone_channel=lone)
    check_complete(path, file, wave.source_frames, frames)
    return wave


def _read_pieces(path: Path, rate_hz: int, max_seconds: float | None, begins: Sequence[int]) -> Wave:
    waves: list[Wave] = []
    with split(path, begins) as pieces:
        for piece in pieces:
            waves.append(read(piece, rate_hz, max_seconds=max_seconds))
            seconds = sum(wave.source_seconds for wave in waves)
            if max_seconds is not None and seconds > max_seconds:
                raise _too_long(path, seconds, max_seconds, "more than ")
    source_rate_hz = min(wave.source_rate_hz for wave in waves)
    return Wave(
        samples=np.concatenate([wave.samples for wave in waves]),
        rate_hz=rate_hz,
        source_rate_hz=source_rate_hz,
        source_channels=max(wave.source_channels for wave in waves),
        source_frames=round(seconds * source_rate_hz),
        clipped_fraction=sum(wave.clipped_fraction * wave.source_seconds for wave in waves) / seconds,
        lone_channel=next((wave.lone_channel for wave in waves if wave.lone_channel is not None), None),
    )


def _decoded(path: Path, max_seconds: float | None, form: SoundFormat) -> io.BytesIO:
    """The file as WAV; if it is too long, a little more than is allowed."""
    from voxmatrix.audio.ffmpeg import decode

    try:
        return io.BytesIO(decode(path, form, None if max_seconds is None else max_seconds + 1))
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
) -> tuple[Wave, Samples, int | None]:
    """The mean of the channels, or one of them; the energies of several and of their mean; the only good one."""
    import soxr

    resample = soxr.ResampleStream(file.samplerate, rate_hz, 1, dtype="float32") if file.samplerate != rate_hz else None
    clipping = _Clipping(file.channels)
    parts: list[Samples] = []
    frames, energies, several = 0, np.zeros(file.channels + 1, np.float32), file.channels > 1 and channel is None
    levels: list[Samples] = []
    for read in blocks(path, file):
        frames += len(read)
        if limit is not None and frames > limit:
            raise _too_long(path, frames / file.samplerate, limit / file.samplerate, "more than ")
        check_block(path, read, frames - len(read), file.samplerate)
        block = read if scale == 1.0 else read * np.float32(1 / scale)
        if scale == 1.0 or scale > 2 * _MAX_FLOAT:
            clipping.add(block)
        mono = block[:, channel or 0]
        if several:
            levels.append(_powers(block, file.samplerate))
            mono = block.mean(axis=1, dtype=np.float32)
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
    return wave, energies, _lone_channel(np.concatenate(levels)) if levels else None


def _powers(block: Samples, rate_hz: int) -> Samples:
    """The power of each channel in frames of a block (n, channels): (frames, channels)."""
    size = round(_CHANNEL_SECONDS * rate_hz)
    frames = block[: len(block) // size * size].reshape(-1, size, block.shape[1])
    powers: Samples = frames.var(axis=1)
    return powers


def _lone_channel(powers: Samples) -> int | None:
    """The channel with speech, if others have noise; None if all are alike, or have no sound."""
    if not len(powers):
        return None
    noise, loud = np.percentile(10 * np.log10(np.maximum(powers, 1e-12)), (10, 95), axis=0)
    ranges = (loud - noise)[loud >= _NO_SOUND_DBFS]
    lowest = ranges.min(initial=np.inf)
    differ = lowest <= _NOISE_RANGE_DB and ranges.max() - lowest >= _CHANNELS_DB
    return int(np.where(loud >= _NO_SOUND_DBFS, loud - noise, -np.inf).argmax()) if differ else None


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
            problem = f"{path.name} cannot be read: decoding stopped: {plain_reason(error)}"
            raise DecodingStoppedError("unreadable", problem, "record or copy it again") from error
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
        if block.max() < FULL_SCALE and block.min() > -FULL_SCALE:
            return
        loud = np.abs(block) >= FULL_SCALE
        for channel in range(self._channels):
            edges = np.flatnonzero(np.diff(np.concatenate(([0], loud[:, channel].view(np.int8), [0]))))
            runs = edges[1::2] - edges[::2]
            self._clipped += int(runs[runs >= CLIPPED_RUN].sum())

    @property
    def fraction(self) -> float:
        return self._clipped / self._samples if self._samples else 0.0
