"""An open voice: its config, and its networks, which load while the first text is read."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ParamSpec

from voxmatrix.audio.samples import Samples
from voxmatrix.closing import Closing
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import Engine
from voxmatrix.piper.files import checkpoint_config, config_path, find_voice

PHONEME_TYPES = ("espeak", "text")
P = ParamSpec("P")


@dataclass
class Voice(Closing):
    """An open voice. Close it, or use it as a context manager."""

    path: Path
    config: VoiceConfig
    workers: int  # segments of sentences to compute at once
    _loading: "Future[Engine]" = field(repr=False)

    def __post_init__(self) -> None:
        if self.config.phoneme_type not in PHONEME_TYPES:
            raise BadInputError(
                f"the voice {self.path} uses phonemes of type {self.config.phoneme_type!r}, which is not supported",
                f"choose a voice with phonemes of type {' or '.join(PHONEME_TYPES)}",
            )

    @property
    def engine(self) -> Engine:
        """The networks. Waits until they are loaded, and raises any error of loading them."""
        return self._loading.result()

    @property
    def is_loaded(self) -> bool:
        """Whether `engine` would neither wait nor fail."""
        return self._loading.done() and self._loading.exception() is None

    def with_engine(self, engine: Engine) -> "Voice":
        """The same voice with another engine, e.g. one around its own."""
        loaded: Future[Engine] = Future()
        loaded.set_result(engine)
        return replace(self, _loading=loaded)

    def speaker(self, name: str | int | None = None) -> int:
        """The number of a speaker given by name or number.

        Raises:
            BadInputError: the voice has no such speaker; the message lists its speakers.
        """
        if name is None or name == "":
            return self.config.default_speaker
        number = self.config.speaker_id_map.get(str(name))
        if number is not None:
            return number
        if str(name).isdecimal() and len(str(name)) < 10 and int(name) < self.config.num_speakers:
            return int(name)
        raise BadInputError(f"the voice {self.path} has no speaker {name!r}", f"choose {_choice(self.config)}")

    def checked(self, samples: Samples) -> Samples:
        """Return the samples if all of them are finite.

        Raises:
            DamagedFileError: some are not, which means that the weights are corrupt.
        """
        import numpy as np

        if np.isfinite(samples).all():
            return samples
        raise DamagedFileError(
            f"the voice {self.path} produces samples that are not finite: its weights are corrupt",
            "use an earlier checkpoint of the run, or download the voice again",
        )

    def close(self) -> None:
        """Wait until loading has ended, so that no thread outlives the voice."""
        self._loading.exception()


def open_voice(
    path: Path,
    threads: int = 0,
    seed: int | None = None,
    *,
    device: SpeakDevice = CPU,
    warn: Warn = python_warning,
    many: bool = False,
) -> Voice:
    """Open `NAME.onnx` (with its JSON next to it), a checkpoint, or the folder of a training run.

    With `many`, for many sentences, an ONNX file by Piper takes .4 s more to open, and each sentence .83 of the time
    (medium, AVX-512); .7 s and .63 with OpenVINO on a CPU that multiplies bfloat16 numbers. The samples differ by
    rounding only.

    `warn` is called if the device fails and the CPU takes over, in the thread where that happens.

    Raises:
        BadInputError: there is no voice, or it cannot be used; the message says what is missing.
        DamagedFileError: a file of the voice is corrupt. Errors of an ONNX file or of a required device are raised
            when the voice first speaks.
    """
    path = find_voice(path)
    threads = threads or cpus()
    if path.suffix != ".onnx":
        return _open_checkpoint(path, threads, seed, device, warn)
    config = VoiceConfig.read(config_path(path))
    return Voice(
        path,
        config,
        threads,
        _start(_load_onnx, path, config.num_speakers, seed, device=device, warn=warn, many=many, threads=threads),
    )


def _load_onnx(
    path: Path, num_speakers: int, seed: int | None, *, device: SpeakDevice, warn: Warn, many: bool, threads: int
) -> Engine:
    from voxmatrix.piper.engines.onnx import open_onnx

    return open_onnx(path, num_speakers, seed, device=device, warn=warn, many=many, threads=threads)


def _open_checkpoint(path: Path, threads: int, seed: int | None, device: SpeakDevice, warn: Warn) -> Voice:
    from voxmatrix.piper.engines.torch import TorchEngine
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    checkpoint = read_checkpoint(path)
    config = checkpoint_config(path, checkpoint)
    return Voice(path, config, 1, _start(TorchEngine, checkpoint, threads, seed, device=device, warn=warn))


def _choice(config: VoiceConfig) -> str:
    names = list(config.speaker_id_map)
    numbers = f"a number from 0 to {config.num_speakers - 1}" if config.num_speakers > 1 else "0: it has one speaker"
    return f"{', '.join(names[:50])}{' …' if len(names) > 50 else ''}, or {numbers}" if names else numbers


def _start(load: Callable[P, Engine], *arguments: P.args, **keywords: P.kwargs) -> "Future[Engine]":
    """Call `load` in a thread, without waiting for it."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="load")
    try:
        return pool.submit(load, *arguments, **keywords)
    finally:
        pool.shutdown(wait=False)
