"""An open voice of Kokoro: phonemes of a sentence, in pieces that the network takes, and their samples."""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.closing import Closeable
from voxmatrix.errors import Finding
from voxmatrix.inference.cpu_fallback import WithCpuFallback
from voxmatrix.inference.provider import open_gpu_session
from voxmatrix.inference.session import damaged, open_session
from voxmatrix.kokoro.alphabet import TIE, symbols, to_ids, to_misaki
from voxmatrix.kokoro.styles import MAX_IDS, WIDTH, read_styles
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import FoundGpu, SpeakDevice, Warn
from voxmatrix.models.family import TimedWord, Utterance, timed
from voxmatrix.models.style import Runtime, Style
from voxmatrix.text.front import FrontEnd, Sentence
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer
from voxmatrix.text.spoken import SpokenText

#: The network begins and ends with silence, a third and half of a second. This much of it is kept.
_BEFORE_SECONDS, _AFTER_SECONDS = 0.03, 0.08
#: What is silent, compared with the loudest sample.
_SILENCE = 0.004
#: Where a sentence with too many phonemes is divided, best first.
_BREAKS = (".!?…", ";:—", ",", " ")
#: A symbol is heard before its frames, since the decoder smooths them (24 sentences: 30 to 38 ms; a frame has 25 ms).
_EARLY_FRAMES = 1.5
#: The tensor with the frames of each id, as torch names it in an export.
_FRAMES = b"/encoder/Clip_output_0"


class KokoroVoice(Closeable):
    """An open voice. Close it, or use it as a context manager. It needs no seed: nothing in it is random."""

    def __init__(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> None:
        """Raises:
        DamagedFileError: the file of the voice is corrupt. Errors of the network are raised when it first speaks.
        """
        self.card = card
        #: Sentences are computed side by side, each by one thread: two threads for one take 8 % more time in all.
        self.parallel = runtime.threads or cpus()
        self._styles = read_styles(card.path)
        phonemizer = EspeakPhonemizer(card.language, tie=TIE, convert=partial(to_misaki, language=card.language))
        self._front = FrontEnd(phonemizer, to_ids)
        pool = ThreadPoolExecutor(1, thread_name_prefix="load")
        self._loading: Future[WithCpuFallback[Any]] = pool.submit(self._load, device, warn)
        pool.shutdown(wait=False)

    @property
    def is_loaded(self) -> bool:
        """Whether it could speak at once."""
        return self._loading.done() and self._loading.exception() is None

    @property
    def processes(self) -> Collection[int]:
        """Those that pronounce its texts."""
        return self._front.processes

    def load(self) -> None:
        """Wait until the network is loaded.

        Raises:
            VoxmatrixError: it cannot be.
        """
        self._loading.result()

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Pronounce a sentence; its segments are what the network takes at once."""
        sentence = self._front.sentence(text)
        spoken = [_Piece(ids) for ids in pieces(sentence.ids)]
        return Utterance(
            segments=[partial(self._speak, piece, style.speed) for piece in spoken],
            symbols=len(sentence.ids),
            phonemes=sentence.phonemes,
            unknown=sentence.unknown,
            findings=(sentence.finding,) if sentence.finding else (),
            words=partial(self._words, text, sentence, spoken),
        )

    def warnings(self) -> tuple[Finding, ...]:
        """An espeak-ng that is too old."""
        return self._front.warnings()

    def close(self) -> None:
        """Wait until loading has ended, so that no thread outlives the voice."""
        self._front.close()
        self._loading.exception()

    def _load(self, device: SpeakDevice, warn: Warn) -> WithCpuFallback[Any]:
        path = self.card.files[1]

        def to_gpu(gpu: FoundGpu) -> Any:
            return open_gpu_session(gpu, path, with_frames(path), optimised=True)

        def to_cpu() -> Any:
            return open_session(path, on_cpu(with_frames(path)), optimised=True)

        return WithCpuFallback(device, to_gpu, to_cpu, warn)

    def _words(self, text: SpokenText, sentence: Sentence, spoken: Sequence["_Piece"]) -> list[TimedWord]:
        if not all(piece.ends for piece in spoken):
            return []
        starts, ends, before = [], [], 0
        for piece in spoken:
            starts += [before + end for end in piece.ends[:-2]]
            ends += [before + end for end in piece.ends[1:-1]]
            before += piece.samples
        words = self._front.words(text, sentence, self.card.language)
        return timed(words, sentence.phonemes, starts, ends, self.card.rate_hz)

    def _speak(self, piece: "_Piece", speed: float) -> Samples:
        style = self._styles[len(piece.ids) - 1].reshape(1, WIDTH)
        samples, *frames = self._loading.result().do(partial(self._run, [0, *piece.ids, 0], style, speed))
        whole: Samples = samples.reshape(-1).astype(np.float32)
        kept = without_silence(whole, self.card.rate_hz)
        piece.samples = kept.stop - kept.start
        if frames:
            ends = np.cumsum(frames[0])
            frame = len(whole) / ends[-1]
            ends = (ends - _EARLY_FRAMES) * frame
            piece.ends = [min(max(0, round(end) - kept.start), piece.samples) for end in ends]
        return whole[kept]

    def _run(self, ids: Sequence[int], style: Any, speed: float, session: Any) -> Sequence[Any]:
        given = {"style": style, "speed": np.array([speed], np.float32)}
        inputs = {one.name: given.get(one.name) for one in session.get_inputs()}
        unknown = [name for name, value in inputs.items() if value is None]
        if len(unknown) != 1 or len(inputs) != 3:  # the ids are called tokens or input_ids
            raise damaged(self.card.files[1], f"its inputs are {', '.join(inputs)}")
        inputs[unknown[0]] = np.array([ids], np.int64)
        outputs: Sequence[Any] = session.run(None, inputs)
        return outputs


@dataclass
class _Piece:
    """A part of a sentence, and what is known when it is computed."""

    ids: Sequence[int]
    samples: int = 0
    ends: Sequence[int] = ()  # of each id and of those that frame them, in samples; none if the network does not tell


def with_frames(path: Path) -> bytes | None:
    """The network with its durations as a second output; None if it has them under no known name.

    Messages of protobuf that follow each other are one: the graph gets an output without being read.
    """
    if not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        found = content.find(_FRAMES) >= 0
        return b"".join((content, _message(7, _message(12, _message(1, _FRAMES))))) if found else None


def on_cpu(network: bytes | None) -> bytes | None:
    """The network as a CPU computes it fastest; as it is if it cannot be read, which opening it says better."""
    if network is None:
        return None
    from google.protobuf.message import DecodeError

    from voxmatrix.kokoro.products import as_products

    try:
        return as_products(network)
    except (DecodeError, ValueError, KeyError, TypeError):
        return network


def _message(field: int, content: bytes) -> bytes:
    """A field of protobuf with less than 128 bytes."""
    return bytes((field << 3 | 2, len(content))) + content


def pieces(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """The ids in pieces of at most 510, divided at the last mark or else space that leaves none of them short."""
    table = symbols()
    while len(ids) > MAX_IDS:
        end = MAX_IDS
        for marks in _BREAKS:
            breaks = {table[mark] for mark in marks}
            places = [place for place in range(MAX_IDS // 2, MAX_IDS) if ids[place] in breaks]
            if places:
                end = places[-1] + 1
                break
        yield ids[:end]
        ids = ids[end:]
    if ids:
        yield ids


def without_silence(samples: Samples, rate_hz: int) -> slice:
    """The place of what is not silence, with a little of that at both ends."""
    loudness = np.abs(samples)
    loud = np.flatnonzero(loudness > _SILENCE * loudness.max(initial=0.0))
    if not len(loud):
        return slice(0, len(samples))
    start = max(0, int(loud[0]) - round(_BEFORE_SECONDS * rate_hz))
    return slice(start, min(len(samples), int(loud[-1]) + 1 + round(_AFTER_SECONDS * rate_hz)))
