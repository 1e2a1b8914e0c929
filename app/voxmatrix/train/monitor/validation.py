"""Evaluate how well the voice reconstructs the validation clips, with the same segments and noise every time.

Only the posterior encoder and the decoder are used: the mel distance depends on them alone, and skipping text,
alignment and durations makes it ten times cheaper.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from voxmatrix.tables.quality import HOP, SEGMENT_FRAMES, SEGMENT_SAMPLES
from voxmatrix.train.data.batches import Batch, ClipDataset, Collate
from voxmatrix.train.step.step import Autocast, Networks, step_seed
from voxmatrix.vits.layers.masks import cut, sequence_mask

#: Total number of segments: of few clips, more segments each are used, for a stable result.
_SEGMENTS = 32


def validation_batches(dataset: ClipDataset, collate: Collate, batch_size: int, device: torch.device) -> list[Batch]:
    """All clips of the dataset in order, in batches on the device."""
    indices = range(len(dataset))
    groups = [indices[at : at + batch_size] for at in range(0, len(indices), batch_size)]
    return [collate([dataset[index] for index in group]).to(device) for group in groups]


def validation_mel(networks: Networks, batches: Sequence[Batch], autocast: Autocast, seed: int) -> float:
    """Mean absolute difference of the log-mels of reconstructed and recorded segments. Waits for the device."""
    clips = sum(batch.size.clips for batch in batches)
    segments = max(2, _SEGMENTS // clips)
    networks.generator.eval()
    try:
        with torch.no_grad():
            sums = [
                _mel(networks, batch, segments, autocast, step_seed(seed, -1, number)) * batch.size.clips
                for number, batch in enumerate(batches)
            ]
    finally:
        networks.generator.train()
    return float(torch.stack(sums).sum()) / clips


def _mel(networks: Networks, batch: Batch, segments: int, autocast: Autocast, seed: int) -> Tensor:
    torch.manual_seed(seed)
    generator, spectrum = networks.generator, networks.spectrum
    spec = spectrum.linear(batch.wave)
    speaker = None if batch.speaker is None else generator.emb_g(batch.speaker).unsqueeze(-1)
    with autocast():
        z, _, _ = generator.enc_q(spec, sequence_mask(batch.frames, spec.size(2)), speaker)
    distances = []
    for number in range(segments):  # evenly spaced from the start of each clip to its end
        start = ((batch.frames - SEGMENT_FRAMES).clamp_min(0) * number) // (segments - 1)
        with autocast():
            wave = generator.dec(cut(z, start, SEGMENT_FRAMES), speaker)
        recorded = cut(batch.wave.unsqueeze(1), start * HOP, SEGMENT_SAMPLES)
        distances.append(nn.functional.l1_loss(_log_mel(networks, wave), _log_mel(networks, recorded)))
    return torch.stack(distances).mean()


def _log_mel(networks: Networks, wave: Tensor) -> Tensor:
    return networks.spectrum.mel(networks.spectrum.linear(wave.squeeze(1)))  # (b, 1, n) -> (b, 80, f)
