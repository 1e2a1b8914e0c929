"""The engine of exported voices: onnxruntime, in segments where the network can be split. Imports no torch."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.speak.device import CPU, FoundGpu, SpeakDevice, Warn, python_warning
from voxmatrix.speak.engines.base import Engine, PendingSamples, SynthesisOptions
from voxmatrix.speak.engines.chunking import ChunkedDecoder, SentenceLength, segments
from voxmatrix.speak.engines.fallback import WithCpuFallback
from voxmatrix.speak.engines.provider import open_gpu_session
from voxmatrix.speak.engines.session import OUTPUT, check_inputs, damaged, open_session, sentence_inputs
from voxmatrix.speak.onnx.model_split import ModelPart, SplitModel, split_model, whole_model
from voxmatrix.speak.onnx.noise_input import NOISE

#: Longer sentences are computed in segments. Segments of this length stay in the cache of a CPU from layer to layer,
#: which saves more time than computing their overlap costs (measured: medium, 4096 to 65536 samples).
SEGMENT_SAMPLES = 12288
#: On a GPU, segments only cost time; this limit bounds its memory.
GPU_SEGMENT_SAMPLES = 1 << 19
#: The shortest segments when out of memory.
LEAST_SAMPLES = 1024
_FRAME_SAMPLES = 256
#: Enough for 2.7 frames per id (usual are two), so that a sentence has no noise twice unless it is spoken very slowly.
_NOISE_PER_ID = 512
#: The first half with fewer multiplications is tried on a sentence of so many ids. Rounding makes differences of 1e-5
#: of the largest value.
_TRIED_IDS, _TOLERANCE = 24, 1e-3
_REMEDY = "set --threads 1, split long sentences (. ! ?), or use a smaller voice"


def open_onnx(
    path: Path,
    num_speakers: int,
    seed: int | None = None,
    *,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
    many: bool = False,
) -> Engine:
    """Open the voice in `path`. The engine is thread-safe. `many`: see `open_voice`.

    Raises:
        BadInputError: the file is not a Piper voice, or not the one that the voice config describes.
        DamagedFileError: the file is truncated or not an ONNX file.
        NoDeviceError: onnxruntime cannot use the required device.
    """
    path = path.resolve()  # weights are next to the file itself, not next to a symbolic link to it
    with _file_errors(path):
        split = split_model(path)
    if split is not None:
        check_inputs(path, split.inputs, frozenset({split.second.output}), num_speakers)
        with suppress(DamagedFileError):  # if the whole model cannot be loaded either, that error is raised below
            return SplitModelEngine(path, split, seed, device=device, warn=warn, many=many)
    return WholeModelEngine(path, num_speakers, seed, device=device, warn=warn)


class _Session(NamedTuple):
    """An onnxruntime session, and a decoder that retries when out of memory."""

    network: Any
    chunked: ChunkedDecoder


class WholeModelEngine:
    """A voice whose network cannot be split. Sentences are computed in parallel, each as a whole."""

    def __init__(
        self,
        path: Path,
        num_speakers: int,
        seed: int | None = None,
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
    ) -> None:
        self._path = path
        self._random = np.random.default_rng(seed)
        with _file_errors(path):
            whole, inputs = whole_model(path)
        self._inputs = whole.inputs
        check_inputs(path, inputs, frozenset({whole.output}), num_speakers)
        self._session = WithCpuFallback(device, partial(_on_gpu, path, whole), partial(_on_cpu, path, whole), warn)

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """The whole sentence as one segment."""
        inputs = _of(sentence_inputs(ids, options) | _noise(self._random, len(ids)), self._inputs)
        return [partial(self._speak, inputs, SentenceLength(len(ids)))]

    def reseed(self, seed: int) -> None:
        """Speak the next sentences as if opened with this seed."""
        self._random = np.random.default_rng(seed)

    def _speak(self, inputs: Mapping[str, Any], size: SentenceLength) -> Samples:
        with _voice_errors(self._path):
            return self._session.do(
                lambda session: session.chunked.whole(lambda: _run(session.network, OUTPUT, inputs), size)
            ).reshape(-1)


class SplitModelEngine:
    """A voice split into two halves: the first runs as a whole, the second in segments, in parallel.

    The second half, which is nearly all of the work, runs on the GPU. The first stays on the CPU: the lengths of its
    tensors depend on the data, which is slow on GPUs and impossible with DirectML, and seeds then give the same speech
    on every device.
    """

    def __init__(
        self,
        path: Path,
        split: SplitModel,
        seed: int | None = None,
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
        many: bool = False,
    ) -> None:
        self._path = path
        self._split = split
        self._random = np.random.default_rng(seed)
        half, least = split.second, LEAST_SAMPLES // split.receptive_field.hop
        self._first = _with_fewer_multiplications(path, split) if many else _on_cpu(path, split.first)
        self._second = WithCpuFallback(
            device,
            partial(_on_gpu, path, half, least=least, optimised=split.has_planes),
            lambda: _on_cpu(path, _in_phases(path, split) if many else half, least=least, optimised=split.has_planes),
            warn,
        )

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """Run the first half. Each segment runs the second half on a part of its output."""
        inputs = sentence_inputs(ids, options) | _noise(self._random, len(ids))
        run = partial(_run, self._first.network, self._split.between, _of(inputs, self._split.first.inputs))
        with _voice_errors(self._path):
            between = self._first.chunked.whole(run, SentenceLength(len(ids)))
        most = SEGMENT_SAMPLES if self._second.device.on is None else GPU_SEGMENT_SAMPLES
        hop = self._split.receptive_field.hop
        size = SentenceLength(len(ids), between.shape[-1] * hop // _FRAME_SAMPLES)
        bounds = segments(between.shape[-1], most // hop)
        return [partial(self._segment, inputs, between, size, start, end) for start, end in bounds]

    def reseed(self, seed: int) -> None:
        """Speak the next sentences as if opened with this seed. Nothing in the second half is random."""
        self._random = np.random.default_rng(seed)

    def _segment(
        self, inputs: Mapping[str, Any], between: Samples, size: SentenceLength, start: int, end: int
    ) -> Samples:
        def speak(session: _Session) -> Samples:
            decode = partial(self._decode, session.network, inputs, between)
            return session.chunked.decode(decode, start, end, size)

        with _voice_errors(self._path):
            return self._second.do(speak)

    def _decode(self, network: Any, inputs: Mapping[str, Any], between: Samples, start: int, end: int) -> Samples:
        """The samples of between[start:end], which also depend on the positions around them."""
        receptive_field = self._split.receptive_field
        first, last = max(0, start - receptive_field.margin), min(between.shape[-1], end + receptive_field.margin)
        segment = between[..., None, first:last] if self._split.as_conv2d else between[..., first:last]
        second_inputs = _of(inputs, self._split.second.inputs) | {self._split.between: segment}
        samples = _run(network, self._split.second.output, second_inputs).reshape(-1)
        return samples[(start - first) * receptive_field.hop : (end - first) * receptive_field.hop]


def _with_fewer_multiplications(path: Path, split: SplitModel) -> _Session:
    """The first half with other nodes; as it is, if it has none to replace, or then computes otherwise."""
    from voxmatrix.speak.onnx.minimal_filtering import with_fewer_multiplications

    given, faster = _on_cpu(path, split.first), with_fewer_multiplications(split.first, path)
    if faster is None:
        return given
    noise = _noise(np.random.default_rng(0), _TRIED_IDS)
    inputs = sentence_inputs([0] * _TRIED_IDS, SynthesisOptions()) | noise
    with suppress(BadInputError, DamagedFileError), _voice_errors(path):  # the nodes do not fit together
        session = _on_cpu(path, faster)
        wanted, made = (_run(one.network, split.between, _of(inputs, split.first.inputs)) for one in (given, session))
        if wanted.shape == made.shape and np.abs(made - wanted).max() <= _TOLERANCE * np.abs(wanted).max():
            return session
    return given


def _in_phases(path: Path, split: SplitModel) -> ModelPart:
    """The second half with a faster last convolution; as it is, if it has none."""
    from voxmatrix.speak.onnx.last_convolution import PHASES, with_phases

    fits = split.has_planes and not split.receptive_field.hop % PHASES
    return (with_phases(split.second, path) if fits else None) or split.second


def _on_cpu(path: Path, part: ModelPart, least: int = 1, *, optimised: bool = False) -> _Session:
    network = open_session(path, part.model, optimised=optimised)
    return _Session(network, ChunkedDecoder(least, str(CPU), _REMEDY))


def _on_gpu(path: Path, part: ModelPart, gpu: FoundGpu, least: int = 1, *, optimised: bool = False) -> _Session:
    network = open_gpu_session(gpu, path, part.model, optimised=optimised)
    return _Session(network, ChunkedDecoder(least, str(gpu), f"set --device cpu, or {_REMEDY}"))


def _noise(random: np.random.Generator, ids: int) -> dict[str, Samples]:
    return {NOISE: random.standard_normal(ids * _NOISE_PER_ID, dtype=np.float32)}


def _of(inputs: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name in names}


def _run(network: Any, output: str, inputs: Mapping[str, Any]) -> Samples:
    result: Samples = network.run([output], inputs)[0]
    return result


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Convert errors of reading the graph."""
    try:
        yield
    except (ValueError, OSError, RecursionError) as error:
        raise damaged(path, str(error)) from error


@contextmanager
def _voice_errors(path: Path) -> Iterator[None]:
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
