"""Speech of the original to learn from: the frames that its decoder is given, and the samples that it makes of them."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import INT16_MAX
from voxmatrix.distil.decoder.graph import VoiceGraph
from voxmatrix.files import read_errors, replacing
from voxmatrix.inference.session import open_session
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.networks import all_inputs, on_cpu
from voxmatrix.piper.onnx.model_split import split_model, whole_model
from voxmatrix.piper.onnx.reading import read_model
from voxmatrix.piper.onnx.rewriting import rewrite
from voxmatrix.progress import OnProgress
from voxmatrix.tables.quality import HOP

#: Sentences in a file. What is in files need not be spoken again after an interruption.
_IN_A_FILE = 24


@dataclass(frozen=True)
class CorpusSentence:
    """One spoken sentence: c channels, f frames.

    Half precision keeps latent frames to a relative 5e-4, 16 bits keep samples to 3e-5.
    """

    latent: NDArray[np.float16]  # (c, f)
    samples: NDArray[np.int16]  # (f * HOP,)
    speaker: NDArray[np.float16]  # (s,); empty for a voice with one speaker

    @property
    def frames(self) -> int:
        """The number of frames."""
        return int(self.latent.shape[1])

    def wave(self) -> NDArray[np.float32]:
        """The samples in -1..1."""
        return self.samples.astype(np.float32) / np.float32(INT16_MAX)


class OriginalVoice:
    """The original voice, which also returns what its networks give each other, as fast as for many sentences."""

    def __init__(self, path: Path, graph: VoiceGraph, threads: int) -> None:
        """Open the voice with this graph in `path`."""
        import onnx

        model = read_model(path)
        split = split_model(path, model)
        first = split.first if split else whole_model(path, model)[0]
        model = onnx.ModelProto.FromString(first.model)
        rewrite(model, path)
        names = [first.output, graph.latent, *([graph.speaker] if graph.speaker else [])]
        del model.graph.output[:]
        model.graph.output.extend(map(onnx.helper.make_empty_tensor_value_info, dict.fromkeys(names)))
        self._outputs, self._inputs = names, first.inputs
        self._first = open_session(path, model.SerializeToString(), optimised=True, threads=threads)
        # A voice that cannot be split is computed by the first alone.
        self._second = split and (split, on_cpu(path, split.second, optimised=split.uses_conv2d, threads=threads))

    def speak(self, ids: Sequence[int], options: SynthesisOptions, random: np.random.Generator) -> CorpusSentence:
        """Speak one sentence of phoneme ids."""
        inputs = all_inputs(ids, options, random)
        given = {name: value for name, value in inputs.items() if name in self._inputs}
        samples, latent, *speaker = self._first.run(self._outputs, given)
        if self._second:
            split, network = self._second
            samples = network.run({**inputs, split.boundary: split.as_second_input(samples)})
        embedding = speaker[0].reshape(-1) if speaker else np.zeros(0, np.float32)
        return CorpusSentence(
            latent=latent[0].astype(np.float16),
            samples=np.round(np.clip(samples.reshape(-1), -1, 1) * INT16_MAX).astype(np.int16),
            speaker=embedding.astype(np.float16),
        )


def synthesize_corpus(
    original: OriginalVoice,
    sentences: Sequence[Sequence[int]],
    folder: Path,
    *,
    options: SynthesisOptions,
    num_speakers: int,
    rate_hz: int,
    wanted_seconds: int,
    progress: OnProgress,
) -> list[CorpusSentence]:
    """Speak sentences, again and again with other noise if there are few, until there is enough speech.

    Raises:
        UnreachableError: the disk is full or not writable; what was spoken so far is kept.
    """
    found: list[CorpusSentence] = []
    seconds = 0.0
    for number, chunk in enumerate(_chunks(sentences)):
        path = folder / f"{number:04}.npz"
        spoken = _read(path)
        if spoken is None:
            random = np.random.default_rng(number)
            speakers = random.integers(0, num_speakers, len(chunk)).tolist()
            spoken = [
                original.speak(ids, replace(options, speaker=speaker), random)
                for ids, speaker in zip(chunk, speakers, strict=True)
            ]
            _write(path, spoken)
        found += spoken
        seconds += sum(len(one.samples) for one in spoken) / rate_hz
        progress(min(round(seconds), wanted_seconds), wanted_seconds)
        if seconds >= wanted_seconds:
            break
    return found


def _chunks(sentences: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """The sentences in lists, from the beginning again after the last."""

    def forever() -> Iterator[Sequence[int]]:
        while True:
            yield from sentences

    endless = forever()
    while True:
        yield list(islice(endless, _IN_A_FILE))


def _write(path: Path, spoken: Sequence[CorpusSentence]) -> None:
    with replacing(path) as file:
        np.savez(
            file,
            frames=np.array([one.frames for one in spoken]),
            latent=np.concatenate([one.latent for one in spoken], 1),
            samples=np.concatenate([one.samples for one in spoken]),
            speaker=np.stack([one.speaker for one in spoken]),
        )


def _read(path: Path) -> list[CorpusSentence] | None:
    """What an earlier command has spoken; None if there is nothing, or it is damaged.

    Raises:
        UnreachableError: it cannot be read now, which is no reason to speak it again.
    """
    if not path.exists():
        return None
    with read_errors(path), suppress(ValueError, KeyError, EOFError, zipfile.BadZipFile):
        with path.open("rb") as file, np.load(file) as content:  # np.load alone leaves a damaged file open
            arrays = {name: content[name] for name in ("frames", "latent", "samples", "speaker")}
        ends = np.cumsum(arrays["frames"]).tolist()
        starts = [0, *ends[:-1]]
        return [
            CorpusSentence(
                latent=arrays["latent"][:, start:end],
                samples=arrays["samples"][start * HOP : end * HOP],
                speaker=speaker,
            )
            for start, end, speaker in zip(starts, ends, arrays["speaker"], strict=True)
        ]
    return None
