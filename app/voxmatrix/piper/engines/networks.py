"""The networks of exported voices, on the CPU or a GPU, and what they need for a sentence. Imports no torch."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError
from voxmatrix.inference.session import open_session
from voxmatrix.models.device import CPU, FoundGpu
from voxmatrix.piper.engines.base import Frames, SynthesisOptions
from voxmatrix.piper.engines.chunking import ChunkedDecoder
from voxmatrix.piper.engines.inputs import sentence_inputs, sentence_noise
from voxmatrix.piper.onnx.parts import NOISE, NOISE_PER_ID, ModelPart

_REMEDY = "set `threads=1`, split long sentences (. ! ?), or use a smaller voice"


class OnnxSession(Protocol):
    """A session of onnxruntime, or what computes like one."""

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> Sequence[Samples]:
        """The outputs of these names."""


class Network(NamedTuple):
    """A network, and a decoder that retries when out of memory."""

    session: OnnxSession
    part: ModelPart
    chunked: ChunkedDecoder
    step: int = 1  # inputs whose length is a multiple of it are faster

    def run(self, inputs: Mapping[str, Any]) -> Samples:
        """The output for these inputs, which may be more than the network has."""
        return self._outputs([self.part.output], inputs)[0]

    def run_timed(self, inputs: Mapping[str, Any]) -> tuple[Samples, Frames]:
        """`run`, and the frames of each id."""
        output, *frames = self._outputs([name for name in (self.part.output, self.part.frames) if name], inputs)
        return output, lambda: frames[0] if frames else None

    def _outputs(self, names: Sequence[str], inputs: Mapping[str, Any]) -> Sequence[Samples]:
        return self.session.run(names, {name: value for name, value in inputs.items() if name in self.part.inputs})


def on_cpu(path: Path, part: ModelPart, least: int = 1, *, optimised: bool = False, threads: int = 1) -> Network:
    """Open a part of the voice in `path`, in segments of at least `least` positions when out of memory."""
    session = open_session(path, part.model, optimised=optimised, threads=threads, weights=part.weights)
    return Network(session, part, ChunkedDecoder(least, str(CPU), _REMEDY))


def on_gpu(path: Path, part: ModelPart, gpu: FoundGpu, least: int = 1, *, optimised: bool = False) -> Network:
    """`on_cpu` on a GPU."""
    from voxmatrix.inference.provider import open_gpu_session

    session = open_gpu_session(gpu, path, part.model, optimised=optimised)
    return Network(session, part, ChunkedDecoder(least, str(gpu), f"set `device=cpu`, or {_REMEDY}"))


def all_inputs(
    ids: Sequence[int],
    options: SynthesisOptions,
    seed: "int | np.random.Generator | None",
    noise_per_id: int = NOISE_PER_ID,
) -> dict[str, Any]:
    """The inputs for one sentence, of Piper and the noise."""
    return sentence_inputs(ids, options) | {NOISE: sentence_noise(len(ids), seed, noise_per_id)}


@contextmanager
def voice_errors(path: Path) -> Iterator[None]:
    """Convert errors of onnxruntime."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise BadInputError(
            f"the voice {path} cannot speak this sentence: {str(error).strip().splitlines()[0]}",
            "check that its JSON matches (num_symbols, phoneme_id_map), or download the voice again",
        ) from error
