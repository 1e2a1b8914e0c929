"""The engine of checkpoints: torch, on any of its devices. It also speaks voices that are still being trained."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import torch

from voxmatrix.audio.waves import Samples
from voxmatrix.compute.device import prepare_environment, set_tf32, torch_device
from voxmatrix.inference.cpu_fallback import WithCpuFallback
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice, Warn, python_warning
from voxmatrix.piper.engines.base import Begun, Frames, SynthesisOptions, begun_whole
from voxmatrix.piper.engines.chunking import ChunkedDecoder, SentenceLength
from voxmatrix.tables.quality import HOP, quality
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint
from voxmatrix.vits.layers.norm import remove_weight_norm
from voxmatrix.vits.synthesizer import Latent, Synthesizer

#: The shortest segment, in frames. Its receptive field adds 12 to 15 frames on either side: shorter ones save little.
MIN_FRAMES = 16
_REMEDY = "split long sentences (. ! ?), or export the voice: ONNX speaks in segments and needs less memory"


class _Network(NamedTuple):
    """A generator and its device."""

    generator: Synthesizer
    device: torch.device
    margin: int  # frames on either side of a chunk that its samples depend on
    chunked: ChunkedDecoder


class TorchEngine:
    """A generator in torch. Computes one sentence at a time: torch itself uses all threads, or the GPU."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        threads: int,
        *,
        device: SpeakDevice = CPU,
        warn: Warn = python_warning,
    ) -> None:
        torch.set_num_threads(threads)
        self._checkpoint = checkpoint
        self._network = WithCpuFallback(device, self._to_gpu, self._to_cpu, warn)

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """The whole sentence as one segment, which uses all threads."""
        return begun_whole(lambda: self._network.do(lambda network: self._speak(network, ids, options, seed)))

    def prepare(self) -> None:
        """Nothing."""

    def _speak(
        self, network: _Network, ids: Sequence[int], options: SynthesisOptions, seed: int | None
    ) -> tuple[Samples, Frames]:
        # Not inference_mode: DirectML cannot create its tensors.
        with torch.no_grad(), _seeded(seed):
            latent = network.chunked.whole(partial(_latent, network, ids, options), SentenceLength(len(ids)))
            frames = latent.z.size(2)
            decode = partial(self._decode, network, latent)
            samples = network.chunked.decode(decode, 0, frames, SentenceLength(len(ids), frames))
            durations = latent.durations  # nobody may want to read them
            return samples, lambda: durations.cpu().numpy()

    def _decode(self, network: _Network, latent: Latent, start: int, end: int) -> Samples:
        """The samples of the frames start..end, which also depend on the frames around them."""
        first, last = max(0, start - network.margin), min(latent.z.size(2), end + network.margin)
        wave = network.generator.dec(latent.z[:, :, first:last], latent.speaker)
        samples: Samples = wave.reshape(-1)[(start - first) * HOP : (end - first) * HOP].cpu().numpy()
        return samples

    def _to_gpu(self, gpu: FoundGpu) -> _Network:
        prepare_environment()
        device = torch_device(gpu.gpu, gpu.machine)
        if device.type == "cuda":
            # As exact as the CPU: rounding can change a duration, and then a seed would give another rhythm.
            set_tf32(False)
        return self._network_on(device, str(gpu), f"set `device=cpu`, or {_REMEDY}")

    def _to_cpu(self) -> _Network:
        return self._network_on(torch.device("cpu"), str(CPU), _REMEDY)

    def _network_on(self, device: torch.device, where: str, remedy: str) -> _Network:
        generator = speaking_generator(self._checkpoint).to(device)
        chunked = ChunkedDecoder(MIN_FRAMES, where, remedy, device)
        return _Network(generator, device, generator.dec.margin, chunked)


def _latent(network: _Network, ids: Sequence[int], options: SynthesisOptions) -> Latent:
    several = hasattr(network.generator, "emb_g")
    return network.generator.latent(
        torch.tensor([list(ids)], device=network.device),
        torch.tensor([len(ids)], device=network.device),
        noise_scale=options.noise,
        length_scale=options.length,
        noise_w=options.noise_w,
        speaker=torch.tensor([options.speaker], device=network.device) if several else None,
    )


def speaking_generator(checkpoint: Checkpoint) -> Synthesizer:
    """The generator of a checkpoint on the CPU, in evaluation mode and without weight normalisation."""
    with torch.device("meta"):  # weights are replaced at once: no need to allocate and initialise them
        generator = Synthesizer(quality(checkpoint.quality), checkpoint.num_symbols, checkpoint.num_speakers)
    generator.load_state_dict(checkpoint.generator, assign=True)
    remove_weight_norm(generator)
    return generator.eval()


@contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    """Use `seed` inside the block, and restore the random state of the process. All randomness is on the CPU."""
    with torch.random.fork_rng(devices=[], enabled=seed is not None):
        if seed is not None:
            torch.default_generator.manual_seed(seed)
        yield
