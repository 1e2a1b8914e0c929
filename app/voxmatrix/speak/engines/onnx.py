"""An exported voice through onnxruntime, in pieces where its network can be cut. torch is never imported here."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.speak.device import CPU, FoundGpu, SpeakDevice, Warn, python_warning
from voxmatrix.speak.engines.base import Engine, PendingSamples, SynthesisOptions
from voxmatrix.speak.engines.chunking import ChunkedDecoder, SentenceLength, pieces
from voxmatrix.speak.engines.fallback import WithCpuFallback
from voxmatrix.speak.engines.provider import open_gpu_session
from voxmatrix.speak.engines.session import OUTPUT, check_inputs, damaged, open_session, seed_sessions, sentence_inputs
from voxmatrix.speak.onnx.model_split import ModelPart, SplitModel, split_model

#: A sentence of more samples is made in pieces. So many stay in a CPU's own cache from layer to layer, which saves more
#: time than the margins cost that each piece computes beside its own (measured: medium, 4096 to 65536 samples).
PIECE_SAMPLES = 8192
#: A GPU has no such cache, and one piece after the other costs it time; this bounds its memory.
GPU_PIECE_SAMPLES = 1 << 19
#: The shortest pieces when memory runs out.
LEAST_SAMPLES = 1024
_FRAME_SAMPLES = 256
_REMEDY = "add --threads 1, end sentences sooner (. ! ?), or use a smaller voice"


def open_onnx(
    path: Path,
    num_speakers: int,
    seed: int | None = None,
    *,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
) -> Engine:
    """The engine of a voice in `path`. Any number of threads may ask it at once.

    Raises:
        BadInputError: it is no voice of Piper, or is not the one that the card describes.
        DamagedFileError: it is cut short, or is no ONNX.
        NoDeviceError: the device was demanded, and onnxruntime cannot use it.
    """
    path = path.resolve()  # weights are looked for beside the file itself, not beside a link to it
    if seed is not None:
        seed_sessions(seed)
    try:
        cut = split_model(path)
    except (ValueError, OSError, RecursionError) as error:
        raise damaged(path, str(error)) from error
    if cut is not None:
        check_inputs(path, cut.inputs, frozenset({cut.second.output}), num_speakers)
        with suppress(DamagedFileError):  # when the whole cannot be loaded either, that says so
            return SplitModelEngine(path, cut, device=device, warn=warn)
    return WholeModelEngine(path, num_speakers, seeded=seed is not None, device=device, warn=warn)


class _Session(NamedTuple):
    """A network of onnxruntime, and what is done when its memory runs out."""

    network: Any
    chunked: ChunkedDecoder


class WholeModelEngine:
    """A voice whose network cannot be cut: sentences side by side, each in one go."""

    def __init__(
        self,
        path: Path,
        num_speakers: int,
        *,
        seeded: bool = False,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
    ) -> None:
        self._path = path
        self._seeded = seeded
        self._warn = warn
        self._session = self._opened(device)
        given, made = self._session.do(lambda session: (session.network.get_inputs(), session.network.get_outputs()))
        self._inputs = frozenset(one.name for one in given)
        check_inputs(path, self._inputs, frozenset(one.name for one in made), num_speakers)

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """The whole sentence as one part."""
        speak = partial(self._speak, _of(sentence_inputs(ids, options), self._inputs), SentenceLength(len(ids)))
        if not self._seeded:
            return [speak]
        samples = speak()  # sentences begin in order, and so does what is random in them
        return [lambda: samples]

    def reseed(self, seed: int) -> None:
        """Open the session anew: only then does onnxruntime begin its randomness."""
        seed_sessions(seed)
        self._session, self._seeded = self._opened(self._session.device), True

    def _opened(self, device: SpeakDevice) -> WithCpuFallback[_Session]:
        return WithCpuFallback(device, partial(_on_gpu, self._path), partial(_on_cpu, self._path), self._warn)

    def _speak(self, inputs: Mapping[str, Any], size: SentenceLength) -> Samples:
        with _in_our_words(self._path):
            return self._session.do(
                lambda session: session.chunked.whole(lambda: _run(session.network, OUTPUT, inputs), size)
            ).reshape(-1)


class SplitModelEngine:
    """A voice in two halves: the first at once, then the second piece by piece, side by side.

    A GPU computes the second, which is nearly all the work. The first stays on the CPU: its lengths depend on what it
    finds, which GPUs are slow at and DirectML is not able to, and what is random means the same on every device.
    """

    def __init__(
        self,
        path: Path,
        cut: SplitModel,
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
    ) -> None:
        self._path = path
        self._cut = cut
        half, least = cut.second, LEAST_SAMPLES // cut.receptive_field.hop
        self._first = _on_cpu(path, cut.first)
        self._second = WithCpuFallback(
            device,
            partial(_on_gpu, path, half=half, least=least, optimised=cut.as_conv2d),
            partial(_on_cpu, path, half=half, least=least, optimised=cut.as_conv2d),
            warn,
        )

    def begin(self, ids: Sequence[int], options: SynthesisOptions) -> list[PendingSamples]:
        """Run the first half; each part runs the second over a piece of what came out."""
        inputs = sentence_inputs(ids, options)
        given = _of(inputs, self._cut.first.inputs)
        run = partial(_run, self._first.network, self._cut.between, given)
        with _in_our_words(self._path):
            between = self._first.chunked.whole(run, SentenceLength(len(ids)))
        most = PIECE_SAMPLES if self._second.device.on is None else GPU_PIECE_SAMPLES
        hop = self._cut.receptive_field.hop
        size = SentenceLength(len(ids), between.shape[-1] * hop // _FRAME_SAMPLES)
        places = pieces(between.shape[-1], most // hop)
        return [partial(self._piece, inputs, between, size, *place) for place in places]

    def reseed(self, seed: int) -> None:
        """Open the first half anew, which is the small one: nothing in the second is random."""
        seed_sessions(seed)
        self._first = _on_cpu(self._path, self._cut.first)

    def _piece(
        self, inputs: Mapping[str, Any], between: Samples, size: SentenceLength, start: int, end: int
    ) -> Samples:
        def speak(session: _Session) -> Samples:
            decode = partial(self._decode, session.network, inputs, between)
            return session.chunked.decode(decode, start, end, size)

        with _in_our_words(self._path):
            return self._second.do(speak)

    def _decode(self, network: Any, inputs: Mapping[str, Any], between: Samples, start: int, end: int) -> Samples:
        """Samples of between[start:end], which hang on the places around them."""
        receptive_field = self._cut.receptive_field
        first, last = max(0, start - receptive_field.margin), min(between.shape[-1], end + receptive_field.margin)
        piece = between[:, :, None, first:last] if self._cut.as_conv2d else between[:, :, first:last]
        given = _of(inputs, self._cut.second.inputs) | {self._cut.between: piece}
        samples = _run(network, self._cut.second.output, given).reshape(-1)
        return samples[(start - first) * receptive_field.hop : (end - first) * receptive_field.hop]


def _on_cpu(path: Path, half: ModelPart | None = None, least: int = 1, *, optimised: bool = False) -> _Session:
    network = open_session(path, half.model if half else None, optimised=optimised)
    return _Session(network, ChunkedDecoder(least, str(CPU), _REMEDY))


def _on_gpu(
    path: Path, gpu: FoundGpu, half: ModelPart | None = None, least: int = 1, *, optimised: bool = False
) -> _Session:
    network = open_gpu_session(gpu, path, half.model if half else None, optimised=optimised)
    return _Session(network, ChunkedDecoder(least, str(gpu), f"set --device cpu, or {_REMEDY}"))


def _of(inputs: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name in names}


def _run(network: Any, output: str, inputs: Mapping[str, Any]) -> Samples:
    result: Samples = network.run([output], inputs)[0]
    return result


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    """What onnxruntime says of a sentence, as an error of ours."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise BadInputError(
            f"the voice {path} cannot speak this sentence: {str(error).strip().splitlines()[0]}",
            "check that its JSON belongs to it (num_symbols, phoneme_id_map); or get the voice again",
        ) from error
