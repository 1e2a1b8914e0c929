"""What a voice is compared with its origin by: how it speaks if nothing is asked for, and who hears its words."""

from collections.abc import Callable
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import SynthesisOptions

_RATE_HZ = 16000


def options_of(config: VoiceConfig, speaker: int = 0) -> SynthesisOptions:
    """How the voice speaks if nothing is asked for."""
    return SynthesisOptions(
        speaker=speaker, noise=config.noise_scale, length=config.length_scale, noise_w=config.noise_w
    )


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
