"""How fast a voice speaks on this computer's CPU, measured in a second or two."""

import time
from contextlib import closing

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.speak.narration import Narration
from voxmatrix.voices.resolve import open_voice

_WARM_UP = "This one is not measured."
_TEXT = "A voice is measured with sentences of the usual length, such as this one. It takes two of them, no more."


def measured_speed(voice: VoiceCard) -> float:
    """Seconds of audio per second, with all threads.

    Raises:
        BadInputError: it can speak no word of English.
        And as `open_voice`.
    """
    style = Style(seed=0)
    with closing(open_voice(voice)) as opened:
        list(Narration(opened, _WARM_UP, style))
        started = time.perf_counter()
        seconds = sum(piece.sentence.seconds for piece in Narration(opened, _TEXT, style))
        return seconds / (time.perf_counter() - started)
