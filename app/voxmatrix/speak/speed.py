"""How fast a voice speaks on this computer's CPU, measured in a second or two."""

import time
from pathlib import Path

from voxmatrix.piper.voice import open_voice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.synthesize import front_end, synthesize

_WARM_UP = "This one is not measured."
_TEXT = "A voice is measured with sentences of the usual length, such as this one. It takes two of them, no more."


def measured_speed(voice: Path) -> float:
    """Seconds of audio per second, with all threads.

    Raises:
        As `open_voice`.
    """
    settings = SpeakSettings(seed=0)
    with open_voice(voice, settings.threads, settings.seed) as opened, front_end(opened, settings) as front:
        list(synthesize(opened, front, [_WARM_UP], settings))
        started = time.perf_counter()
        samples = sum(len(spoken.samples) for spoken in synthesize(opened, front, [_TEXT], settings))
        return samples / opened.config.rate_hz / (time.perf_counter() - started)
