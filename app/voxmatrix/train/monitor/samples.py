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
    """Speaks the text of one clip, or a text of one's own, always with the same noise."""

    clip: Clip
    batch: Batch  # of this single clip, on the device
    rate_hz: int
    folder: Path
    own: tuple[Tensor, ...] = ()  # the sentences of that text, ids (t,) each, on the device

    def __call__(self, networks: Networks, step: int, board: TensorBoard) -> Path:
        """Write a sample and its image, to files and to TensorBoard; returns the path of the sample."""
        wave = self._speak(networks)
        spectrum = networks.spectrum
        with torch.no_grad():
            mel = spectrum.mel(spectrum.linear(wave.unsqueeze(0)))[0].cpu().numpy()
            recorded = None if self.own else spectrum.mel(spectrum.linear(self.batch.wave))[0].cpu().numpy()
        samples = wave.cpu()
        path = self.folder / f"step-{step:09d}.wav"
        pixels = picture(mel, recorded, f"step {step}" if self.own else f"step {step}, clip {self.clip.id!a}")
        with replacing(path) as file:
            soundfile.write(file, samples.numpy(), self.rate_hz, format="WAV", subtype="PCM_16")
        with replacing(path.with_suffix(".png")) as file:
            file.write(_png(pixels))
        board.sound("spoken", samples, self.rate_hz, step)
        board.picture("mel", pixels, step)
        return path

    def _speak(self, networks: Networks) -> Tensor:
        rows = [*self.own] or [first_text(self.batch)]
        waves = [spoken(networks, ids, self.batch.speaker, self.rate_hz) for ids in rows]
        return torch.cat(waves)[: _MAX_SECONDS * self.rate_hz]


def first_text(batch: Batch) -> Tensor:
    """The ids of the first clip of a batch without their padding, (t,)."""
    return batch.text[0, : batch.symbols_each[0]]


def spoken(networks: Networks, ids: Tensor, speaker: Tensor | None, rate_hz: int) -> Tensor:
    """The speech of ids (t,) with the noise of a fixed seed -> (n,), of 15 s at most."""
    torch.manual_seed(_SEED)
    networks.generator.eval()
    lengths = torch.tensor([len(ids)], device=ids.device)
    try:
        with torch.no_grad():
            wave = networks.generator.infer(ids.unsqueeze(0), lengths, speaker=speaker)
    finally:
        networks.generator.train()
    return wave[0, 0, : _MAX_SECONDS * rate_hz].float()


def picture(spoken: Any, recorded: Any | None, title: str) -> Any:
    """An image of log-mels (80, f), one above the other -> uint8 (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    reference = spoken if recorded is None else recorded
    lowest, highest = float(reference.min()), float(reference.max())
    shown = [("spoken", spoken)] + ([] if recorded is None else [("recorded", recorded)])
    for row, (name, mel) in enumerate(shown):
        axes = figure.add_subplot(len(shown), 1, row + 1)
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
