"""Recordings of 2.5 to 10 s, joined from samples/en, and their preparation."""

import random
import shutil
import time
from typing import Any

import numpy as np
import soundfile

from tools.gpu.check import ROOT, Check

_CLIPS, _FEW = 160, 24
_PAUSE_SECONDS = 0.2


def measure(check: Check) -> dict[str, Any]:
    """Write them, and prepare them as a training does."""
    samples = ROOT / "samples" / "en"
    lines = (samples / "metadata.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|") for line in lines if line]
    sounds = {row[0]: soundfile.read(next(samples.rglob(f"{row[0]}.flac")), dtype="int16") for row in rows}
    shutil.rmtree(check.data, ignore_errors=True)
    check.data.mkdir(parents=True)
    dice, texts, seconds = random.Random(1), [], 0.0
    for number in range(_FEW if check.cpu else _CLIPS):
        chosen = dice.sample(rows, 1 + number % 4)
        rate = sounds[chosen[0][0]][1]
        pause = np.zeros(int(_PAUSE_SECONDS * rate), np.int16)
        wave = np.concatenate([part for row in chosen for part in (sounds[row[0]][0], pause)])
        seconds += len(wave) / rate
        soundfile.write(check.data / f"clip{number:04}.wav", wave, rate)
        texts.append(f"clip{number:04}|" + " ".join(row[1] for row in chosen))
    (check.data / "metadata.csv").write_text("\n".join(texts) + "\n", encoding="utf-8")
    began = time.monotonic()
    prepared = check.prepared()
    return {
        "clips": len(prepared.clips),
        "seconds": round(seconds, 1),
        "prepare_seconds": round(time.monotonic() - began, 2),
        "problems": len(prepared.problems),
    }
