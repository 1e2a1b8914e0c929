"""Whether a voice has learned to speak: the sounds of a voice that has not are all alike."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.text.symbols import to_ids
from voxmatrix.vits.synthesizer import Synthesizer

#: The least of `sound_changes`. Voices that speak have 0.9 to 1.1, noise has 0.3, and 2 to 80 steps after random
#: weights there is 0.03 to 0.13 (tiny, fast_x_low, medium): docs/inside/measured-by-hand.md.
LEAST_CHANGES = 0.4
#: So many of the words that were heard at the last validation wrong are not speech either.
MOST_WRONG = 0.9
_SYMBOLS, _WORD, _SEEDS = 40, 7, (0, 1, 2)


def doubt(
    generator: Synthesizer, id_map: Mapping[str, Sequence[int]], rate_hz: int, progress: Mapping[str, Any]
) -> str:
    """Why a voice cannot be said to speak, in words; "" if it can.

    `progress` is that of the checkpoint, as far as it has one: an exported voice speaks as its checkpoint does.
    """
    wrong = progress.get("words_wrong")
    changes = sound_changes(generator, id_map, rate_hz)
    if not changes >= LEAST_CHANGES:
        return f"its sounds are all alike ({changes:.2f}, those of speech differ by 0.9 to 1.1)"
    if wrong is not None and wrong >= MOST_WRONG:
        return f"{wrong:.0%} of its words were not heard at the last validation".replace("%", " %")
    return ""


def sound_changes(generator: Synthesizer, id_map: Mapping[str, Sequence[int]], rate_hz: int) -> float:
    """How much the spectrum changes its shape while a voice speaks letters in a random order, without noise.

    The standard deviation over time of the log-mel (80, f) less its mean over the bands, as a mean of the bands.
    A whole sentence is not needed, nor a program that pronounces it, and louder or softer noise is no change.
    """
    spectrum, several = Spectrum(rate_hz), hasattr(generator, "emb_g")
    speaker = torch.tensor([0]) if several else None
    found = []
    with torch.no_grad():
        for seed in _SEEDS:
            ids = _letters(id_map, seed)
            wave = generator.infer(torch.tensor([ids]), torch.tensor([len(ids)]), 0.0, 1.0, 0.0, speaker)
            mel = spectrum.mel(spectrum.linear(wave[0]))[0]
            found.append(float((mel - mel.mean(0, keepdim=True)).std(1).mean()))
    return float(np.mean(found))


def _letters(id_map: Mapping[str, Sequence[int]], seed: int) -> list[int]:
    """Ids of letters in a random order, in words of some; of a voice without letters, of its symbols."""
    single = [symbol for symbol in id_map if len(symbol) == 1]
    letters = [symbol for symbol in single if symbol.isalpha() and symbol.isascii()]
    choice = letters or [symbol for symbol in single if symbol.isalpha()] or single
    symbols = list(np.random.default_rng(seed).choice(choice, _SYMBOLS))
    if " " in id_map:
        symbols[_WORD - 1 :: _WORD] = [" "] * len(symbols[_WORD - 1 :: _WORD])
    ids, _ = to_ids(symbols, id_map)
    return list(ids)
