"""Recordings of hours, read part by part: memory holds a few minutes of them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from voxmatrix.audio.checks import AudioError, check_block, check_complete, check_file, unreadable
from voxmatrix.audio.ffmpeg import decode_long
from voxmatrix.audio.formats import SoundFormat
from voxmatrix.audio.load import CANCELLED, FLOATING, RATES_HZ, blocks, full_scale
from voxmatrix.audio.pieces import header_frames, split
from voxmatrix.audio.reader_version import READER_VERSION
from voxmatrix.audio.waves import Samples
from voxmatrix.audio.whole import read_whole
from voxmatrix.files import content_digest, replacing_path

if TYPE_CHECKING:
    import soundfile

_AGAIN = "record or copy it again"
#: Formats of libsndfile whose samples are not the same after a seek.
_COMPRESSED = ("MPEG", "MP3", "OGG")
#: FLAC has higher ones, but not all.
_MAX_JOINED_HZ = 192_000


class LongRecording:
    """A recording, or the first sound of a video, as mono samples at its own rate."""

    rate_hz: int
    frames: int

    def __init__(self, path: Path, work: Path) -> None:
        """Open and survey a file. What cannot be read at any place is decoded into the folder `work`, once.

        Raises:
            AudioError: the file is missing, empty, not audio, truncated or damaged, or contains NaN or infinity.
            BadInputError: ffmpeg cannot decode it.
            MissingProgramError: its format needs ffmpeg, which is not installed.
            UnreachableError: the disk is full.
        """
        check_file(path)
        self.path = path
        #: Of what is kept of it.
        self.key = f"{content_digest(path)[:16]}-{READER_VERSION}"
        self._decoded = work / f"{self.key}.flac"
        self._file = self._open()

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.frames / self.rate_hz

    def read(self, start: float, end: float) -> Samples:
        """The samples from `start` to `end`, in seconds."""
        first = round(start * self.rate_hz)
        self._file.seek(first)
        return self._mono(self._file.read(round(end * self.rate_hz) - first, dtype="float32", always_2d=True))

    def resampled(self, rate_hz: int) -> Iterator[Samples]:
        """All samples in blocks of some seconds, at another rate."""
        import soxr

        stream = soxr.ResampleStream(self.rate_hz, rate_hz, 1, dtype="float32")
        self._file.seek(0)
        for block in blocks(self.path, self._file):
            yield stream.resample_chunk(self._mono(block))
        yield stream.resample_chunk(np.zeros(0, np.float32), last=True)

    def _open(self) -> "soundfile.SoundFile":
        import soundfile

        if self._decoded.exists():
            with suppress(AudioError, soundfile.LibsndfileError):  # damaged: it is decoded again
                return self._surveyed(self._decoded)
        found = read_whole(self.path, self._use, self._join, self._decode)
        if found == self.path:
            self._decoded.unlink(missing_ok=True)  # a second opinion that had no more
            return soundfile.SoundFile(found)
        return self._surveyed(found)

    def _surveyed(self, path: Path) -> "soundfile.SoundFile":
        import soundfile

        file = soundfile.SoundFile(path)
        self._survey(file)
        return file

    def _use(self, file: "soundfile.SoundFile") -> Path:
        """The file itself, surveyed, if it can be read at any place; else what it is decoded to."""
        if file.name == str(self._decoded):
            return self._decoded
        if file.format not in _COMPRESSED:
            self._survey(file)
            return self.path
        frames = self._write(blocks(self.path, file), file.samplerate, file.channels)
        check_complete(self.path, file, frames, header_frames(self.path, file))
        return self._decoded

    def _join(self, begins: Sequence[int]) -> Path:
        """The pieces one after the other, at the sample rate of the first."""
        with split(self.path, begins, self._decoded.parent) as pieces:
            first = LongRecording(next(pieces), self._decoded.parent)
            rate_hz = min(first.rate_hz, _MAX_JOINED_HZ)
            self._write(self._joined(first, pieces, rate_hz), rate_hz, 1)
        return self._decoded

    def _joined(self, first: "LongRecording", others: Iterator[Path], rate_hz: int) -> Iterator[Samples]:
        yield from first.resampled(rate_hz)
        for piece in others:
            yield from LongRecording(piece, piece.parent).resampled(rate_hz)

    def _decode(self, form: SoundFormat) -> Path:
        decode_long(self.path, form, self._decoded)
        return self._decoded

    def _write(self, found: Iterable[Samples], rate_hz: int, channels: int) -> int:
        """Write blocks of samples to the decoded file, and count their frames."""
        import soundfile

        frames = 0
        with (
            replacing_path(self._decoded) as beside,
            soundfile.SoundFile(beside, "w", rate_hz, channels, "PCM_24", format="FLAC") as out,
        ):
            for block in found:
                check_block(self.path, block if block.ndim > 1 else block[:, None], frames, rate_hz)
                out.write(block)
                frames += len(block)
        return frames

    def _survey(self, file: "soundfile.SoundFile") -> None:
        """Learn how many frames there really are, and the one channel to take where their mean cancels them out."""
        self.rate_hz = file.samplerate
        if self.rate_hz not in RATES_HZ:
            raise unreadable(self.path, f"its header has a sample rate of {self.rate_hz} Hz", _AGAIN)
        self._scale = full_scale(self.path, file) if file.subtype in FLOATING else 1.0
        frames, energies = 0, np.zeros(file.channels + 1)
        for block in blocks(self.path, file):
            check_block(self.path, block, frames, self.rate_hz)
            frames += len(block)
            mean = block.mean(axis=1)
            energies += [*np.einsum("fc,fc->c", block, block), mean @ mean]
        check_complete(self.path, file, frames, header_frames(self.path, file))
        cancelled = energies[-1] < CANCELLED * energies[:-1].mean()
        self.frames, self._channel = frames, int(energies[:-1].argmax()) if cancelled else None

    def _mono(self, block: Samples) -> Samples:
        mono: Samples = block.mean(axis=1) if self._channel is None else block[:, self._channel]
        return mono if self._scale == 1.0 else mono / np.float32(self._scale)
