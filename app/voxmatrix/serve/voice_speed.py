"""How fast the voices of a server speak on its CPUs."""

import threading

from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.book_process import measure_in_process
from voxmatrix.serve.errors import ApiError
from voxmatrix.speak.speed import kept_speed


def speed_here(voice: VoiceCard, left: threading.Event, closing: threading.Event) -> dict[str, float]:
    """What `voices speed --json` prints of a voice, which is measured if it was not yet.

    Args:
        voice: the voice.
        left: is set when the client has left.
        closing: is set when the server ends.

    Raises:
        ApiError: the voice cannot speak, or others are being measured.
        ClientDisconnectedError: the client has left while others were measured.
    """
    if kept_speed(voice) is None:
        measure_in_process(voice.path.absolute(), lambda: kept_speed(voice) is not None, left, closing)
    found = kept_speed(voice)
    if found is None:
        raise ApiError(500, "the server failed to keep how fast the voice is", code="internal_error")
    return {"speed": round(found.slow, 2), "speed_if_free": round(found.fast, 2)}
