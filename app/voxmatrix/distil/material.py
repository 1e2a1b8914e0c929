"""Speech of the original to learn from: the frames that its decoder is given, and the samples that it makes of them."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxmatrix.distil.graph import VoiceGraph
from voxmatrix.files import replacing
from voxmatrix.progress import OnProgress
from voxmatrix.speak.engines.base import SynthesisOptions
from voxmatrix.speak.engines.libraries import import_onnxruntime
from voxmatrix.speak.engines.session import sentence_inputs
from voxmatrix.tables.quality import HOP

#: Sentences in a file. What is in files need not be spoken again after an interruption.
_IN_A_FILE = 24
#: Half precision keeps latent frames to a relative 5e-4, 16 bits keep samples to 3e-5.
FULL_SCALE = 32767
#: Longer sentences take memory without teaching more.
MOST_SYMBOLS = 400


@dataclass(frozen=True)
class Utterance:
    """One spoken sentence: c channels, f frames."""

    latent: NDArray[np.float16]  # (c, f)
    samples: NDArray[np.int16]  # (f * HOP,)
    speaker: NDArray[np.float16]  # (s,); empty for a voice with one speaker

    @property
    def frames(self) -> int:
        """The length."""
        return int(self.latent.shape[1])

    def wave(self) -> NDArray[np.float32]:
        """The samples in -1..1."""
        return self.samples.astype(np.float32) / np.float32(FULL_SCALE)


class Original:
    """The original voice, whose networks also return what is between them."""

    def __init__(self, graph: VoiceGraph, num_speakers: int, threads: int, seed: int) -> None:
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(graph.model)
        between = [name for name in (graph.latent, graph.speaker) if name]
        model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in between)
        self._outputs = [model.graph.output[0].name, *between]
        self._num_speakers = num_speakers
        self._session = _session(model.SerializeToString(), threads, seed)
        self._inputs = {one.name for one in self._session.get_inputs()}

    def speak(self, ids: Sequence[int], options: SynthesisOptions) -> Utterance:
        """Speak one sentence of phoneme ids."""
        inputs = {name: value for name, value in sentence_inputs(ids, options).items() if name in self._inputs}
        samples, latent, *speaker = self._session.run(self._outputs, inputs)
        embedding = speaker[0].reshape(-1) if speaker else np.zeros(0, np.float32)
        return Utterance(
            latent=latent[0].astype(np.float16),
            samples=np.round(np.clip(samples.reshape(-1), -1, 1) * FULL_SCALE).astype(np.int16),
            speaker=embedding.astype(np.float16),
        )


def make_material(
    graph: VoiceGraph,
    sentences: Sequence[Sequence[int]],
    folder: Path,
    *,
    options: SynthesisOptions,
    num_speakers: int,
    rate_hz: int,
    wanted_seconds: int,
    threads: int,
    progress: OnProgress,
) -> list[Utterance]:
    """Speak sentences, again and again with other noise if there are few, until there is enough speech.

    Raises:
        UnreachableError: the disk is full or not writable; what was spoken so far is kept.
    """
    found: list[Utterance] = []
    seconds = 0.0
    for number, chunk in enumerate(_chunks(sentences)):
        path = folder / f"{number:04}.npz"
        spoken = _read(path)
        if spoken is None:
            original = Original(graph, num_speakers, threads, seed=number + 1)
            speakers = np.random.default_rng(number).integers(0, num_speakers, len(chunk)).tolist()
            spoken = [
                original.speak(ids, replace(options, speaker=speaker))
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


def _write(path: Path, spoken: Sequence[Utterance]) -> None:
    with replacing(path) as file:
        np.savez(
            file,
            frames=np.array([one.frames for one in spoken]),
            latent=np.concatenate([one.latent for one in spoken], 1),
            samples=np.concatenate([one.samples for one in spoken]),
            speaker=np.stack([one.speaker for one in spoken]),
        )


def _read(path: Path) -> list[Utterance] | None:
    """What an earlier command has spoken; None if there is nothing, or it is damaged."""
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        with path.open("rb") as file, np.load(file) as content:  # np.load alone leaves a damaged file open
            arrays = {name: content[name] for name in ("frames", "latent", "samples", "speaker")}
        ends = np.cumsum(arrays["frames"]).tolist()
        starts = [0, *ends[:-1]]
        return [
            Utterance(
                latent=arrays["latent"][:, start:end],
                samples=arrays["samples"][start * HOP : end * HOP],
                speaker=speaker,
            )
            for start, end, speaker in zip(starts, ends, arrays["speaker"], strict=True)
        ]
    return None


def _session(model: bytes, threads: int, seed: int) -> Any:
    onnxruntime = import_onnxruntime()
    onnxruntime.set_seed(seed)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
