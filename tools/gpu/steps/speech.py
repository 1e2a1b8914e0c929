"""Speech of a checkpoint: latency, equality with the CPU, many texts, and a GPU that is lost amid a sentence."""

import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tools.gpu.check import TEXTS, VOXMATRIX, Check
from tools.gpu.programs import run
from voxmatrix.machine.detect import detect
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice
from voxmatrix.piper.engines.base import Engine, SynthesisOptions
from voxmatrix.piper.voice import open_piper_voice

_LENGTHS = (60, 180, 400)
#: A launch that fails on the GPU itself, in the second sentence.
_LOSE = """
import sys, torch
from voxmatrix_entrypoint import patches
patches.install()
import voxmatrix.vits.decoders.hifigan as hifigan
forward, calls = hifigan.Generator.forward, 0
def lose(self, z, speaker=None, mask=None):
    global calls
    calls += z.is_cuda
    if z.is_cuda and calls == 2:
        torch.zeros(4, device="cuda")[torch.tensor([10**6], device="cuda")]
        torch.cuda.synchronize()
    return forward(self, z, speaker, mask)
hifigan.Generator.forward = lose
from voxmatrix_entrypoint.launch import launch
sys.exit(launch(sys.argv[1:]))
"""


def measure(check: Check) -> dict[str, Any]:
    """The engine in this process, then the command."""
    voice = check.trained()
    machine = detect()[0]
    device = CPU if check.cpu else SpeakDevice(on=FoundGpu(gpu=machine.gpus[0], machine=machine), required=True)
    began = time.perf_counter()
    opened = open_piper_voice(voice, device=device)
    engine, rate = opened.engine, opened.config.rate_hz
    found: dict[str, Any] = {"open_seconds": round(time.perf_counter() - began, 2)}
    dice = random.Random(2)
    for symbols in _LENGTHS:
        ids = [1, *(dice.randrange(3, 60) for _ in range(symbols)), 2]
        found[f"{symbols} symbols"] = _latency(engine, ids, rate, 3 if check.cpu else 25)
    if check.cpu:
        return found
    here, there = (_wave(open_piper_voice(voice, device=one).engine, ids, 5) for one in (CPU, device))
    found["samples_cpu_and_gpu"] = [len(here), len(there)]
    if len(here) == len(there):
        found["largest_difference_from_cpu"] = float(np.abs(here - there).max())
    return {**found, "batch_command": _batch(check, voice), **_lost(check, voice)}


def _wave(engine: Engine, ids: list[int], seed: int | None = None) -> Any:
    return np.concatenate([part() for part in engine.begin(ids, SynthesisOptions(), seed).segments])


def _latency(engine: Engine, ids: list[int], rate: int, count: int) -> dict[str, Any]:
    seconds, lengths = [], []
    for _ in range(count):
        began = time.perf_counter()
        wave = _wave(engine, ids)
        seconds.append(time.perf_counter() - began)
        lengths.append(len(wave) / rate)
    warm = slice(2, None)
    return {
        "audio_seconds": round(statistics.mean(lengths[warm]), 2),
        "median_ms": round(1000 * statistics.median(seconds[warm]), 2),
        "most_ms": round(1000 * max(seconds[warm]), 2),
        "times_real_time": round(sum(lengths[warm]) / sum(seconds[warm]), 1),
    }


def _batch(check: Check, voice: Path) -> dict[str, Any]:
    texts = check.work / "texts.txt"
    texts.write_text("\n".join(TEXTS * 60), encoding="utf-8")
    options = ["--voice", str(voice), "--out", str(check.work / "spoken"), "--device", check.device, "--json"]
    done = run([*VOXMATRIX, "speak", "--batch", str(texts), *options, "--force"], 60)
    return {**done.about(), "json": done.json}


def _lost(check: Check, voice: Path) -> dict[str, Any]:
    found = {}
    for name, options in (("auto", ()), ("required", ("--device", check.device))):
        out = check.work / f"lost-{name}.wav"
        words = ["speak", "--voice", str(voice), "--text", " ".join(TEXTS * 2), "--out", str(out), "--force", *options]
        done = run([sys.executable, "-c", _LOSE, *words], 60)
        size = out.stat().st_size if out.is_file() else 0
        found[f"gpu_lost_{name}"] = {**done.about(700), "wav_bytes": size}
    return found
