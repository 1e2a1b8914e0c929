"""A stand-in for faster-whisper, for commands of a server: it knows the bundled recordings by their samples."""

import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

SAMPLES = Path(__file__).parents[4] / "samples" / "en"
ROWS = [row.split("|") for row in (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()[:6]]
#: Of these, it is not sure.
UNSURE = {ROWS[1][1]: -1.0, ROWS[3][1]: -0.7}
_POINTS = 2**18


class Part(NamedTuple):
    text: str
    avg_logprob: float
    compression_ratio: float = 1.2
    tokens: tuple[int, ...] = (1, 2)


#: Clips that are heard without a file that allows more.
AT_ONCE = 2


class WhisperModel:
    supported_languages = ("en",)

    def __init__(self, model: str, **settings: object) -> None:
        sounds = {text: soundfile.read(SAMPLES / "wavs" / f"{name}.flac")[0] for name, text in ROWS}
        self._spectra = {text: np.fft.rfft(x / np.linalg.norm(x), _POINTS) for text, x in sounds.items()}

    def transcribe(self, wave: np.ndarray, **settings: object) -> tuple[list[Part], None]:
        """A byte more in the file `VOXMATRIX_TEST_HEARD`, then the words; of later clips when a file `.go` is there."""
        if heard := os.environ.get("VOXMATRIX_TEST_HEARD"):
            with Path(heard).open("ab") as file:
                file.write(b".")
            while Path(heard).stat().st_size > AT_ONCE and not Path(heard).with_suffix(".go").exists():
                time.sleep(0.05)
        spectrum = np.fft.rfft(wave, _POINTS)
        alike = {text: np.fft.irfft(spectrum * one.conj()).max() for text, one in self._spectra.items()}
        text = max(alike, key=alike.__getitem__)
        return [Part(text, UNSURE.get(text, -0.1))], None
