"""Recordings of hours, read part by part: memory holds a few minutes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.checks import check_block, check_complete, check_file, is_text, unreadable
from voxmatrix.audio.ffmpeg import decode_long
from voxmatrix.audio.load import CANCELLED, FLOATING, RATES_HZ, blocks, full_scale
from voxmatrix.audio.waves import Samples
from voxmatrix.files import content_digest

_START_BYTES = 200
_AGAIN = "record or copy it again"
#: Formats of libsndfile whose samples are not the same after a seek.
_COMPRESSED = ("MPEG", "MP3", "OGG")


class LongRecording:
    """A recording, or the first sound of a video, as mono samples at its own rate."""

    def __init__(self, path: Path, work: Path) -> None:
        """Open and survey a file. What libsndfile cannot read at any place is decoded into the folder `work`, once.

        Raises:
            AudioError: the file is missing, empty, not audio, truncated or damaged, or contains NaN or infinity.
            BadInputError: ffmpeg cannot decode it.
            MissingProgramError: its format needs ffmpeg, which is not installed.
            UnreachableError: the disk is full.
        """
        check_file(path)
        self.path = path
        self.digest = content_digest(path)[:16]
        self._file = self._open(work)
        self.rate_hz: int = self._file.samplerate
        if self.rate_hz not in RATES_HZ:
            raise unreadable(path, f"its header has a sample rate of {self.rate_hz} Hz", _AGAIN)
        self._scale = full_scale(path, self._file) if self._file.subtype in FLOATING else 1.0
        self.frames, self._channel = self._survey()

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

    def _open(self, work: Path) -> Any:
        import soundfile

        try:
            file = soundfile.SoundFile(self.path)
            if file.format not in _COMPRESSED:
                return file
            file.close()
        except (soundfile.LibsndfileError, TypeError, ValueError, RuntimeError) as error:
            with self.path.open("rb") as opened:
                if is_text(opened.read(_START_BYTES)):
                    raise unreadable(self.path, "it is a text, not a recording", "name the recording") from error
        decoded = work / f"{self.digest}.flac"
        if not decoded.exists():
            decode_long(self.path, decoded)
        return soundfile.SoundFile(decoded)

    def _survey(self) -> tuple[int, int | None]:
        """How many frames there really are, and the one channel to take where their mean cancels them out."""
        frames, energies = 0, np.zeros(self._file.channels + 1)
        self._file.seek(0)
        for block in blocks(self.path, self._file):
            check_block(self.path, block, frames, self.rate_hz)
            frames += len(block)
            mean = block.mean(axis=1)
            energies += [*np.einsum("fc,fc->c", block, block), mean @ mean]
        check_complete(self.path, self._file, frames)
        cancelled = energies[-1] < CANCELLED * energies[:-1].mean()
        return frames, int(energies[:-1].argmax()) if cancelled else None

    def _mono(self, block: Samples) -> Samples:
        mono: Samples = block.mean(axis=1) if self._channel is None else block[:, self._channel]
        return mono if self._scale == 1.0 else mono / np.float32(self._scale)
