"""Count the operations of a training step on a device, as a proxy for kernel launches. Prints one JSON object.

Tensors have no values (torch's `meta` device), so no GPU is needed and nothing is computed. Every operation that torch
computes counts as one launch, except views and allocations. A fused or foreach operation may launch several kernels,
and cuDNN and cuBLAS some more: the figures are for comparing parts and versions of the step.
"""

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from voxmatrix.tables.quality import HOP, SEGMENT_FRAMES, Quality, quality
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.step.step import gradients
from voxmatrix.vits.alignment import best_path
from voxmatrix_entrypoint import patches

DEVICE = torch.device("meta")
SECONDS, CLIPS = 6.0, 2
#: Phoneme rate of fast speech, including the blanks that Piper puts between phonemes.
SYMBOLS_A_SECOND = 30
#: Operations that only allocate or describe memory and are not marked as views.
_FREE = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "_unsafe_view", "lift_fresh"}


class Launches(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts operations that are neither views nor allocations."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count: int = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not (func.is_view or func.overloadpacket.__name__ in _FREE)
        return func(*args, **(kwargs or {}))


def launches(work: Callable[[], object]) -> int:
    """The number of launches of some work."""
    counter = Launches()
    with counter:
        work()
    return counter.count


def main() -> None:
    """Count a step of `tiny` and `medium`, its alignment search, and what each further frame costs."""
    patches.install()
    figures: dict[str, Any] = {"setting": f"one batch, clips of {SECONDS:g} s; no optimiser"}
    for name in ("tiny", "medium"):
        figures[name] = _figures(quality(name))
    print(json.dumps(figures))


def _figures(row: Quality) -> dict[str, float]:
    frames = int(SECONDS * row.rate_hz) // HOP
    symbols = int(SECONDS * SYMBOLS_A_SECOND)
    step, longer = (step_launches(row, count, symbols) for count in (frames, 2 * frames))
    search, longer_search = (search_launches(count, symbols) for count in (frames, 2 * frames))
    return {
        "frames": frames,
        "launches_of_a_step": step,
        "of_them_the_alignment_search": search,
        "share_of_the_search": round(search / step, 3),
        "search_per_frame": round((longer_search - search) / frames, 3),
        "everything_else_per_frame": round((longer - step - longer_search + search) / frames, 3),
    }


def step_launches(row: Quality, frames: int, symbols: int) -> int:
    """The launches of forward and backward over a batch."""
    networks = synthetic_networks(row, DEVICE)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    batch = synthetic_batch(CLIPS, max(frames, SEGMENT_FRAMES) * HOP, symbols).to(DEVICE)
    return launches(lambda: gradients(networks, scaler, [batch], seeds=[0], autocast=nullcontext))


def search_launches(frames: int, symbols: int) -> int:
    """The launches of the alignment search."""
    scores, mask = (torch.empty(CLIPS, frames, symbols, device=DEVICE) for _ in range(2))
    return launches(lambda: best_path(scores, mask))


if __name__ == "__main__":
    main()
