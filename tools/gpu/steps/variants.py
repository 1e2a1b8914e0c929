"""Training steps on synthetic batches: sizes, precisions, CUDA graphs, and the parts of a step."""

import gc
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch

from tools.gpu.check import Check, attempt
from tools.gpu.measuring import seconds_of, wait
from voxmatrix.tables.quality import HOP, SEGMENT_FRAMES, quality
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.device import autocast
from voxmatrix.train.step.step import Networks, make_optimisers, take_step
from voxmatrix.vits.alignment import best_path

#: Phonemes with the blanks between them.
_SYMBOLS_A_SECOND = 30
_CLIP_NORM = 1000.0


class Synthetic(NamedTuple):
    """Networks, a batch of noise, and a step on it."""

    networks: Networks
    batch: Batch
    step: Callable[[], Any]


def synthetic(check: Check, clips: int, seconds: float, precision: Any, name: str | None = None) -> Synthetic:
    """A training of the quality `name` on clips of that length."""
    device, row = torch.device(check.device), quality(name or check.quality)
    torch.set_float32_matmul_precision("high")
    networks = synthetic_networks(row, device)
    optimisers = make_optimisers(networks, row.learning_rate, device, half=False)
    samples, symbols = int(seconds * row.rate_hz), int(seconds * _SYMBOLS_A_SECOND)
    batch = synthetic_batch(clips, samples, symbols).to(device)
    step = partial(
        take_step, networks, optimisers, [batch], autocast=partial(autocast, device, precision), clip_norm=_CLIP_NORM
    )
    return Synthetic(networks, batch, lambda: step(seeds=[1]))


def measure(check: Check) -> dict[str, Any]:
    """Each variant on its own: one that fails loses only itself."""
    found: dict[str, Any] = {}
    if check.cpu:
        return {"fp32, 2 clips of 1 s": attempt(partial(_plain, check, 2, 1.0, "fp32"))}
    for clips in (32, 8, 64, 128):
        found[f"bf16, {clips} clips of 6 s"] = attempt(partial(_plain, check, clips, 6.0, "bf16"))
        _free()
    found["fp32, 32 clips of 6 s"] = attempt(partial(_plain, check, 32, 6.0, "fp32"))
    _free()
    for name in ("alignment", "durations", "text", "posterior", "flow", "decoder"):
        found[f"part: {name}"] = attempt(partial(_part, check, name))
        _free()
    return found


def _plain(check: Check, clips: int, seconds: float, precision: str) -> dict[str, Any]:
    one = synthetic(check, clips, seconds, precision)
    took = seconds_of(one.step, warm=1 if check.cpu else 4, count=1 if check.cpu else 10)
    losses = one.step()
    return {
        "step_ms": round(1000 * took, 2),
        "clips_per_second": round(clips / took, 1),
        "peak_reserved_mib": 0 if check.cpu else torch.cuda.max_memory_reserved() >> 20,
        "is_finite": math.isfinite(float(sum(losses.values()))),
    }


def _part(check: Check, name: str, clips: int = 32, seconds: float = 6.0) -> dict[str, Any]:
    """Forward and backward of one network, in bf16: its time, and that of the host alone."""
    networks, batch, _ = synthetic(check, clips, seconds, "bf16")
    generator, device, row = networks.generator, torch.device(check.device), quality(check.quality)
    frames, symbols = batch.wave.size(1) // HOP, batch.text.size(1)
    frame_mask, text_mask = (torch.ones(clips, 1, length, device=device) for length in (frames, symbols))
    durations = torch.full((clips, 1, symbols), float(max(1, frames // symbols)), device=device)
    hidden = torch.randn(clips, row.hidden_channels, symbols, device=device)
    latent = torch.randn(clips, row.inter_channels, frames, device=device, requires_grad=True)
    scores = torch.randn(clips, frames, symbols, device=device)
    works: dict[str, Callable[[], torch.Tensor]] = {
        "text": lambda: generator.enc_p(batch.text, batch.text_lengths)[1],
        "posterior": lambda: generator.enc_q(networks.spectrum.linear(batch.wave)[..., :frames], frame_mask, None)[0],
        "flow": lambda: generator.flow(latent, frame_mask, None),
        "durations": lambda: generator.dp(hidden, text_mask, durations, None),
        "decoder": lambda: generator.dec(latent[..., :SEGMENT_FRAMES], None),
        "alignment": lambda: best_path(scores, torch.ones_like(scores)),
    }

    def once() -> None:
        with autocast(device, "bf16"):
            out = works[name]()
        if out.requires_grad:
            torch.autograd.backward(out.float().sum())

    took = seconds_of(once, warm=3, count=8)
    began = time.perf_counter()
    for _ in range(8):
        once()
    host = (time.perf_counter() - began) / 8
    wait()
    return {"ms": round(1000 * took, 2), "host_ms": round(1000 * host, 2)}


def _free() -> None:
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
