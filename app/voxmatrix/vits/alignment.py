"""Monotonic alignment search (Kim et al. 2020): the most likely assignment of frames to symbols, both in order."""

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from voxmatrix.audio.spectrum import without_autocast

#: The score of forbidden positions.
_FORBIDDEN = -1e9
#: Frames in a block, and blocks in a tree of frames: a power of two each, so that a size of batch is whole trees.
_BLOCK, _TREE = 8, 8


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
    """The same path, computed on the device of the scores with few kernels: blocks of frames at once.

    Sums are added in another order than on the CPU, so of two paths that differ by rounding it may take the other one.
    """
    f, t = scores.shape[1:]
    values = functional.pad(scores.float() * mask, (0, 0, 0, -f % (_BLOCK * _TREE)))  # (b, whole trees of blocks, t)
    values[:, 0, 1:] = _FORBIDDEN  # the path starts at the first symbol
    symbols = _backtrack(_moves(_totals(values)), mask)[:f]  # (f, b)
    path = symbols.transpose(0, 1).unsqueeze(-1) == torch.arange(t, device=scores.device)
    return (path & (mask > 0)).to(scores.dtype)


def _totals(scores: Tensor) -> Tensor:
    """Best sum of scores from the start to each position: (b, f, t) -> (f, b, t + 1); column 0 is forbidden.

    First the best sums of all blocks through all of their frames, for each number of symbols that a path moves on in
    them; with these, the sums at the end of one block after the other; and then those of the frames in all blocks.
    """
    b, _, t = scores.shape
    blocks = scores.transpose(0, 1).view(-1, _BLOCK, b, t)
    n = blocks.size(0)
    # The last dimension is the number of moves, from _BLOCK down to 0, and a column that is forbidden.
    through = scores.new_full((n, b, t + 1, _BLOCK + 2), _FORBIDDEN)
    through[..., 1:, _BLOCK] = 0.0
    stay, move = through[..., 1:, :-1], through[..., :-1, 1:]
    for frame in range(_BLOCK):
        torch.add(torch.maximum(stay, move), blocks[:, frame].unsqueeze(-1), out=stay)
    ends = scores.new_full((n + 1, b, _BLOCK + t), _FORBIDDEN)  # of the block before; the first columns are no symbols
    ends[0, :, _BLOCK] = 0.0
    before, after = ends.unfold(-1, _BLOCK + 1, 1).unbind(), ends[..., _BLOCK:].unbind()
    for block, sums in enumerate(stay.unbind()):
        torch.amax(before[block] + sums, -1, out=after[block + 1])
    totals = scores.new_full((n, _BLOCK, b, t + 1), _FORBIDDEN)
    totals[..., 1:] = blocks
    last = ends[:-1, :, _BLOCK - 1 :]
    for frame in range(_BLOCK):
        totals[:, frame, :, 1:].add_(torch.maximum(last[..., 1:], last[..., :-1]))
        last = totals[:, frame]
    return totals.flatten(0, 1)


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

    One step back maps symbols to symbols. The maps of two neighbours are composed, and again of two of these, up to
    trees of frames; the symbols at the ends of the trees follow one after the other, and those inside all at once.
    """
    f, b, t = moves.shape
    n_symbols, n_frames = mask.sum(2).amax(1), mask.sum(1).amax(1)  # (b,)
    real = torch.arange(f, device=moves.device).unsqueeze(-1) < n_frames
    maps = torch.arange(t, device=moves.device) - (moves & real.unsqueeze(-1)).long()  # (f, b, t)
    levels = [maps.view(-1, _BLOCK * _TREE, b, t)]
    while levels[-1].size(1) > 1:
        levels.append(levels[-1][:, 0::2].gather(3, levels[-1][:, 1::2]))
    ends = [(n_symbols.long() - 1).clamp_min(0).view(b, 1)]
    for tree in levels.pop().squeeze(1).flip(0)[:-1].unbind():
        ends.append(tree.gather(1, ends[-1]))
    symbols = torch.stack(ends[::-1]).unsqueeze(1)  # (trees, 1, b, 1), those of the last frames
    for level in reversed(levels):
        symbols = torch.stack([level[:, 1::2].gather(3, symbols), symbols], 2).flatten(1, 2)
    return symbols.view(f, b)
