"""Windows cut out of the material at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from voxmatrix.audio.waves import INT16_MAX
from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.tables.quality import HOP


@dataclass(frozen=True)
class Windows:
    """A batch: b windows of w frames, and in each the n frames whose samples depend on nothing outside of it."""

    latent: Tensor  # (b, c, w)
    wave: Tensor  # (b, n * HOP)
    speaker: Tensor | None  # (b, s, 1)
    offset: Tensor  # (b,) the first of the n frames in its window

    def inside(self, made: Tensor) -> Tensor:
        """The n frames' samples out of those of the windows: (b, 1, w * HOP) -> (b, n * HOP)."""
        length = self.wave.size(1)
        places = self.offset.unsqueeze(1) * HOP + torch.arange(length, device=made.device)
        return made.squeeze(1).gather(1, places)


class Sampler:
    """Draws windows, from long utterances more often than from short ones. A step always gets the same windows."""

    def __init__(self, material: Sequence[CorpusSentence], frames: int, margin: int, device: torch.device) -> None:
        """Windows have `frames` frames and, where the utterance continues, `margin` more on either side.

        Raises:
            ValueError: no utterance is that long.
        """
        self._length = frames + 2 * margin
        self._frames, self._margin, self._device = frames, margin, device
        self._material = [one for one in material if one.frames >= self._length]
        if not self._material:
            raise ValueError(f"no sentence has {self._length} frames")
        lengths = np.array([one.frames for one in self._material], dtype=np.float64)
        self._chances = lengths / lengths.sum()

    def draw(self, count: int, step: int) -> Windows:
        """The windows of a step."""
        random = np.random.default_rng((0x5EED, step))
        chosen = random.choice(len(self._material), count, p=self._chances)
        cut = [self._cut(self._material[index], random) for index in chosen]
        latent, samples, speaker, offset = (self._tensor(np.stack(each)) for each in zip(*cut, strict=True))
        return Windows(
            latent=latent.float(),
            wave=samples.float() / INT16_MAX,
            speaker=speaker.float().unsqueeze(-1) if speaker.numel() else None,
            offset=offset,
        )

    def _cut(self, one: CorpusSentence, random: np.random.Generator) -> tuple[Any, ...]:
        begin = int(random.integers(0, one.frames - self._frames + 1))
        start = min(max(begin - self._margin, 0), one.frames - self._length)
        samples = one.samples[begin * HOP : (begin + self._frames) * HOP]
        return one.latent[:, start : start + self._length], samples, one.speaker, np.int64(begin - start)

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        """The array on the device. A GPU copies it while the host goes on, which needs pinned memory."""
        tensor = torch.from_numpy(array)
        return tensor.pin_memory().to(self._device, non_blocking=True) if self._device.type == "cuda" else tensor
