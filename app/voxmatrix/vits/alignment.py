"""Monotonic alignment search (Kim et al. 2020): the most likely assignment of frames to symbols, both in order."""

import math

import numpy as np
import torch
from torch import Tensor

from voxmatrix.audio.spectrum import without_autocast

#: The score of forbidden positions.
_FORBIDDEN = -1e9


def prior_scores(z_p: Tensor, m_p: Tensor, logs_p: Tensor) -> Tensor:
    """Log-likelihood of each frame under each symbol: (b, c, f), (b, c, t), (b, c, t) -> (b, f, t)."""
    with without_autocast(z_p):
        z_p, m_p, logs_p = z_p.float(), m_p.float(), logs_p.float()
        precision = torch.exp(-2 * logs_p)  # (b, c, t)
        own = (-0.5 * math.log(2 * math.pi) - logs_p - 0.5 * m_p.square() * precision).sum(1, keepdim=True)  # (b, 1, t)
        both = torch.cat([-0.5 * z_p.square(), z_p], 1).transpose(1, 2) @ torch.cat([precision, m_p * precision], 1)
        return own + both


@torch.no_grad()
def best_path(scores: Tensor, mask: Tensor) -> Tensor:
    """1.0 where a frame belongs to a symbol: scores (b, f, t), mask (b, f, t) -> path (b, f, t).

    Each row needs at least as many frames as symbols: every symbol gets at least one.
    """
    return _numpy_path(scores, mask) if scores.device.type == "cpu" else torch_path(scores, mask)


def _numpy_path(scores: Tensor, mask: Tensor) -> Tensor:
    """The path on a CPU, where torch's calls for every frame would cost more than the work."""
    values = (scores.float() * mask).numpy()
    b, f, t = values.shape
    best = np.full((b, t + 1), _FORBIDDEN, np.float32)  # sums from the start to each symbol; column 0 is forbidden
    best[:, 1] = values[:, 0, 0]
    moves = np.zeros((f, b, t), np.bool_)  # whether the best path to (frame, symbol) comes from the previous symbol
    for frame in range(1, f):
        stay, move = best[:, 1:], best[:, :-1]
        np.less(stay, move, out=moves[frame])
        best[:, 1:] = np.maximum(stay, move) + values[:, frame]
    diagonal = np.arange(t) == np.arange(f)[:, None]
    moves = (moves | diagonal[:, None]) & (np.arange(t) > 0)

    present, rows = mask.numpy() > 0, np.arange(b)
    n_frames, symbol = present.any(2).sum(1), present.any(1).sum(1) - 1
    path = np.zeros((b, f, t), np.bool_)
    for frame in range(f - 1, -1, -1):
        real = frame < n_frames
        path[rows, frame, symbol] = real
        symbol = symbol - (moves[frame, rows, symbol] & real)
    return torch.from_numpy(path & present).to(scores.dtype)


@torch.no_grad()
def torch_path(scores: Tensor, mask: Tensor) -> Tensor:
    """The same path, computed on the device of the scores: two small kernels per frame, then a few to backtrack."""
    moves = _moves(_totals(scores.float() * mask))
    symbols = _backtrack(moves, mask)  # (f, b)
    path = symbols.transpose(0, 1).unsqueeze(-1) == torch.arange(scores.size(2), device=scores.device)
    return (path & (mask > 0)).to(scores.dtype)


def _totals(scores: Tensor) -> Tensor:
    """Best sum of scores from the start to each position: (b, f, t) -> (f, b, t + 1); column 0 is forbidden."""
    b, f, t = scores.shape
    totals = scores.new_full((f, b, t + 1), _FORBIDDEN)
    totals[:, :, 1:] = scores.transpose(0, 1)
    totals[0, :, 2:] = _FORBIDDEN  # the path starts at the first symbol
    # All views are made at once, and each frame is changed in place: `totals[frame] += ...` would copy it as well.
    stay, move = totals[:, :, 1:].unbind(), totals[:, :, :-1].unbind()
    for frame in range(1, f):
        stay[frame].add_(torch.maximum(stay[frame - 1], move[frame - 1]))
    return totals


def _moves(totals: Tensor) -> Tensor:
    """Whether the best path to (frame, symbol) comes from the previous symbol: (f, b, t + 1) -> (f, b, t)."""
    f, _, t = totals.shape
    symbols = torch.arange(t - 1, device=totals.device)
    frames = torch.arange(f, device=totals.device).unsqueeze(-1)
    moves = torch.zeros_like(totals[..., 1:], dtype=torch.bool)
    moves[1:] = totals[:-1, :, 1:] < totals[:-1, :, :-1]
    return (moves | (symbols == frames).unsqueeze(1)) & (symbols > 0)


def _backtrack(moves: Tensor, mask: Tensor) -> Tensor:
    """Follow the moves back from each row's last frame and last symbol: (f, b, t) -> symbol of each frame (f, b).

    One step back maps symbols to symbols. The maps of consecutive frames are composed in doubling strides, which takes
    log2(frames) gathers and no loop over frames.
    """
    f, b, t = moves.shape
    n_symbols, n_frames = mask.sum(2).amax(1), mask.sum(1).amax(1)  # (b,)
    real = torch.arange(f, device=moves.device).unsqueeze(-1) < n_frames
    maps = torch.arange(t, device=moves.device) - (moves & real.unsqueeze(-1)).long()  # (f, b, t)
    stride = 1
    while stride < f:
        maps = torch.cat([maps[:-stride].gather(2, maps[stride:]), maps[-stride:]])
        stride *= 2
    last = (n_symbols.long() - 1).clamp_min(0).view(1, b, 1)
    previous = maps.gather(2, last.expand(f, -1, -1)).squeeze(-1)  # the symbol of the frame before each frame
    return torch.cat([previous[1:], last.view(1, b)])
