"""Speak with the original and the fast voice: the same sentences, with the same noise."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.distil.acceptance import Pair
from voxmatrix.distil.compare import options_of
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.inputs import sentence_inputs
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence

#: Sentences whose times are compared, and how often.
_TIMED, _ROUNDS = 10, 3


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
