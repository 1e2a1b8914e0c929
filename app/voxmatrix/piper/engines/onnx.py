"""The engine of exported voices: onnxruntime, in segments where the network can be split. Imports no torch."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import DamagedFileError
from voxmatrix.inference.cpu_fallback import WithCpuFallback
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.piper.engines.base import FRAME_SAMPLES, Begun, Engine, Frames, SynthesisOptions, begun_whole
from voxmatrix.piper.engines.chunking import SentenceLength, segments
from voxmatrix.piper.engines.inputs import check_inputs
from voxmatrix.piper.engines.networks import Network, all_inputs, on_cpu, on_gpu, voice_errors
from voxmatrix.piper.engines.prepared import rewritten_voice, split_voices, whole_voices
from voxmatrix.piper.onnx.parts import SplitModel

#: Longer sentences are computed in segments. Segments of this length stay in the cache of a CPU from layer to layer,
#: which saves more time than computing their overlap costs (measured: medium, 4096 to 65536 samples).
SEGMENT_SAMPLES = 12288
#: The second half of a fast voice is a tenth of that work, so that starting it often costs more than the cache saves
#: (12288, 24576, 49152 samples: 73.2, 71.3, 69.9 ms a sentence).
FAST_SEGMENT_SAMPLES = 49152
#: On a GPU, segments only cost time; this limit bounds its memory.
GPU_SEGMENT_SAMPLES = 1 << 19
#: The shortest segments when out of memory.
MIN_SAMPLES = 1024
#: Threads that share a first half, unless there are many sentences, which keep all threads busy. Two are 1.7 times as
#: fast as one; its operations are too small for many.
_MAX_TOGETHER = 4
#: A voice that has spoken this many sentences will speak more: what has to be prepared for many pays from here on.
_MANY = 16


def open_onnx(
    path: Path,
    num_speakers: int,
    *,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
    threads: int = 1,
    reproducible: bool = False,
) -> Engine:
    """Open the voice in `path`. The engine is thread-safe, and may use `threads` itself.

    `reproducible`: the engine is ready for many sentences from the beginning, so that a seed gives the same samples for
    one sentence as for many. Otherwise it opens sooner.

    Raises:
        BadInputError: the file is not a Piper voice, or not the one that the voice config describes.
        DamagedFileError: the file is truncated or not an ONNX file.
        NoDeviceError: onnxruntime cannot use the required device.
    """
    path = path.resolve()  # weights are next to the file itself, not next to a symbolic link to it
    for split in split_voices(path):
        check_inputs(path, split.inputs, num_speakers)
        if split.has_int8 and device.on and device.on.gpu.kind == "cuda" and not device.required:
            device = CPU  # which computes 8-bit convolutions in any case: onnxruntime has none for CUDA
        with suppress(DamagedFileError):  # if the whole model cannot be loaded either, that error is raised below
            return SplitModelEngine(path, split, device=device, warn=warn, threads=threads, reproducible=reproducible)
    return WholeModelEngine(path, num_speakers, device=device, warn=warn, threads=threads)


class WholeModelEngine:
    """A voice whose network cannot be split. Sentences are computed in parallel, each as a whole."""

    def __init__(
        self,
        path: Path,
        num_speakers: int,
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
        threads: int = 1,
    ) -> None:
        self.parallel = threads
        self._path = path
        for whole, inputs in whole_voices(path):
            check_inputs(path, inputs, num_speakers)
            self._noise_per_id = whole.noise_per_id
            to_gpu, to_cpu = partial(on_gpu, path, whole), partial(on_cpu, path, whole)
            with suppress(DamagedFileError):  # if the file cannot be loaded as it is either, that error is raised
                self._network = WithCpuFallback(device, to_gpu, to_cpu, warn)
                break

    def prepare(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """The whole sentence as one segment."""
        inputs = all_inputs(ids, options, seed, self._noise_per_id)
        return begun_whole(partial(self._speak, inputs, SentenceLength(len(ids))))

    def _speak(self, inputs: Mapping[str, Any], size: SentenceLength) -> tuple[Samples, Frames]:
        with voice_errors(self._path):
            samples, frames = self._network.do(
                lambda network: network.chunked.whole(partial(network.run_timed, inputs), size)
            )
        return samples.reshape(-1), frames


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
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
        threads: int = 1,
        reproducible: bool = False,
    ) -> None:
        self.parallel = threads
        self._path = path
        self._split = rewritten_voice(path, split) if reproducible else split
        self._first = on_cpu(path, self._split.first, threads=min(threads, _MAX_TOGETHER))
        second, least, optimised = split.second, MIN_SAMPLES // split.receptive_field.hop, split.uses_conv2d
        self._second = WithCpuFallback(
            device,
            partial(on_gpu, path, second, least=least, optimised=optimised),
            partial(on_cpu, path, second, least, optimised=optimised),
            warn,
        )
        self._spoken = 0
        self._preparing = Lock()
        if reproducible:
            self.prepare()

    def prepare(self) -> None:
        """Get ready for many sentences, once: with fewer operations, and on a CPU in bfloat16 where that pays."""
        with self._preparing:
            if self._spoken > _MANY:
                return
            self._spoken = _MANY + 1
            if not self._split.is_rewritten:
                self._split = rewritten_voice(self._path, self._split)
                self._first = on_cpu(self._path, self._split.first)
            if self._second.device.on is None:
                self._use_bf16()

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """Run the first half. Each segment runs the second half on a part of its output."""
        if self._spoken < _MANY:
            self._spoken += 1
        elif self._spoken == _MANY:
            self.prepare()
        inputs = all_inputs(ids, options, seed)
        first = self._first
        with voice_errors(self._path):
            boundary, frames = first.chunked.whole(partial(first.run_timed, inputs), SentenceLength(len(ids)))
        size = SentenceLength(len(ids), boundary.shape[-1] * self._split.receptive_field.hop // FRAME_SAMPLES)
        bounds = self._bounds(boundary.shape[-1])
        pending = [partial(self._segment, inputs, boundary, size, start, end) for start, end in bounds]
        return Begun(pending, frames)

    def close(self) -> None:
        """Nothing."""

    def _use_bf16(self) -> None:
        from voxmatrix.piper.engines.openvino import in_bf16

        second = self._second.do(lambda network: in_bf16(self._path, self._split, self._first, network) or network)
        self._second = WithCpuFallback(CPU, lambda _: second, lambda: second, python_warning)

    def _bounds(self, positions: int) -> list[tuple[int, int]]:
        field = self._split.receptive_field
        if self._second.device.on is not None:
            return segments(positions, GPU_SEGMENT_SAMPLES // field.hop)
        longest = FAST_SEGMENT_SAMPLES if self._split.is_fast else SEGMENT_SAMPLES
        most, step = longest // field.hop, self._second.do(lambda network: network.step)
        full = most - most % step - 2 * field.margin  # with its margins a multiple of `step`
        return segments(positions, full, equal=False) if 1 < step < full else segments(positions, most)

    def _segment(
        self, inputs: Mapping[str, Any], boundary: Samples, size: SentenceLength, start: int, end: int
    ) -> Samples:
        def speak(network: Network) -> Samples:
            decode = partial(self._decode, network, inputs, boundary)
            return network.chunked.decode(decode, start, end, size)

        with voice_errors(self._path):
            return self._second.do(speak)

    def _decode(self, network: Network, inputs: Mapping[str, Any], boundary: Samples, start: int, end: int) -> Samples:
        """The samples of boundary[start:end], which also depend on the positions around them."""
        field = self._split.receptive_field
        first, last = field.window(start, end, boundary.shape[-1], network.step)
        given = self._split.as_second_input(boundary[..., first:last])
        samples = network.run({**inputs, self._split.boundary: given}).reshape(-1)
        return samples[(start - first) * field.hop : (end - first) * field.hop]
