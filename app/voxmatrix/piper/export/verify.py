"""Compare an exported voice with its checkpoint in torch, without randomness."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from voxmatrix.audio.waves import Samples
from voxmatrix.inference.session import open_session
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.inputs import sentence_inputs
from voxmatrix.vits.synthesizer import Synthesizer

#: Lengths in ids of the sentences to compare, from a word to a long sentence, and the length scale of each.
SENTENCES = ((3, 1.0), (12, 0.8), (50, 1.0), (121, 1.3))
#: A duration close to an integer may be rounded differently; then another sentence is tried.
TRIES = 4


def largest_difference(generator: Synthesizer, onnx: Path, num_symbols: int, num_speakers: int) -> float:
    """The largest difference of a sample at noise 0, for the first and last speaker; infinite if lengths differ."""
    session = open_session(onnx)
    largest = 0.0
    for speaker in sorted({0, num_speakers - 1}):
        for count, length in SENTENCES:
            options = SynthesisOptions(speaker=speaker, noise=0.0, length=length, noise_w=0.0)
            largest = max(
                largest, _difference(generator, session, options, _random_sentences(count, num_symbols), num_speakers)
            )
    return largest


def _random_sentences(count: int, num_symbols: int) -> Iterator[list[int]]:
    for seed in range(TRIES):
        yield np.random.default_rng((seed, count)).integers(0, num_symbols, count).tolist()


def _difference(
    generator: Synthesizer, session: Any, options: SynthesisOptions, sentences: Iterator[list[int]], num_speakers: int
) -> float:
    for ids in sentences:
        ours = _torch_samples(generator, ids, options, num_speakers)
        inputs = sentence_inputs(ids, options)
        theirs = session.run(["output"], {value.name: inputs[value.name] for value in session.get_inputs()})[0].reshape(
            -1
        )
        if ours.shape == theirs.shape:
            difference = float(np.abs(ours - theirs).max())
            return difference if np.isfinite(difference) else float("inf")
    return float("inf")


def _torch_samples(generator: Synthesizer, ids: list[int], options: SynthesisOptions, num_speakers: int) -> Samples:
    speaker = torch.tensor([options.speaker]) if num_speakers > 1 else None
    with torch.inference_mode():
        wave = generator.infer(
            torch.tensor([ids]), torch.tensor([len(ids)]), options.noise, options.length, options.noise_w, speaker
        )
    samples: Samples = wave.reshape(-1).numpy()
    return samples
