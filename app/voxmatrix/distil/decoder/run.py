"""The whole way from a voice to a fast one: speak, learn, compare, write."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

import voxmatrix
from voxmatrix.compute.memory import memory_errors
from voxmatrix.distil.acceptance import Gate, Pair, check_acceptance, check_words, failed
from voxmatrix.distil.compare import options_of, recogniser
from voxmatrix.distil.decoder.compare import speak_with_both, times_as_fast
from voxmatrix.distil.decoder.corpus import CorpusSentence, OriginalVoice, synthesize_corpus
from voxmatrix.distil.decoder.graph import VoiceGraph, read_graph
from voxmatrix.distil.decoder.network import FastDecoder, copy_weights, set_levels
from voxmatrix.distil.decoder.replace import replace_decoder
from voxmatrix.distil.decoder.training import DecoderTrainer
from voxmatrix.distil.result import Distilled, GatesError
from voxmatrix.distil.session import (
    Show,
    check_out,
    claim,
    interruptible,
    learn,
    out_of_memory,
    restore,
    source_of,
    speech_seconds,
)
from voxmatrix.distil.texts import Texts, read_texts
from voxmatrix.distil.trainer import Limits
from voxmatrix.errors import (
    VoxmatrixError,
)
from voxmatrix.files import digest, replacing
from voxmatrix.lock import locked
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.piper.export.export import export_voice, write_voice
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.piper.files import config_path
from voxmatrix.train.checkpoint.files import write as write_checkpoint

#: Sentences on which the curve is measured.
WATCHED = 8
#: Utterances from which the mean spectrum is taken.
_LEVELS_OF = 20
#: Utterances in which the ranges of numbers are measured.
_MEASURED = 48
#: The fast voice, before it is compared.
_MADE = "fast.onnx"
#: How often each compared sentence is spoken for a recogniser of words, each time with other noise.
_ASR_REPEATS = 3


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
    voice, folder = settings.voice, settings.out.with_suffix(".distil")
    check_out(settings.out, folder / _MADE, force=settings.force)
    checkpoint, source = folder / "state.ckpt", source_of(voice, settings.text)
    with locked(folder, "distillation", "wait for it, or choose another `out`"):
        claim(folder, source, fresh=settings.fresh)
        try:
            original = _open(voice, folder, settings.text)
        except VoxmatrixError:
            if not any(folder.glob("*.npz")):
                shutil.rmtree(folder, ignore_errors=True)  # nothing was done that could be continued
            raise
        with interruptible(f"what was spoken so far is kept in {folder}", "continue"):
            material = _speak(original, folder, settings, show)
        with memory_errors(partial(out_of_memory, settings.device, folder)):
            training = _open_training(original, material, settings, checkpoint)
            if training.position.rejected and not settings.force:  # with it, what was learned is written
                training.position.go_on()
            learn(training, settings.limits, checkpoint, show)
        fast = _fast_config(training, original)
        made = _write(training, original, fast, material[:_MEASURED], folder)
        with interruptible(f"what was learned is kept in {folder}", "compare"):
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
    with show("speak", "speaking", lambda: "seconds of speech", 0) as progress:
        return synthesize_corpus(
            OriginalVoice(original.onnx, original.graph, settings.threads),
            [sentence.ids for sentence in original.texts.train],
            folder,
            options=options_of(original.config),
            num_speakers=original.config.num_speakers,
            rate_hz=original.config.rate_hz,
            wanted_seconds=speech_seconds(settings.limits),
            progress=progress,
        )


def _open_training(
    original: _Original, material: Sequence[CorpusSentence], settings: DistilSettings, checkpoint: Path
) -> DecoderTrainer:
    torch.manual_seed(0)
    torch.set_num_threads(settings.threads)
    weights = original.graph.weights
    student = FastDecoder(weights)
    copy_weights(student, weights)
    speech = np.concatenate([one.wave() for one in material[:_LEVELS_OF]])
    set_levels(student, torch.from_numpy(speech)[None])
    training = DecoderTrainer(
        student,
        train=material[:-WATCHED],
        validation=material[-WATCHED:],
        rate_hz=original.config.rate_hz,
        device=settings.device,
        bf16=settings.bf16,
    )
    restore(training, checkpoint)
    return training


def _fast_config(training: DecoderTrainer, original: _Original) -> VoiceConfig:
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
    training: DecoderTrainer, original: _Original, config: VoiceConfig, spoken: Sequence[CorpusSentence], folder: Path
) -> Path:
    """Write the ONNX file of the fast voice into the folder, with its averaged weights."""
    student = training.student.cpu()
    student.load_state_dict({name: value.cpu() for name, value in training.ema_weights.items()})
    made = folder / _MADE
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
