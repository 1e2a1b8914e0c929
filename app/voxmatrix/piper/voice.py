"""An open VITS voice: the way from a sentence to the inputs of its networks, which load while the text is read."""

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from voxmatrix.closing import Closeable
from voxmatrix.errors import Finding, NoDeviceError
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.models.family import TimedWord, Utterance, timed
from voxmatrix.models.style import Runtime, Style
from voxmatrix.piper.card import card_of
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import PARALLEL, Begun, Engine, SynthesisOptions
from voxmatrix.piper.files import checkpoint_config, config_beside, config_path, is_exported
from voxmatrix.text.front import Sentence, front_end
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.symbols import BOS, PAD

if TYPE_CHECKING:
    from voxmatrix.vits.checkpoint.checkpoint import Checkpoint

P = ParamSpec("P")


class PiperVoice(Closeable):
    """An open voice. Close it, or use it as a context manager."""

    def __init__(self, card: VoiceCard, config: VoiceConfig, parallel: int, loading: "Future[Engine]") -> None:
        """`parallel` segments are to be computed at once while the engine is loading, which knows it better."""
        self.card = card
        self.config = config
        self._parallel = parallel
        self._loading = loading
        self._front = front_end(
            config.espeak_voice,
            config.phoneme_type,
            config.id_map,
            config.vowel_clusters,
            learned=config.espeak_version,
        )

    @property
    def engine(self) -> Engine:
        """The networks. Waits until they are loaded, and raises any error of loading them."""
        return self._loading.result()

    @property
    def parallel(self) -> int:
        """Segments of sentences to compute at once."""
        return self.engine.parallel if self.is_loaded else self._parallel

    @property
    def is_loaded(self) -> bool:
        """Whether `engine` would neither wait nor fail."""
        return self._loading.done() and self._loading.exception() is None

    @property
    def processes(self) -> Collection[int]:
        """Those that pronounce its texts."""
        return self._front.processes

    def load(self) -> None:
        """Wait until the networks are loaded, and ready for many sentences.

        Raises:
            VoxmatrixError: they cannot be loaded.
        """
        self._loading.result().prepare()

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Pronounce a sentence and run what of the networks must run before its segments."""
        options = self.options(style)
        sentence = self._front.sentence(text)
        findings = (sentence.finding,) if sentence.finding else ()
        begun = self.engine.begin(sentence.ids, options, seed) if sentence.ids else Begun(())
        return Utterance(
            segments=begun.segments,
            symbols=len(sentence.ids),
            phonemes=sentence.phonemes,
            unknown=sentence.unknown,
            findings=findings,
            words=partial(self._words, text, sentence, begun),
            cancel=begun.cancel,
        )

    def _words(self, text: SpokenText, sentence: Sentence, begun: Begun) -> list[TimedWord]:
        ends = begun.ends(self.config.hop)
        if ends is None or len(ends) != len(sentence.ids):
            return []
        ids = self.config.id_map
        pad = len(ids[PAD])
        places = list(accumulate((len(ids[one]) + pad for one in sentence.phonemes), initial=len(ids[BOS]) + pad))
        words = self._front.words(text, sentence, self.card.language)
        starts = [ends[place - 1] for place in places]
        return timed(words, sentence.phonemes, starts, starts[1:], self.card.rate_hz)

    def options(self, style: Style) -> SynthesisOptions:
        """The style as inputs of the networks.

        Raises:
            BadInputError: the voice has no such speaker.
        """
        return SynthesisOptions(
            speaker=self.card.speaker(style.speaker),
            noise=self.card.knob(style, "noise"),
            length=self.config.length_scale / style.speed,
            noise_w=self.card.knob(style, "noise_w"),
        )

    def warnings(self) -> tuple[Finding, ...]:
        """An espeak-ng that is too old, or another than the voice has learned from."""
        return self._front.warnings()

    def close(self) -> None:
        """Wait until loading has ended, so that no thread outlives the voice."""
        self._front.close()
        if self._loading.exception() is None:
            self.engine.close()


def open_piper_voice(
    path: Path, runtime: Runtime | None = None, *, device: SpeakDevice = CPU, warn: Warn = python_warning
) -> PiperVoice:
    """Open `NAME.onnx` (with its JSON next to it), or a checkpoint.

    `warn` is called if the device fails and the CPU takes over, in the thread where that happens.

    Raises:
        BadInputError: the voice cannot be used; the message says what is missing.
        DamagedFileError: a file of the voice is corrupt. Errors of an ONNX file or of a required device are raised
            when the voice first speaks.
    """
    runtime = runtime or Runtime()
    runtime = replace(runtime, threads=runtime.threads or cpus())
    if not is_exported(path):
        return _open_checkpoint(path, 1 if runtime.reproducible else runtime.threads, device, warn)
    beside = config_path(path)
    config = VoiceConfig.read(beside)
    card = card_of(path, config, beside)
    if not card.capabilities.on_gpu:
        device = _cpu_instead(card, device)
    on_gpu = device.in_batches
    open_exported = partial(_on_gpu_or_cpu if on_gpu else _in_onnxruntime, path, config.num_speakers, runtime)
    return PiperVoice(card, config, PARALLEL if on_gpu else runtime.threads, _start(open_exported, device, warn))


def _cpu_instead(card: VoiceCard, device: SpeakDevice) -> SpeakDevice:
    """The CPU, where no GPU computes the voice."""
    if device.on is not None and device.required:
        raise NoDeviceError(
            f"the voice {card.id} is computed on the CPU only, and {device.on} was chosen",
            "set `device=cpu`, or choose another voice",
        )
    return CPU


def _in_onnxruntime(path: Path, num_speakers: int, runtime: Runtime, device: SpeakDevice, warn: Warn) -> Engine:
    from voxmatrix.piper.engines.onnx import open_onnx

    return open_onnx(
        path,
        num_speakers,
        device=device,
        warn=warn,
        threads=runtime.threads,
        reproducible=runtime.reproducible,
    )


def _on_gpu_or_cpu(path: Path, num_speakers: int, runtime: Runtime, device: SpeakDevice, warn: Warn) -> Engine:
    """An exported voice in torch and, if the GPU fails, in onnxruntime."""
    from voxmatrix.piper.engines.gpu import GpuEngine
    from voxmatrix.piper.engines.torch import exported_generator

    return GpuEngine(
        partial(exported_generator, path, num_speakers),
        partial(_in_onnxruntime, path, num_speakers, runtime, CPU, warn),
        device,
        warn,
        compare=True,
    )


def _open_checkpoint(path: Path, threads: int, device: SpeakDevice, warn: Warn) -> PiperVoice:
    """Sums in torch depend on the number of threads: one gives the same bytes everywhere."""
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    checkpoint = read_checkpoint(path)
    config = checkpoint_config(path, checkpoint)
    card = card_of(path, config, config_beside(path))
    return PiperVoice(card, config, 1, _start(_load_checkpoint, checkpoint, threads, device, warn))


def _load_checkpoint(checkpoint: "Checkpoint", threads: int, device: SpeakDevice, warn: Warn) -> Engine:
    import torch

    from voxmatrix.piper.engines.gpu import GpuEngine
    from voxmatrix.piper.engines.torch import TorchEngine, speaking_generator

    torch.set_num_threads(threads)
    generator = partial(speaking_generator, checkpoint)

    def on_cpu() -> Engine:
        return TorchEngine(generator(), torch.device("cpu"), str(CPU))

    return on_cpu() if device.on is None else GpuEngine(generator, on_cpu, device, warn)


def _start(load: Callable[P, Engine], *arguments: P.args, **keywords: P.kwargs) -> "Future[Engine]":
    """Call `load` in a thread, without waiting for it."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="load")
    try:
        return pool.submit(load, *arguments, **keywords)
    finally:
        pool.shutdown(wait=False)
