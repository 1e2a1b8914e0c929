"""How fast a voice speaks on this computer's CPU, measured in a second or two."""

import time
from contextlib import closing

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.speak.synthesize import in_words, synthesize
from voxmatrix.voices.resolve import open_voice

_WARM_UP = "This one is not measured."
_TEXT = "A voice is measured with sentences of the usual length, such as this one. It takes two of them, no more."


def measured_speed(voice: VoiceCard) -> float:
    """Seconds of audio per second, with all threads.

    Raises:
        As `open_voice`.
    """
    style = Style(seed=0)
    with closing(open_voice(voice)) as opened:
        list(synthesize(opened, in_words([_WARM_UP], voice, style), style))
        started = time.perf_counter()
        spoken = synthesize(opened, in_words([_TEXT], voice, style), style)
        return sum(part.seconds for part in spoken) / (time.perf_counter() - started)
