"""Which places of a padded batch are real, and cutting windows out of it.

Letters of this package: b batch, c channels, t text symbols, f spectrum frames, n samples of the wave.
"""

import torch
from torch import Tensor


def places(size: int | Tensor, device: torch.device) -> Tensor:
    """0, 1, .. size - 1: (size,). A tensor as size stays a variable in an ONNX graph."""
    return torch.arange(size, device=device)  # type: ignore[arg-type]


def sequence_mask(lengths: Tensor, size: int | Tensor) -> Tensor:
    """1.0 for real places, 0.0 for padding: lengths (b,) -> (b, 1, size)."""
    return (places(size, lengths.device) < lengths.unsqueeze(-1)).unsqueeze(1).float()


def cut(sequence: Tensor, start: Tensor, size: int) -> Tensor:
    """A window of `size` places from each row, by one gather: (b, c, f), (b,) -> (b, c, size)."""
    window = start.unsqueeze(-1) + places(size, start.device)  # (b, size)
    return sequence.gather(2, window.unsqueeze(1).expand(-1, sequence.size(1), -1))


def random_starts(lengths: Tensor, size: int) -> Tensor:
    """Where a random window of `size` places begins in each row, whole inside the row when the row is long enough."""
    choices = (lengths - size + 1).clamp_min(1)
    return (torch.rand(lengths.shape, device=lengths.device) * choices).long().minimum(choices - 1)
