"""How well the voice says what it has not learned from: the same clips, segments and noise every time."""

from collections.abc import Sequence

import torch

from app.train.batches import Batch, ClipDataset, Collate
from app.train.step import Autocast, Networks, mel_distance, step_seed

#: Few clips are heard several times, each time in other segments, so that the figure does not jump.
_SEGMENTS = 32


def validation_batches(dataset: ClipDataset, collate: Collate, batch_size: int, device: torch.device) -> list[Batch]:
    """All clips of the dataset, in their order, on the device."""
    indices = range(len(dataset))
    groups = [indices[at : at + batch_size] for at in range(0, len(indices), batch_size)]
    return [collate([dataset[index] for index in group]).to(device) for group in groups]


def validation_mel(networks: Networks, batches: Sequence[Batch], autocast: Autocast, seed: int) -> float:
    """Mean distance of log-mels over all batches. Waits for the device."""
    clips = sum(batch.clips for batch in batches)
    passes = max(1, _SEGMENTS // clips)
    networks.generator.eval()
    try:
        with torch.no_grad():
            total = sum(
                _distance(networks, batch, autocast, step_seed(seed, -1 - turn, number))
                for turn in range(passes)
                for number, batch in enumerate(batches)
            )
    finally:
        networks.generator.train()
    return total / (clips * passes)


def _distance(networks: Networks, batch: Batch, autocast: Autocast, seed: int) -> float:
    torch.manual_seed(seed)
    spec = networks.spectrum.linear(batch.wave)
    with autocast():
        out = networks.generator(batch.text, batch.text_lengths, spec, batch.frames, batch.speaker)
    return float(mel_distance(networks, batch, spec, out)) * batch.clips
