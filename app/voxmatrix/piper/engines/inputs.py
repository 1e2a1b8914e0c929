"""The inputs of Piper's networks."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.onnx.parts import NOISE_PER_ID

INPUTS = frozenset({"input", "input_lengths", "scales"})
SPEAKER_INPUT = "sid"
#: Up to so many numbers cost less than to import numpy.random, which takes 12 ms and 7 MiB.
_FEW = 4096


def sentence_inputs(ids: Sequence[int], options: SynthesisOptions) -> dict[str, Any]:
    """Piper's inputs for one sentence. A network may have only some of them."""
    return {
        "input": np.array([ids], dtype=np.int64),
        "input_lengths": np.array([len(ids)], dtype=np.int64),
        "scales": np.array([options.noise, options.length, options.noise_w], dtype=np.float32),
        SPEAKER_INPUT: np.array([options.speaker], dtype=np.int64),
    }


def sentence_noise(ids: int, seed: "int | np.random.Generator | None", per_id: int = NOISE_PER_ID) -> Samples:
    """The standard normal numbers for one sentence, the same for all engines on all devices (`onnx.model_split`).

    Fewer `per_id` are the first of them. Without a seed, they are any.
    """
    if seed is None and ids * per_id <= _FEW:
        source = random.Random()  # of its own: threads that share one may draw the same numbers
        return np.array([source.gauss(0, 1) for _ in range(ids * per_id)], np.float32)
    return np.random.default_rng(seed).standard_normal(ids * per_id, dtype=np.float32)


def check_inputs(path: Path, inputs: frozenset[str], num_speakers: int) -> None:
    """Check the inputs of a network.

    Raises:
        BadInputError: they are not those of Piper, or do not match the voice config.
    """
    if inputs - {SPEAKER_INPUT} != INPUTS:
        raise BadInputError(
            f"{path} is not a Piper voice: its inputs are {', '.join(sorted(inputs)) or 'none'}",
            "use an ONNX file written by `voxmatrix export voice` or by Piper",
        )
    if (SPEAKER_INPUT in inputs) != (num_speakers > 1):
        raise BadInputError(
            f"{path} and its JSON do not match: num_speakers is {num_speakers} in the JSON, "
            f"and the network has {'several speakers' if SPEAKER_INPUT in inputs else 'one speaker'}",
            "download both files of the voice again",
        )
