"""What must hold before a fast voice is kept: it says the same, at the same pitch, as long, and as clean."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from voxmatrix.audio.pitch import Pitch, pitch
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.audio.waves import Samples
from voxmatrix.progress import OnProgress
from voxmatrix.tables.quality import HOP

#: Of voiced frames, at most this far from the original, in cents, at least in this share.
CENTS, MIN_F0_ACCURACY = 50.0, 0.95
MAX_HARMONICITY_LOST = 0.02
MAX_MEL_DISTANCE = 0.25
MAX_WORD_ERRORS_ADDED = 0.02
#: How much louder silence may be, in dB, and below which level nobody hears it.
MAX_SILENCE_DB, INAUDIBLE_DB = 3.0, -70.0
#: How much more lines at multiples of the spectra's rate may stand out than in the original, in dB.
MAX_LINE_DB = 3.0
_QUIETEST_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One condition that a fast voice must meet, with its value and its limit."""

    name: str
    value: float
    wanted: str
    ok: bool

    def to_json(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {"name": self.name, "value": round(self.value, 4), "wanted": self.wanted, "ok": self.ok}


@dataclass(frozen=True)
class Pair:
    """A sentence that was not learned from, spoken by both voices with the same noise."""

    text: str
    original: Samples
    fast: Samples


def check_acceptance(pairs: Sequence[Pair], rate_hz: int, fourier_hop: int) -> list[Gate]:
    """All conditions but the words: see `check_words`."""
    lengths = [abs(len(pair.original) - len(pair.fast)) for pair in pairs]
    gates = [at_most("largest difference in length, in samples", float(max(lengths)), 0)]
    pairs = [Pair(pair.text, *_cut(pair.original, pair.fast)) for pair in pairs]
    both = [(pitch(pair.original, rate_hz), pitch(pair.fast, rate_hz)) for pair in pairs]
    gates += _pitch_gates(both)
    gates.append(at_most("distance of mel bands", _mel_distance(pairs, rate_hz), MAX_MEL_DISTANCE))
    gates.append(_silence(pairs))
    gates.append(_lines(pairs, fourier_hop))
    return gates


def f0_accuracy_of(both: Sequence[tuple[Pitch, Pitch]]) -> float | None:
    """The share of the original's voiced frames at whose pitch the fast voice is; None if no frame is voiced.

    A frame that became unvoiced has no pitch, and is not in tune.
    """
    original, fast = (np.concatenate([pair[which].hz for pair in both]) for which in (0, 1))
    voiced = (original > 0) & (fast > 0)
    near = 1200 * np.abs(np.log2(fast[voiced] / original[voiced])) <= CENTS
    return float(near.sum() / (original > 0).sum()) if original.any() else None


def _pitch_gates(both: Sequence[tuple[Pitch, Pitch]]) -> list[Gate]:
    f0_accuracy = f0_accuracy_of(both)
    if f0_accuracy is None:
        return [Gate(name="voiced frames", value=0.0, wanted="some", ok=False)]
    voiced = np.concatenate([original.voiced for original, _ in both])
    original, fast = (np.concatenate([pair[which].harmonicity for pair in both])[voiced].mean() for which in (0, 1))
    return [
        Gate(
            name=f"voiced frames within {CENTS:.0f} cents",
            value=f0_accuracy,
            wanted=f"at least {MIN_F0_ACCURACY}",
            ok=f0_accuracy >= MIN_F0_ACCURACY,
        ),
        at_most("loss of harmonicity", float(original - fast), MAX_HARMONICITY_LOST),
    ]


def _mel_distance(pairs: Sequence[Pair], rate_hz: int) -> float:
    spectrum = _spectrum(rate_hz)
    with torch.inference_mode():
        distances = [
            float((_mel(spectrum, pair.original) - _mel(spectrum, pair.fast)).abs().mean())
            for pair in pairs
            if len(pair.original) > 4 * HOP
        ]
    return float(np.mean(distances)) if distances else float("inf")


@cache
def _spectrum(rate_hz: int) -> Spectrum:
    return Spectrum(rate_hz)


def _mel(spectrum: Spectrum, samples: Samples) -> torch.Tensor:
    return spectrum.mel(spectrum.linear(torch.from_numpy(samples)[None]))


def _silence(pairs: Sequence[Pair]) -> Gate:
    """The level where the original is quietest: pauses, and before the first and after the last word."""
    quiet_original, quiet_fast = [], []
    for pair in pairs:
        original, fast = _levels(pair.original), _levels(pair.fast)
        quietest = original <= np.quantile(original, _QUIETEST_SHARE)
        quiet_original.append(original[quietest])
        quiet_fast.append(fast[quietest])
    before, after = (10 * np.log10(np.concatenate(one).mean() + 1e-12) for one in (quiet_original, quiet_fast))
    added = float(max(after, INAUDIBLE_DB) - max(before, INAUDIBLE_DB))
    return at_most("silence louder, in dB", added, MAX_SILENCE_DB)


def _levels(samples: Samples) -> Samples:
    """Mean squares of blocks of 20 ms or so."""
    blocks = samples[: len(samples) // (2 * HOP) * (2 * HOP)].reshape(-1, 2 * HOP)
    return np.square(blocks).mean(1) if len(blocks) else np.zeros(1, np.float32)


def _lines(pairs: Sequence[Pair], hop: int) -> Gate:
    """How much more the multiples of the spectra's rate stand out: the joins of the overlapping windows."""
    original, fast = (_standing_out([getattr(pair, voice) for pair in pairs], hop) for voice in ("original", "fast"))
    return at_most(f"lines at every {hop} samples more prominent, in dB", fast - original, MAX_LINE_DB)


def _standing_out(waves: Iterable[Samples], hop: int) -> float:
    """Mean level at the multiples of 1 / hop, above the level around them, in dB."""
    length = hop * 64
    windows = [wave[: len(wave) // length * length].reshape(-1, length) for wave in waves]
    frames = np.concatenate(windows)
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(length), axis=1))).mean(0)
    lines = np.arange(64, len(power) - 8, 64)
    around = np.array([[power[line + step] for step in (-6, -5, -4, 4, 5, 6)] for line in lines]).mean(1)
    return float(10 * np.log10((power[lines] + 1e-9) / (around + 1e-9)).mean())


def check_words(
    pairs: Sequence[Pair], rate_hz: int, recognise: Callable[[Samples, int], str], progress: OnProgress
) -> Gate:
    """The words of both voices that are not recognised.

    Which ones is chance in part, since pocketsphinx misses a third of those of a natural voice: of 330 words, 0.03 more
    or fewer with other noise. So the sentences should be spoken several times.
    """
    wrong = {"original": 0, "fast": 0}
    words = 0
    for number, pair in enumerate(pairs, 1):
        expected = spoken_words(pair.text)
        words += len(expected)
        for voice in wrong:
            wrong[voice] += edits(expected, spoken_words(recognise(getattr(pair, voice), rate_hz)))
        progress(number, len(pairs))
    return at_most("word errors added", (wrong["fast"] - wrong["original"]) / max(1, words), MAX_WORD_ERRORS_ADDED)


def spoken_words(text: str) -> list[str]:
    """The words of a text, in lower case, without punctuation."""
    kept = "".join(character if character.isalpha() or character == "'" else " " for character in text.lower())
    return kept.split()


def edits(expected: Sequence[str], transcript: Sequence[str]) -> int:
    """The least number of words to change, remove or insert (Levenshtein)."""
    row = list(range(len(transcript) + 1))
    for number, word in enumerate(expected, 1):
        last = row
        row = [number]
        for place, (diagonal, above) in enumerate(pairwise(last)):
            row.append(min(diagonal + (word != transcript[place]), above + 1, row[-1] + 1))
    return row[-1]


def failed(gates: Iterable[Gate]) -> list[Gate]:
    """Those that do not hold."""
    return [gate for gate in gates if not gate.ok]


def at_most(name: str, value: float, most: float) -> Gate:
    """A condition on a number that must not be larger."""
    return Gate(name=name, value=value, wanted=f"at most {most:g}", ok=value <= most)


def _cut(*waves: Samples) -> tuple[Samples, ...]:
    length = min(map(len, waves))
    return tuple(wave[:length] for wave in waves)
