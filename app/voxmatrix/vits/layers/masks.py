"""Masks of padded batches, and windows cut out of them."""

import torch
from torch import Tensor


def positions(size: int | Tensor, device: torch.device) -> Tensor:
    """0, 1, …, size - 1: (size,). A size given as a tensor stays variable in an ONNX graph."""
    return torch.arange(size, device=device)  # type: ignore[arg-type]


def longest(lengths: Tensor) -> int | Tensor:
    """The largest length, read from the device; during an export to ONNX, a tensor, so that it stays variable."""
    size = lengths.max()
    return size if torch.onnx.is_in_onnx_export() else int(size)


def sequence_mask(lengths: Tensor, size: int | Tensor) -> Tensor:
    """1.0 for valid positions, 0.0 for padding: lengths (b,) -> (b, 1, size)."""
    return (positions(size, lengths.device) < lengths.unsqueeze(-1)).unsqueeze(1).float()


def cut(sequence: Tensor, start: Tensor, size: int) -> Tensor:
    """A window of `size` positions from each row, in one gather: (b, c, f), (b,) -> (b, c, size)."""
    window = start.unsqueeze(-1) + positions(size, start.device)  # (b, size)
    return sequence.gather(2, window.unsqueeze(1).expand(-1, sequence.size(1), -1))


def random_starts(lengths: Tensor, size: int) -> Tensor:
    """Random starts of windows of `size` positions, each inside its row if the row is long enough: (b,) -> (b,)."""
    choices = (lengths - size + 1).clamp_min(1)
    return (torch.rand(lengths.shape, device=lengths.device) * choices).long().minimum(choices - 1)
