"""What a shop looks at in a file: its format and levels, and the silence at both ends. Files may last for hours."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.checks import check_block, check_file
from voxmatrix.audio.ffmpeg import decode_long
from voxmatrix.audio.formats import MP3, MP4, SoundFormat, format_of
from voxmatrix.audio.load import blocks
from voxmatrix.audio.mp3_frames import bit_rates
from voxmatrix.audio.pieces import split
from voxmatrix.audio.waves import Samples, speech_threshold_dbfs
from voxmatrix.audio.whole import read_whole
from voxmatrix.book.join.chapter_marks import read_chapter_marks
from voxmatrix.errors import BadInputError, DamagedFileError

if TYPE_CHECKING:
    import soundfile

#: The level is known for each such frame.
FRAME_SECONDS = 0.02
#: The noise floor is the level of the quietest stretch of this length, as in Audacity's ACX Check.
FLOOR_SECONDS = 0.5
#: So many frames in a row are speech; fewer are a click.
_SPEECH_FRAMES = 3
#: The level of digital silence.
SILENT_DB = -120.0


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A file. Levels are in decibels of full scale, over all channels."""

    file: Path
    format: str  # mp3, or the extension of what it is
    kbit: float | None  # per second, of an mp3
    constant: bool | None  # whether all frames of an mp3 have the same bit rate
    rate_hz: int
    channels: int
    seconds: float
    chapters: int  # marks of an mp4
    rms_db: float
    peak_db: float
    floor_db: float
    head_seconds: float
    tail_seconds: float

    def to_json(self) -> dict[str, Any]:
        """The values as JSON, with the name of the file."""
        return {**asdict(self), "file": self.file.name}


def measure_file(path: Path) -> Measured:
    """Measure a sound file, part by part.

    Raises:
        AudioError: it is missing, no sound or damaged.
        BadInputError, MissingProgramError: ffmpeg, which its format needs, cannot decode it or is not installed.
        UnreachableError: the disk is full.
    """
    check_file(path)
    form = format_of(path)
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as work:
        meter = _meter(path, Path(work))
    if not meter.frames:
        raise BadInputError(f"{path} contains no sound", "check that it plays, or create it again")
    rates = bit_rates(path) if form is MP3 or form is None else Counter[int]()
    head, tail = meter.ends()
    return Measured(
        file=path,
        format=_format(path, form, is_mp3=bool(rates)),
        kbit=round(sum(kbit * count for kbit, count in rates.items()) / sum(rates.values()), 1) if rates else None,
        constant=len(rates) == 1 if rates else None,
        rate_hz=meter.rate_hz,
        channels=meter.channels,
        seconds=round(meter.frames / meter.rate_hz, 3),
        chapters=_chapters(path) if form is MP4 else 0,
        rms_db=_decibels(meter.energy / meter.frames),
        peak_db=_decibels(meter.peak**2),
        floor_db=meter.floor_db(),
        head_seconds=round(head, 2),
        tail_seconds=round(tail, 2),
    )


class Meter:
    """Measures sound in blocks: the level of each frame of 20 ms is all that is kept of it."""

    def __init__(self, rate_hz: int, channels: int) -> None:
        self.rate_hz, self.channels = rate_hz, channels
        self.frames, self.energy, self.peak = 0, 0.0, 0.0
        self._powers: list[npt.NDArray[np.float32]] = []
        self._rest = np.zeros(0, np.float32)
        self._size = max(1, round(FRAME_SECONDS * rate_hz))

    def add(self, block: Samples) -> None:
        """The next samples, (frames, channels)."""
        power = np.square(block).mean(axis=1)
        self.frames += len(power)
        self.energy += float(power.sum(dtype=np.float64))
        self.peak = max(self.peak, float(np.abs(block).max(initial=0.0)))
        size = self._size
        power = np.concatenate((self._rest, power))
        whole = len(power) - len(power) % size
        self._powers.append(power[:whole].reshape(-1, size).mean(axis=1))
        self._rest = power[whole:]

    def join(self, other: "Meter") -> None:
        """What another one has measured of the sound that follows."""
        self.frames, self.energy = self.frames + other.frames, self.energy + other.energy
        self.peak = max(self.peak, other.peak)
        self._powers += other._powers

    def floor_db(self) -> float:
        """The level of the quietest half second."""
        powers = np.concatenate(self._powers)
        window = min(round(FLOOR_SECONDS / FRAME_SECONDS), len(powers))
        if not window:
            return _decibels(self.energy / self.frames)
        # Sums of all before would lose the quiet ones behind hours of loud ones.
        return _decibels(float(np.convolve(powers, np.full(window, 1 / window), "valid").min()))

    def ends(self) -> tuple[float, float]:
        """Seconds of silence before the first word, and behind the last one; without words, all of it."""
        powers = np.concatenate(self._powers)
        with np.errstate(divide="ignore"):
            levels = np.maximum(10 * np.log10(powers.astype(np.float64)), SILENT_DB)
        if not len(levels):
            return 0.0, 0.0
        speech = levels >= max(speech_threshold_dbfs(levels), SILENT_DB + 1)
        runs = np.convolve(speech, np.ones(_SPEECH_FRAMES, int), "valid") == _SPEECH_FRAMES
        starts = np.flatnonzero(runs)
        seconds = self.frames / self.rate_hz
        if not len(starts):
            return seconds, seconds
        frame = self._size / self.rate_hz
        return starts[0] * frame, max(0.0, seconds - (starts[-1] + _SPEECH_FRAMES) * frame)


def _meter(path: Path, work: Path) -> Meter:
    def use(file: "soundfile.SoundFile") -> Meter:
        meter = Meter(file.samplerate, file.channels)
        for block in blocks(path, file):
            check_block(path, block, meter.frames, meter.rate_hz)
            meter.add(block)
        return meter

    def join(begins: Sequence[int]) -> Meter:
        with split(path, begins, work) as pieces:
            first, *others = (_meter(piece, work) for piece in pieces)
        for other in others:
            first.join(other)
        return first

    def decode(form: SoundFormat) -> Path:
        decoded = work / f"{path.stem}.decoded.flac"
        decode_long(path, form, decoded, mono=False)
        return decoded

    return read_whole(path, use, join, decode)


def _format(path: Path, form: SoundFormat | None, *, is_mp3: bool) -> str:
    """The format of a file by its content; its extension, where several are of one format, unless that says mp3."""
    if is_mp3:
        return MP3.demuxer
    extension = path.suffix.lower().removeprefix(".")
    if form is None or form is MP3:  # other layers of MPEG
        return "mpeg"
    return form.demuxer if extension == MP3.demuxer else extension


def _chapters(path: Path) -> int:
    with suppress(DamagedFileError):
        marks = read_chapter_marks(path)
        return max(len(marks.nero), len(marks.quicktime))
    return 0


def _decibels(power: float) -> float:
    return round(max(SILENT_DB, float(10 * np.log10(power))), 2) if power > 0 else SILENT_DB
