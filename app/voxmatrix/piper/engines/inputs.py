"""The inputs of Piper's networks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError
from voxmatrix.piper.engines.base import SynthesisOptions

INPUTS = frozenset({"input", "input_lengths", "scales"})
SPEAKER_INPUT = "sid"
#: Enough for 2.7 frames per id (usual are two), so that a sentence has no noise twice unless it is spoken very slowly.
_NOISE_PER_ID = 512


def sentence_inputs(ids: Sequence[int], options: SynthesisOptions) -> dict[str, Any]:
    """Piper's inputs for one sentence. A network may have only some of them."""
    return {
        "input": np.array([ids], dtype=np.int64),
        "input_lengths": np.array([len(ids)], dtype=np.int64),
        "scales": np.array([options.noise, options.length, options.noise_w], dtype=np.float32),
        SPEAKER_INPUT: np.array([options.speaker], dtype=np.int64),
    }


def sentence_noise(ids: int, seed: int | np.random.Generator | None) -> Samples:
    """The standard normal numbers for one sentence, the same for all engines on all devices (`onnx.model_split`)."""
    return np.random.default_rng(seed).standard_normal(ids * _NOISE_PER_ID, dtype=np.float32)


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
