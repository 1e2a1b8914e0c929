"""The whole way from a voice to a fast one: speak, learn, compare, write."""

import json
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

import voxmatrix
from voxmatrix.compute.memory import memory_errors, request_of
from voxmatrix.distil.acceptance import Gate, Pair, check_acceptance, check_words, failed
from voxmatrix.distil.compare import options_of, recogniser, speak_with_both, times_as_fast
from voxmatrix.distil.corpus import CorpusSentence, Teacher, synthesize_corpus
from voxmatrix.distil.graph import VoiceGraph, read_graph
from voxmatrix.distil.replace_decoder import replace_decoder
from voxmatrix.distil.result import Distilled, GatesError
from voxmatrix.distil.student import Student, copy_weights, set_levels
from voxmatrix.distil.texts import Texts, read_texts
from voxmatrix.distil.training import Limits, Position, Training, train
from voxmatrix.errors import (
    DamagedFileError,
    InterruptedRunError,
    MemoryExhaustedError,
    UsageError,
    VoxmatrixError,
)
from voxmatrix.files import digest, read_errors, replacing, write_text
from voxmatrix.lock import locked
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.piper.export.export import check_free, export_voice, write_voice
from voxmatrix.piper.export.onnx_writer import metadata
from voxmatrix.piper.files import config_path
from voxmatrix.progress import Activity, OnProgress
from voxmatrix.train.checkpoint.files import write as write_checkpoint

#: Speech to learn from. Sentences not learned from were 2.7 dB worse than the others with 30 minutes, 0.5 dB with 120.
MIN_SPEECH_MINUTES, MAX_SPEECH_MINUTES = 0.5, 180.0
#: What a step sees of it, and how much there is for each minute of learning. Speaking that takes some 20 seconds.
STEP_SECONDS, SPEECH_PER_MINUTE = 3.0, 4.0
#: Sentences on which the curve is measured.
WATCHED = 8
#: Utterances from which the mean spectrum is taken.
_LEVELS_OF = 20
#: Utterances in which the ranges of numbers are measured.
_MEASURED = 48
#: How often each compared sentence is spoken for a recogniser of words, each time with other noise.
_ASR_REPEATS = 3
#: Opens a progress bar, by what is done, its title, what to show beside it, and what is done already.
Show = Callable[[Activity, str, Callable[[], str], int], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, kw_only=True)
class DistilSettings:
    """What to do. `text` None: the bundled sentences; `bf16`: see Training."""

    voice: Path  # the file of an exported voice or a checkpoint
    out: Path
    text: Path | None = None
    limits: Limits = field(default_factory=Limits)
    threads: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    bf16: bool = False
    force: bool = False
    fresh: bool = False


@dataclass(frozen=True, kw_only=True)
class _Original:
    """The voice that is learned from, as an ONNX file."""

    given: Path
    onnx: Path
    config: VoiceConfig
    graph: VoiceGraph
    texts: Texts


def distil(settings: DistilSettings, show: Show) -> Distilled:
    """Make a fast voice. An interrupted command continues where it was.

    Raises:
        BadInputError: the voice or the text cannot be used; GatesError: the fast voice is not good enough yet.
        DamagedFileError: the voice, or what an earlier command left, is corrupt.
        UsageError: `out` exists, or its folder is of another voice or in use.
        MemoryExhaustedError: out of memory; what was learned so far is kept.
        UnreachableError: the disk is full or not writable; what was learned so far is kept.
        InterruptedRunError: Ctrl-C or SIGTERM; what was learned so far is kept.
    """
    check_free(settings.out, force=settings.force)
    voice, folder = settings.voice, settings.out.with_suffix(".distil")
    checkpoint, source = folder / "state.ckpt", _source(voice, settings.text)
    with locked(folder, "distillation", "wait for it, or choose another `out`"):
        _claim(folder, source, fresh=settings.fresh)
        try:
            original = _open(voice, folder, settings.text)
        except VoxmatrixError:
            if not any(folder.glob("*.npz")):
                shutil.rmtree(folder, ignore_errors=True)  # nothing was done that could be continued
            raise
        with _interruptible(f"what was spoken so far is kept in {folder}", "continue"):
            material = _speak(original, folder, settings, show)
        with memory_errors(partial(_out_of_memory, settings.device, folder)):
            training = _open_training(original, material, settings, checkpoint)
            if training.position.rejected and not settings.force:  # with it, what was learned is written
                training.position.go_on()
            _learn(training, settings.limits, checkpoint, show)
        fast = _fast_config(training, original)
        made = _write(training, original, fast, material[:_MEASURED], folder)
        with _interruptible(f"what was learned is kept in {folder}", "compare"):
            gates, pairs = _compare(original, made, training.student.dec.hop, show)
        distilled = Distilled(
            out=settings.out,
            gates=gates,
            times_as_fast=times_as_fast(original.onnx, made, original.config, original.texts.compared),
            steps=training.position.step,
            pairs=pairs,
            rate_hz=original.config.rate_hz,
        )
        if failed(distilled.gates) and not settings.force:
            training.position.rejected = True
            write_checkpoint(checkpoint, training.state())
            raise GatesError(distilled)
        write_voice(made, fast, settings.out)
    shutil.rmtree(folder, ignore_errors=True)
    return distilled


@contextmanager
def _interruptible(kept: str, goal: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise InterruptedRunError(f"interrupted; {kept}", f"run the same command again to {goal}") from error


def _out_of_memory(device: torch.device, folder: Path, error: BaseException) -> MemoryExhaustedError:
    return MemoryExhaustedError(
        f"{device} ran out of memory{request_of(error)}; what was learned is kept in {folder}",
        "free memory on the device, or set `device=cpu`, and run the same command again to continue",
    )


def _source(voice: Path, text: Path | None) -> str:
    """What is learned from: the same for the same content."""
    with read_errors(text or voice):
        return json.dumps({"voice": digest(voice), "text": digest(text) if text else ""})


def _claim(folder: Path, source: str, *, fresh: bool) -> None:
    """Make sure that what is in the folder was learned from the same voice and text."""
    record = folder / "source.json"
    if fresh:
        for path in folder.iterdir():
            if path.is_file() and path.name != ".lock":
                path.unlink()
    elif record.exists() and record.read_text(encoding="utf-8") != source:
        raise UsageError(
            f"{folder} belongs to another voice or text", "add `fresh` to start again, or choose another `out`"
        )
    write_text(record, source)


def _open(voice: Path, folder: Path, text: Path | None) -> _Original:
    onnx = voice.resolve()
    if onnx.suffix != ".onnx":
        onnx = folder / "original.onnx"
        if not onnx.exists():
            export_voice(voice, onnx, force=True)
    config = VoiceConfig.read(config_path(onnx))
    open_onnx(onnx, config.num_speakers)  # raises the usual errors for a file that is not a voice
    return _Original(given=voice, onnx=onnx, config=config, graph=read_graph(onnx), texts=read_texts(config, text))


def _speak(original: _Original, folder: Path, settings: DistilSettings, show: Show) -> list[CorpusSentence]:
    with show("speak", "speaking", str, 0) as progress:
        return synthesize_corpus(
            Teacher(original.onnx, original.graph, settings.threads),
            [sentence.ids for sentence in original.texts.learned],
            folder,
            options=options_of(original.config),
            num_speakers=original.config.num_speakers,
            rate_hz=original.config.rate_hz,
            wanted_seconds=_speech_seconds(settings.limits),
            progress=progress,
        )


def _speech_seconds(limits: Limits) -> int:
    """As much speech as can be learned from in that time."""
    minutes = limits.steps * STEP_SECONDS / 60 or limits.minutes * SPEECH_PER_MINUTE or MAX_SPEECH_MINUTES
    return round(60 * min(MAX_SPEECH_MINUTES, max(MIN_SPEECH_MINUTES, minutes)))


def _open_training(
    original: _Original, material: Sequence[CorpusSentence], settings: DistilSettings, checkpoint: Path
) -> Training:
    torch.manual_seed(0)
    torch.set_num_threads(settings.threads)
    weights = original.graph.weights
    student = Student(weights)
    copy_weights(student, weights)
    speech = np.concatenate([one.wave() for one in material[:_LEVELS_OF]])
    set_levels(student, torch.from_numpy(speech)[None])
    training = Training(
        student,
        learned=material[:-WATCHED],
        watched=material[-WATCHED:],
        rate_hz=original.config.rate_hz,
        device=settings.device,
        bf16=settings.bf16,
    )
    if checkpoint.exists():
        try:
            training.restore(torch.load(checkpoint, map_location="cpu", weights_only=True))
        except (KeyError, ValueError, RuntimeError, TypeError, EOFError, pickle.UnpicklingError) as error:
            raise DamagedFileError(
                f"{checkpoint} is damaged, or was written by another version", "add `fresh` to start again"
            ) from error
    return training


def _learn(training: Training, limits: Limits, checkpoint: Path, show: Show) -> None:
    note = ""

    def report(position: Position, loss: float) -> None:
        nonlocal note
        watched = ""
        if position.mels:
            watched = f"  mel distance {position.mels[-1]:.3f}, {position.in_tune:.0%} in tune"
        note = f"loss {loss:.3f}{watched}"
        progress(position.step, position.expected_steps(limits))

    with show("learn", "learning", lambda: note, training.position.step) as progress:
        train(training, limits, checkpoint, report)


def _fast_config(training: Training, original: _Original) -> VoiceConfig:
    """The config of the original, with what the fast voice was made of."""
    made_by = {
        **original.config.made_by,
        "distilled_by": f"voxmatrix {voxmatrix.__version__}",
        "distilled_from": original.given.name,
        "original_sha256": digest(original.onnx),
        "distilled_steps": training.position.step,
    }
    return replace(original.config, made_by=made_by)


def _write(
    training: Training, original: _Original, config: VoiceConfig, spoken: Sequence[CorpusSentence], folder: Path
) -> Path:
    """Write the ONNX file of the fast voice into the folder, with its averaged weights."""
    student = training.student.cpu()
    student.load_state_dict({name: value.cpu() for name, value in training.averaged.items()})
    made = folder / "fast.onnx"
    with replacing(made) as file:
        file.write(replace_decoder(original.graph, student, spoken, metadata(config)))
    return made


def _compare(original: _Original, made: Path, fourier_hop: int, show: Show) -> tuple[list[Gate], list[Pair]]:
    """The conditions, and each sentence by both voices."""
    config, compared = original.config, original.texts.compared
    recognise = recogniser(config.espeak_voice)
    times = _ASR_REPEATS if recognise else 1
    with show("compare", "comparing", str, 0) as progress:
        spoken = speak_with_both(original.onnx, made, config, [*compared] * times, progress)
    pairs = spoken[: len(compared)]
    gates = check_acceptance(pairs, config.rate_hz, fourier_hop)
    if recognise:
        heard = pairs if failed(gates) else spoken  # a recogniser needs minutes for what is not speech
        with show("recognise", "recognising words", str, 0) as progress:
            gates.append(check_words(heard, config.rate_hz, recognise, progress))
    return gates, pairs
