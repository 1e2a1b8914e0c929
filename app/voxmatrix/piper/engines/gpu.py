"""The engine of all voices on a GPU: torch, with the sentences of many threads in batches, and the CPU if it fails."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch

from voxmatrix.closing import Closeable
from voxmatrix.compute.device import prepare_environment, set_tf32, torch_device
from voxmatrix.errors import BadInputError, NoDeviceError
from voxmatrix.inference.batcher import Batcher, Request
from voxmatrix.inference.cpu_fallback import WithCpuFallback
from voxmatrix.models.device import FoundGpu, SpeakDevice, Warn
from voxmatrix.piper.engines.base import PARALLEL, Begun, Engine, SynthesisOptions
from voxmatrix.piper.engines.batched import LENGTHS, BatchedNetwork, ComputedSentence, SentenceInput
from voxmatrix.piper.engines.inputs import sentence_noise
from voxmatrix.piper.engines.prepared import is_close
from voxmatrix.piper.engines.torch import REMEDY, TorchEngine
from voxmatrix.vits.synthesizer import Synthesizer

#: Symbols of a batch. More would let the sentences that come meanwhile wait longer, and compute no faster.
MAX_SYMBOLS = 4096
#: Each operation of torch lets other threads run. Python gives the GPU's thread its turn back after this time; its own
#: 5 ms, some dozen times for a batch, would leave the GPU idle while 64 texts are pronounced and encoded.
_SWITCH_SECONDS = 0.0005
#: NVIDIA's and AMD's GPUs: small operations wait for the CPU that starts them there, unless they are in a graph.
_BATCHED = ("cuda", "rocm")
#: The sentence on which the networks of an exported voice are compared with onnxruntime.
_PROBE_IDS, _PROBE_SEED = 24, 0
#: How far they may be apart, as a part of what onnxruntime makes: rounding makes 1e-5, integers of 8 bits 0.07.
_DIFFERENCE = 0.2


class _Speaks(Protocol):
    def speak(self, sentences: Sequence[SentenceInput]) -> Iterator[tuple[int, ComputedSentence]]: ...


class _OneByOne(NamedTuple):
    """An engine, for sentences of which each is computed alone."""

    engine: Engine

    def speak(self, sentences: Sequence[SentenceInput]) -> Iterator[tuple[int, ComputedSentence]]:
        """Each sentence with its place."""
        for place, one in enumerate(sentences):
            begun = self.engine.begin(one.ids, one.options, one.seed)
            samples = np.concatenate([segment() for segment in begun.segments])
            yield place, ComputedSentence(samples, begun.frames())


class GpuEngine(Closeable):
    """A generator on a GPU. Thread-safe."""

    def __init__(
        self,
        generator: Callable[[], Synthesizer],
        on_cpu: Callable[[], Engine],
        device: SpeakDevice,
        warn: Warn,
        *,
        compare: bool = False,
    ) -> None:
        """`on_cpu` opens what speaks without the GPU; with `compare`, the GPU is used if it speaks like that.

        Raises:
            NoDeviceError: the GPU is required and cannot be used.
            MemoryExhaustedError: the GPU is required and out of memory.
        """
        self._generator = generator
        self._on_cpu = on_cpu
        self._compare = compare
        self._prepared = False
        self._num_symbols = 0
        self._networks: WithCpuFallback[_Speaks] = WithCpuFallback(device, self._to_gpu, self._to_cpu, warn)
        self._batcher: Batcher[SentenceInput, ComputedSentence] = Batcher(
            self._compute, MAX_SYMBOLS, lambda one: len(one.ids)
        )

    @property
    def parallel(self) -> int:
        """Sentences to be computed at once."""
        return PARALLEL if self._after is None else self._after.parallel

    @property
    def _after(self) -> Engine | None:
        """What speaks instead of the GPU."""
        network = self._networks.current
        return network.engine if isinstance(network, _OneByOne) and self._networks.device.on is None else None

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """The whole sentence as one segment, which is computed together with those of others."""
        if self._after is not None:
            return self._after.begin(ids, options, seed)
        if max(ids) >= self._num_symbols:  # on the GPU, that would end the process's use of it
            raise BadInputError(
                f"the voice has no symbol {max(ids)}, only {self._num_symbols}",
                "check that its JSON matches (num_symbols, phoneme_id_map), or download the voice again",
            )
        request = self._batcher.submit(SentenceInput(ids, options, seed, sentence_noise(len(ids), seed)))
        return Begun([lambda: request().samples], lambda: request().frames, request.cancel)

    def prepare(self) -> None:
        """Record a call for each length of a text."""
        if self._prepared or self._after is not None:
            return
        self._prepared = True
        for begun in [self.begin([0] * length, SynthesisOptions()) for length in LENGTHS]:
            begun.segments[0]()

    def close(self) -> None:
        """End the thread that computes."""
        self._batcher.close()

    def _compute(self, requests: Sequence[Request[SentenceInput, ComputedSentence]]) -> None:
        def speak(network: _Speaks) -> bool:
            waiting = [one for one in requests if not one.result.done()]
            for place, spoken in network.speak([one.item for one in waiting]):
                waiting[place].result.set_result(spoken)
            return True

        self._networks.do(speak)

    def _to_gpu(self, gpu: FoundGpu) -> _Speaks:
        prepare_environment()
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_SECONDS))
        device = torch_device(gpu.gpu, gpu.machine)
        generator = self._generator()
        self._num_symbols = generator.enc_p.emb.num_embeddings
        if gpu.gpu.kind not in _BATCHED:
            network: _Speaks = _OneByOne(TorchEngine(generator, device, str(gpu), f"set `device=cpu`, or {REMEDY}"))
        else:
            # As exact as the CPU: rounding can change a duration, and then a seed would give another rhythm. And the
            # same each time, which upsampling is not by itself.
            set_tf32(False)
            torch.backends.cudnn.deterministic = True
            network = BatchedNetwork(generator, device)
        if self._compare and not self._speaks_alike(network):
            raise NoDeviceError(
                "torch computes the networks of this voice otherwise than onnxruntime", "set `device=cpu`"
            )
        return network

    def _to_cpu(self) -> _Speaks:
        return _OneByOne(self._on_cpu())

    def _speaks_alike(self, network: _Speaks) -> bool:
        ids, options = [one % self._num_symbols for one in range(_PROBE_IDS)], SynthesisOptions()
        probe = [SentenceInput(ids, options, _PROBE_SEED, sentence_noise(_PROBE_IDS, _PROBE_SEED))]
        ((_, made),), ((_, wanted),) = network.speak(probe), self._to_cpu().speak(probe)
        return is_close(made.samples, wanted.samples, _DIFFERENCE)
