"""Spoken samples during a training, and images of their spectrograms."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from torch import Tensor

from voxmatrix.dataset.prepared import Clip
from voxmatrix.files import replacing
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.monitor.metrics import TensorBoard
from voxmatrix.train.step.step import Networks

_SEED = 1
#: An untrained voice may produce extremely long speech: samples are cut to this length.
_MAX_SECONDS = 15


@dataclass(frozen=True, kw_only=True)
class SampleSpeaker:
    """Speaks the text of one clip, always with the same noise."""

    clip: Clip
    batch: Batch  # of this single clip, on the device
    rate_hz: int
    folder: Path

    def __call__(self, networks: Networks, step: int, board: TensorBoard) -> Path:
        """Write a sample and its image, to files and to TensorBoard; returns the path of the sample."""
        wave = self._speak(networks)
        spectrum = networks.spectrum
        with torch.no_grad():
            spoken = spectrum.mel(spectrum.linear(wave.unsqueeze(0)))[0].cpu().numpy()
            recorded = spectrum.mel(spectrum.linear(self.batch.wave))[0].cpu().numpy()
        samples = wave.cpu()
        path = self.folder / f"step-{step:09d}.wav"
        pixels = picture(spoken, recorded, f"step {step}, clip {self.clip.id!a}")
        with replacing(path) as file:
            soundfile.write(file, samples.numpy(), self.rate_hz, format="WAV", subtype="PCM_16")
        with replacing(path.with_suffix(".png")) as file:
            file.write(_png(pixels))
        board.sound("spoken", samples, self.rate_hz, step)
        board.picture("mel", pixels, step)
        return path

    def _speak(self, networks: Networks) -> Tensor:
        torch.manual_seed(_SEED)
        networks.generator.eval()
        try:
            with torch.no_grad():
                wave = networks.generator.infer(self.batch.text, self.batch.text_lengths, speaker=self.batch.speaker)
        finally:
            networks.generator.train()
        return wave[0, 0, : _MAX_SECONDS * self.rate_hz].float()


def picture(spoken: Any, recorded: Any, title: str) -> Any:
    """An image of two log-mels (80, f), one above the other -> uint8 (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    lowest, highest = float(recorded.min()), float(recorded.max())
    for row, (name, mel) in enumerate((("spoken", spoken), ("recorded", recorded))):
        axes = figure.add_subplot(2, 1, row + 1)
        axes.imshow(mel, origin="lower", aspect="auto", vmin=lowest, vmax=highest)
        axes.set_ylabel(f"{name}\nmel band")
    axes.set_xlabel("frame")
    figure.suptitle(title, parse_math=False)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _png(pixels: Any) -> bytes:
    from io import BytesIO

    from matplotlib.image import imsave

    file = BytesIO()
    imsave(file, pixels, format="png")
    return file.getvalue()
