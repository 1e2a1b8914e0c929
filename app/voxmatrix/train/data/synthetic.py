"""Untrained networks and batches of noise, for measuring the memory and speed of a training."""

from pathlib import Path

import torch

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.dataset.prepared import Clip
from voxmatrix.tables.quality import Quality
from voxmatrix.text.symbols import NUM_SYMBOLS
from voxmatrix.train.data.batches import Batch, Collate
from voxmatrix.train.step.step import Networks
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.synthesizer import Synthesizer

#: Ids below this are valid in every symbol table.
_IDS = 100


def synthetic_networks(row: Quality, device: torch.device, speakers: int = 1) -> Networks:
    """Networks of a quality with untrained weights."""
    torch.manual_seed(1)
    return Networks(
        generator=Synthesizer(row, NUM_SYMBOLS, speakers).to(device),
        discriminator=MultiPeriodDiscriminator(row.discriminator_divisor).to(device),
        spectrum=Spectrum(row.rate_hz).to(device),
    )


def synthetic_batch(clips: int, samples: int, symbols: int, speakers: int = 1) -> Batch:
    """A batch of `clips` clips, each with `samples` samples of noise and `symbols` random symbols."""
    random = torch.Generator().manual_seed(1)
    names = [str(number) for number in range(speakers)] if speakers > 1 else []
    items = []
    for number in range(clips):
        ids = tuple(torch.randint(1, _IDS, (symbols,), generator=random).tolist())
        speaker = names[number % speakers] if names else None
        clip = Clip(id=f"clip {number}", speaker=speaker, text="", ids=ids, samples=samples, path=Path())
        items.append((clip, 0.1 * torch.randn(samples, generator=random)))
    return Collate(names)(items)
