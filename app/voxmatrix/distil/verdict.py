"""What models hear in a voice, beside the one that it was made of: its words, whose voice it is, how natural it is."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.distil.acceptance import Pair
from voxmatrix.judge.hearing import Recogniser, word_errors
from voxmatrix.judge.likeness import SpeakerEncoder
from voxmatrix.progress import OnProgress

#: Of DistilMOS.
_RATE_HZ = 16_000


@dataclass(frozen=True, kw_only=True)
class Words:
    """How many words were not heard as they are written, of so many."""

    all: int
    wrong: int
    wrong_of_original: int


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was heard; None where the package for it is not installed."""

    words: Words | None = None
    likeness: float | None = None  # to the middle of the original's sentences, 0 to 1
    naturalness: float | None = None  # by DistilMOS, 1 to 5
    naturalness_of_original: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that --json prints."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For people."""
        found = []
        if self.words:
            wrong, of_original = self.words.wrong / self.words.all, self.words.wrong_of_original / self.words.all
            found.append(f"words wrong: {wrong:.1%} (in the recordings {of_original:.1%}), of {self.words.all}")
        if self.likeness is not None:
            found.append(f"likeness to the person: {self.likeness:.2f} (of 1)")
        if self.naturalness is not None:
            found.append(
                f"naturalness: {self.naturalness:.2f} (the recordings {self.naturalness_of_original:.2f}, of 5)"
            )
        return found


def heard(
    pairs: Sequence[Pair], rate_hz: int, language: str, recogniser: Recogniser | None, progress: OnProgress
) -> Verdict:
    """Listen to sentences, each by both, with the models that are installed; `recogniser` hears words."""
    originals, made = [pair.original for pair in pairs], [pair.fast for pair in pairs]
    words = None if recogniser is None else _words(pairs, rate_hz, language, recogniser, progress)
    likeness = _likeness(originals, made, rate_hz) if pairs and find_spec("resemblyzer") else None
    rate = _distilmos() if pairs and find_spec("distillmos") else None
    return Verdict(
        words=words,
        likeness=likeness,
        naturalness=rate and _mean(rate, made, rate_hz),
        naturalness_of_original=rate and _mean(rate, originals, rate_hz),
    )


def _words(
    pairs: Sequence[Pair], rate_hz: int, language: str, recogniser: Recogniser, progress: OnProgress
) -> Words | None:
    count = wrong = wrong_of_original = 0
    for number, pair in enumerate(pairs, 1):
        by_original, words = word_errors(pair.text, recogniser.hear(pair.original, rate_hz).text, language)
        by_voice, _ = word_errors(pair.text, recogniser.hear(pair.fast, rate_hz).text, language)
        count, wrong, wrong_of_original = count + words, wrong + by_voice, wrong_of_original + by_original
        progress(number, len(pairs))
    return Words(all=count, wrong=wrong, wrong_of_original=wrong_of_original) if count else None


def _likeness(originals: Sequence[Samples], made: Sequence[Samples], rate_hz: int) -> float:
    encoder = SpeakerEncoder()
    middle = np.mean([encoder.embedding(wave, rate_hz) for wave in originals], axis=0)
    middle /= np.linalg.norm(middle)
    return float(np.mean([encoder.embedding(wave, rate_hz) @ middle for wave in made]))


def _mean(rate: Callable[[Samples], float], waves: Sequence[Samples], rate_hz: int) -> float:
    import soxr

    return float(np.mean([rate(soxr.resample(wave, rate_hz, _RATE_HZ)) for wave in waves]))


def _distilmos() -> Callable[[Samples], float]:
    import torch
    from distillmos import ConvTransformerSQAModel  # type: ignore[import-not-found]

    judge: Any = ConvTransformerSQAModel().eval()

    def rate(wave: Samples) -> float:
        with torch.inference_mode():
            return float(judge(torch.from_numpy(wave.astype(np.float32))[None]))

    return rate
