"""A generator in torch that speaks many sentences at once, in calls of few and fixed shapes.

The part that reads text computes sentences whose lengths are rounded up to one of a few; the rest, nearly all of the
work, windows of WINDOW_FRAMES frames of any sentences. A call always has the same number of rows: rounding
depends on the shapes of a call, and so a sentence has the same samples whatever it is computed with. A call is recorded
once as a CUDA graph: its thousands of small operations would be limited by the CPU that starts them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from voxmatrix.audio.waves import Samples
from voxmatrix.compute.memory import free_cached, is_out_of_memory
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.onnx.parts import NOISE_APART
from voxmatrix.tables.quality import HOP
from voxmatrix.vits.synthesizer import Prior, Synthesizer

#: Windows in a call. More are no faster (NVIDIA H200), and let a sentence that is alone wait longer.
ROWS = 4
#: Sentences in a call of the part that reads text, compared with windows.
_TEXT_ROWS = 2
#: Frames of a window, with those on either side that its samples depend on.
WINDOW_FRAMES = 256
#: Lengths of texts are rounded up to these. Longer ones are computed alone, rounded up to a multiple of the last.
LENGTHS = (64, 128, 192, 256, 384, 512)
#: Before a call is recorded, it runs this often, so that libraries have chosen and allocated what they need.
_WARM_UP = 2

Work = Callable[..., Sequence[Tensor]]


class SentenceInput(NamedTuple):
    """What a sentence is spoken from."""

    ids: Sequence[int]
    options: SynthesisOptions
    seed: int | None
    noise: Samples


class ComputedSentence(NamedTuple):
    """A sentence that was computed."""

    samples: Samples
    frames: NDArray[Any] | None  # of each id, if the network tells


class _Window(NamedTuple):
    """Some frames of a sentence, and those around them."""

    place: int  # of the sentence
    speaker: int
    durations: NDArray[np.float32]  # of the sentence's ids
    frames: int  # of the whole sentence
    first: int  # the frame of z[0], which may be before the sentence
    z: Tensor  # (c, WINDOW_FRAMES)


class BatchedNetwork:
    """A generator on a device. Not thread-safe."""

    def __init__(self, generator: Synthesizer, device: torch.device, rows: int = ROWS) -> None:
        """A call has `rows` rows, and fewer from then on if it was out of memory."""
        self._generator = generator.to(device)
        self._device = device
        self._current = torch.cuda.device(device) if device.type == "cuda" else nullcontext()
        self._rows = rows
        self._margin = generator.flow.margin + generator.dec.margin
        self._core = WINDOW_FRAMES - 2 * self._margin
        self._calls: dict[tuple[object, ...], _Recorded | None] = {}
        # What a call makes is used before the next one, so that all may have the same memory.
        self._pool = torch.cuda.graph_pool_handle() if device.type == "cuda" else None

    def speak(self, sentences: Sequence[SentenceInput]) -> Iterator[tuple[int, ComputedSentence]]:
        """Each sentence with its place, as it becomes ready.

        Raises:
            Errors of torch. The sentences that were not yielded can be tried again.
        """
        waiting = dict(enumerate(sentences))
        while waiting:
            try:
                with torch.no_grad(), self._current:
                    for place, spoken in self._speak(dict(waiting)):
                        del waiting[place]
                        yield place, spoken
            except Exception as error:
                if self._rows == 1 or not is_out_of_memory(error):
                    raise
                self._rows //= 2
                self._calls.clear()
            if waiting:  # after the error and the tensors that its traceback referenced are gone
                free_cached(self._device)

    def _speak(self, sentences: Mapping[int, SentenceInput]) -> Iterator[tuple[int, ComputedSentence]]:
        groups: dict[int, list[int]] = {}
        for place, sentence in sentences.items():
            groups.setdefault(_rounded(len(sentence.ids)), []).append(place)
        windows: list[_Window] = []
        for length, places in groups.items():
            rows = self._rows * _TEXT_ROWS if length <= LENGTHS[-1] else 1
            for few in _parts(places, rows):
                windows += self._read({place: sentences[place] for place in few}, length, rows)
        yield from self._decoded(windows)

    def _read(self, sentences: Mapping[int, SentenceInput], length: int, rows: int) -> list[_Window]:
        """The windows of up to `rows` sentences of up to `length` ids."""
        ids, lengths, speakers = np.zeros((rows, length), np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        noise, scales = np.zeros((rows, 2, length), np.float32), np.ones((3, rows, 1, 1), np.float32)
        for row, one in enumerate(sentences.values()):
            size, options = len(one.ids), one.options
            ids[row, :size], lengths[row], speakers[row] = one.ids, size, options.speaker
            noise[row, :, :size] = one.noise[: 2 * size].reshape(2, size)
            scales[:, row, 0, 0] = options.noise, options.length, options.noise_w
        given = self._sent(ids, lengths, speakers, noise, scales)
        prior = Prior(*self._call(self._text, given))
        durations = prior.durations.cpu().numpy()  # waits for the device
        frames = [max(1, int(count)) for count in durations.sum(1)]
        firsts = [
            (row, start - self._margin) for row in range(len(sentences)) for start in range(0, frames[row], self._core)
        ]
        z = self._noisy(prior, list(sentences.values()), frames, firsts)
        places = list(sentences)
        return [
            _Window(places[row], int(speakers[row]), durations[row, : lengths[row]], frames[row], first, one)
            for (row, first), one in zip(firsts, z, strict=True)
        ]

    def _text(self, ids: Tensor, lengths: Tensor, speakers: Tensor, noise: Tensor, scales: Tensor) -> Prior:
        """The prior of sentences: ids (b, t), (b,), (b,), noise (b, 2, t), scales (3, b, 1, 1)."""
        _, length_scale, noise_w = scales
        return self._generator.prior(
            ids, lengths, self._embedding(speakers), length_scale=length_scale, noise_w=noise_w, noise=noise
        )

    def _noisy(
        self, prior: Prior, sentences: Sequence[SentenceInput], frames: Sequence[int], firsts: Sequence[tuple[int, int]]
    ) -> Tensor:
        """What the flow is given for windows, each a row and its first frame: (windows, c, WINDOW_FRAMES).

        A frame has the noise that it has in an exported voice (`piper.onnx.model_split`).
        """
        noise = np.zeros((len(sentences), max(len(one.noise) for one in sentences)), np.float32)
        for row, one in enumerate(sentences):
            noise[row, : len(one.noise)] = one.noise
        facts = [(row, first, frames[row], len(sentences[row].noise)) for row, first in firsts]
        scales = np.array([[[sentences[row].options.noise]] for row, _ in firsts], np.float32)
        drawn, (rows, first, counts, lengths), scale = self._sent(noise, np.array(facts).T.copy(), scales)
        at = first[:, None] + torch.arange(WINDOW_FRAMES, device=self._device)  # (windows, f)
        mean, log_scale = Prior(*(part[rows] for part in prior)).at(at)
        channels = torch.arange(mean.size(1), device=self._device)[:, None]
        index = (NOISE_APART + channels * counts[:, None, None] + at[:, None]) % lengths[:, None, None]
        return mean + drawn[rows[:, None, None], index] * torch.exp(log_scale) * scale

    def _decoded(self, windows: Sequence[_Window]) -> Iterator[tuple[int, ComputedSentence]]:
        """The sentences that consist of these windows, in their order."""
        found: list[Samples] = []
        last: tuple[Sequence[_Window], Callable[[], Samples]] | None = None
        for few in [*_parts(windows, self._rows), None]:
            begun = None if few is None else (few, self._begun(few))
            if last is not None:  # the device computes the next call meanwhile
                for window, samples in zip(last[0], last[1](), strict=False):
                    left = window.frames - window.first - self._margin
                    found.append(samples[: left * HOP])
                    if left <= self._core:
                        yield window.place, ComputedSentence(np.concatenate(found), window.durations)
                        found = []
            last = begun

    def _begun(self, windows: Sequence[_Window]) -> Callable[[], Samples]:
        """Begin to compute windows. What is returned waits for their samples: (ROWS, n)."""
        z = torch.stack([one.z for one in windows])
        z = torch.cat([z, z.new_zeros(self._rows - len(z), *z.shape[1:])])
        facts = np.zeros((3, self._rows), np.int64)
        facts[:, : len(windows)] = np.array([(one.speaker, one.first, one.frames) for one in windows]).T
        (made,) = self._call(self._windows, [z, *self._sent(facts)])
        if self._device.type != "cuda":
            return lambda: made.cpu().numpy()
        copied = torch.empty(made.shape, dtype=made.dtype, pin_memory=True)
        copied.copy_(made, non_blocking=True)
        ready = torch.cuda.Event()  # type: ignore[no-untyped-call]
        ready.record()

        def wait() -> Samples:
            ready.synchronize()
            return copied.numpy().copy()

        return wait

    def _windows(self, z: Tensor, facts: Tensor) -> Sequence[Tensor]:
        """Windows (b, c, f) -> their samples (b, n), without those of the margins."""
        speakers, first, frames = facts.unsqueeze(-1)
        at = first + torch.arange(z.size(2), device=z.device)
        mask = ((at >= 0) & (at < frames)).unsqueeze(1).float()  # (b, 1, f)
        speaker = self._embedding(speakers.squeeze(-1))
        z = self._generator.flow(z * mask, mask, speaker, reverse=True) * mask
        samples = self._generator.dec(z, speaker, mask)
        start = self._margin * HOP
        return [samples[:, 0, start : start + self._core * HOP]]

    def _embedding(self, speakers: Tensor) -> Tensor | None:
        return self._generator.embedding(speakers)

    def _sent(self, *arrays: NDArray[Any]) -> list[Tensor]:
        """The arrays on the device."""
        tensors = map(torch.from_numpy, arrays)
        if self._device.type != "cuda":
            return [one.to(self._device) for one in tensors]
        return [one.pin_memory().to(self._device, non_blocking=True) for one in tensors]

    def _call(self, work: Work, given: Sequence[Tensor]) -> Sequence[Tensor]:
        """What the work makes of tensors, valid until it is called with the same shapes again."""
        if self._device.type != "cuda" or given[0].size(0) < self._rows:
            return work(*given)  # of a long text, which hardly any other one is as long as
        key = (work.__name__, *(one.shape for one in given))
        if key not in self._calls:
            self._calls[key] = None
            try:
                self._calls[key] = _Recorded(work, given, self._pool)
            except RuntimeError as error:  # it cannot be recorded here: it is computed as it is, and may fail there
                if is_out_of_memory(error):
                    raise
        recorded = self._calls[key]
        return recorded(given) if recorded else work(*given)


class _Recorded:
    """Work on tensors of some shapes as a CUDA graph, which starts all its operations at once."""

    def __init__(self, work: Work, given: Sequence[Tensor], pool: Any) -> None:
        self._given = [one.clone() for one in given]
        device = given[0].device
        with torch.cuda.device(device):
            current, other = torch.cuda.current_stream(), torch.cuda.Stream()  # type: ignore[no-untyped-call]
            other.wait_stream(current)
            with torch.cuda.stream(other):
                for _ in range(_WARM_UP):
                    work(*self._given)
            current.wait_stream(other)
            self._graph = torch.cuda.CUDAGraph()
            # Other threads may use the GPU for other voices meanwhile.
            with torch.cuda.graph(self._graph, pool=pool, capture_error_mode="thread_local"):
                self._made = work(*self._given)

    def __call__(self, given: Sequence[Tensor]) -> Sequence[Tensor]:
        for own, one in zip(self._given, given, strict=True):
            own.copy_(one)
        self._graph.replay()
        return self._made


def _rounded(length: int) -> int:
    return next((one for one in LENGTHS if length <= one), -(-length // LENGTHS[-1]) * LENGTHS[-1])


def _parts(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (values[first : first + size] for first in range(0, len(values), size))
