"""Speak with the original and the fast voice: the same sentences, with the same noise; and hear their words."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.distil.acceptance import Pair
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.inputs import sentence_inputs
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence

#: Sentences whose times are compared, and how often.
_TIMED, _ROUNDS = 10, 3


def options_of(config: VoiceConfig, speaker: int = 0) -> SynthesisOptions:
    """How the voice speaks if nothing is asked for."""
    return SynthesisOptions(
        speaker=speaker, noise=config.noise_scale, length=config.length_scale, noise_w=config.noise_w
    )


def speak_with_both(
    original: Path, fast: Path, config: VoiceConfig, sentences: Sequence[Sentence], progress: OnProgress
) -> list[Pair]:
    """Each sentence by both voices, by the first and the last speaker in turn."""
    voices = [open_onnx(path, config.num_speakers) for path in (original, fast)]
    speakers = sorted({0, config.num_speakers - 1})
    pairs = []
    for number, sentence in enumerate(sentences):
        waves = []
        for voice in voices:
            begun = voice.begin(sentence.ids, options_of(config, speakers[number % len(speakers)]), number)
            waves.append(np.concatenate([segment() for segment in begun.segments]))
        pairs.append(Pair(sentence.text, *waves))
        progress(number + 1, len(sentences))
    return pairs


def times_as_fast(original: Path, fast: Path, config: VoiceConfig, sentences: Sequence[Sentence]) -> float:
    """The ratio of CPU times in onnxruntime with its defaults, as in other programs, on one thread, interleaved."""
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    sessions = [onnxruntime.InferenceSession(str(path), options) for path in (original, fast)]
    plain = SynthesisOptions(noise=0.0, length=config.length_scale, noise_w=0.0)
    ratios = []
    for sentence in list(sentences[:_TIMED]) * _ROUNDS:
        inputs, spent = sentence_inputs(sentence.ids, plain), []
        for session in sessions:
            began = time.process_time()
            session.run(None, {one.name: inputs[one.name] for one in session.get_inputs()})
            spent.append(time.process_time() - began)
        ratios.append(spent[0] / max(spent[1], 1e-6))
    return float(np.median(ratios))


_RATE_HZ = 16000


def recogniser(language: str) -> Callable[[Samples, int], str] | None:
    """A function from samples and their rate to text; None if the language is another, or nothing is installed."""
    if language.partition("-")[0] != "en":
        return None
    try:
        from pocketsphinx import Decoder
    except ImportError:
        return None
    decoder = Decoder(samprate=_RATE_HZ, loglevel="FATAL")
    return lambda samples, rate_hz: _heard(decoder, samples, rate_hz)


def _heard(decoder: Any, samples: Samples, rate_hz: int) -> str:
    import soxr

    padded = np.pad(soxr.resample(samples, rate_hz, _RATE_HZ), _RATE_HZ // 5)
    decoder.start_utt()
    decoder.process_raw((np.clip(padded, -1, 1) * 32767).astype(np.int16).tobytes(), full_utt=True)
    decoder.end_utt()
    hypothesis = decoder.hyp()
    return str(hypothesis.hypstr) if hypothesis else ""
