"""The generator of a voice in torch, from a checkpoint or an exported voice, and an engine that speaks with it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import NoDeviceError
from voxmatrix.piper.engines.base import Begun, Frames, SynthesisOptions, begun_whole
from voxmatrix.piper.engines.chunking import ChunkedDecoder, SentenceLength
from voxmatrix.piper.engines.inputs import sentence_noise
from voxmatrix.piper.onnx.parts import NOISE_APART
from voxmatrix.piper.onnx.weights import read_weights
from voxmatrix.tables.quality import HOP, quality
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint
from voxmatrix.vits.layers.norm import remove_weight_norm
from voxmatrix.vits.synthesizer import Latent, Synthesizer

#: The shortest segment, in frames. Its receptive field adds 12 to 15 frames on either side: shorter ones save little.
MIN_FRAMES = 16
#: Characters of what torch says about weights that do not fit.
_MAX_REASON = 160
REMEDY = "split long sentences (. ! ?), or export the voice: ONNX speaks in segments and needs less memory"


class TorchEngine:
    """A generator on a device. Computes a sentence at a time: torch itself uses all threads, or the GPU."""

    parallel = 1

    def __init__(self, generator: Synthesizer, device: torch.device, where: str, remedy: str = REMEDY) -> None:
        """`where` names the device, and `remedy` is what to do, when it is out of memory."""
        self._generator = generator.to(device)
        self._device = device
        self._margin = generator.dec.margin  # frames on either side of a chunk that its samples depend on
        self._chunked = ChunkedDecoder(MIN_FRAMES, where, remedy, device)

    def begin(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Begun:
        """The whole sentence as one segment, which uses all threads."""
        return begun_whole(partial(self._speak, ids, options, seed))

    def prepare(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def _speak(self, ids: Sequence[int], options: SynthesisOptions, seed: int | None) -> tuple[Samples, Frames]:
        noise = sentence_noise(len(ids), seed)
        # Not inference_mode: DirectML cannot create its tensors.
        with torch.no_grad():
            latent = self._chunked.whole(partial(self._latent, ids, options, noise), SentenceLength(len(ids)))
            frames = latent.z.size(2)
            decode = partial(self._decode, latent)
            samples = self._chunked.decode(decode, 0, frames, SentenceLength(len(ids), frames))
            durations = latent.durations  # nobody may want to read them
            return samples, lambda: durations.cpu().numpy()

    def _latent(self, ids: Sequence[int], options: SynthesisOptions, noise: Samples) -> Latent:
        several = hasattr(self._generator, "emb_g")
        rhythm = torch.from_numpy(noise[: 2 * len(ids)].reshape(1, 2, len(ids)))
        return self._generator.latent(
            torch.tensor([list(ids)], device=self._device),
            torch.tensor([len(ids)], device=self._device),
            noise_scale=options.noise,
            length_scale=options.length,
            noise_w=options.noise_w,
            speaker=torch.tensor([options.speaker], device=self._device) if several else None,
            rhythm_noise=rhythm.to(self._device),
            noise_like=partial(_frame_noise, noise),
        )

    def _decode(self, latent: Latent, start: int, end: int) -> Samples:
        """The samples of the frames start..end, which also depend on the frames around them."""
        first, last = max(0, start - self._margin), min(latent.z.size(2), end + self._margin)
        wave = self._generator.dec(latent.z[:, :, first:last], latent.speaker)
        samples: Samples = wave.reshape(-1)[(start - first) * HOP : (end - first) * HOP].cpu().numpy()
        return samples


def _frame_noise(noise: Samples, frames: Tensor) -> Tensor:
    """The noise of all frames (1, c, f), as in an exported voice."""
    index = (NOISE_APART + np.arange(frames.numel())) % len(noise)
    return torch.from_numpy(noise[index].reshape(frames.shape)).to(frames.device)


def speaking_generator(checkpoint: Checkpoint) -> Synthesizer:
    """The generator of a checkpoint on the CPU, in evaluation mode and without weight normalisation."""
    with torch.device("meta"):  # weights are replaced at once: no need to allocate and initialise them
        generator = Synthesizer(quality(checkpoint.quality), checkpoint.num_symbols, checkpoint.num_speakers)
    generator.load_state_dict(checkpoint.generator, assign=True)
    remove_weight_norm(generator)
    return generator.eval()


def exported_generator(path: Path, num_speakers: int) -> Synthesizer:
    """The generator of an exported voice on the CPU, without what only training needs.

    Raises:
        NoDeviceError: the network is not one that torch computes here.
    """
    try:
        found = read_weights(path)
        if found.num_speakers != num_speakers:
            raise ValueError(f"it has {found.num_speakers} speakers, not {num_speakers}")
        with torch.device("meta"):
            generator = Synthesizer(found.quality, found.num_symbols, found.num_speakers)
        remove_weight_norm(generator)
        generator.drop_training_parts()
        weights = {name: torch.from_numpy(np.array(weight, order="C")) for name, weight in found.weights.items()}
        generator.load_state_dict(weights, assign=True)
    except (ValueError, LookupError, TypeError, RuntimeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[-1].strip()[:_MAX_REASON]
        raise NoDeviceError(
            f"the network of {path} is not Piper's, and can be computed only on the CPU: {reason}", "set `device=cpu`"
        ) from error
    return generator.eval()
