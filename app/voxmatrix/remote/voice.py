"""An open remote voice: each sentence is a request to its server."""

import re
import threading
from collections.abc import Collection
from functools import partial

from voxmatrix.audio.waves import Samples
from voxmatrix.closing import Closeable
from voxmatrix.errors import Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import Utterance
from voxmatrix.models.style import Style
from voxmatrix.remote.client import speech
from voxmatrix.remote.servers import RemoteVoice, Server
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.symbols import GIVEN_PHONEMES
from voxmatrix.wording import quoted

_PHONEMES = re.compile(GIVEN_PHONEMES)


class RemoteOpenVoice(Closeable):
    """A voice of a server. It holds nothing, and need not be closed."""

    is_loaded = True
    processes: Collection[int] = ()

    def __init__(self, card: VoiceCard, voice: RemoteVoice, server: Server) -> None:
        self.card = card
        self.parallel = server.parallel
        self._voice, self._server = voice, server

    def load(self) -> None:
        """Nothing: the server may load a voice when it is first asked for it."""

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Ask for a sentence, as one segment. No server is asked for a seed: what it means differs."""
        words = _PHONEMES.sub("", text.text)
        left_out = "[[phonemes]]" if words != text.text else ""
        if not any(map(str.isalnum, words)):
            words, left_out = "", quoted(text.text)
        finding = Finding(
            problem=f"{left_out} cannot be sent to a server; it is left out",
            remedy="write it in words, or remove it",
            severity="warning",
        )
        cancelled = threading.Event()
        return Utterance(
            segments=[partial(self._speak, words, style.speed, cancelled)] if words else (),
            symbols=len(words),
            findings=(finding,) if left_out else (),
            cancel=cancelled.set,
        )

    def warnings(self) -> tuple[Finding, ...]:
        """None."""
        return ()

    def close(self) -> None:
        """Nothing."""

    def _speak(self, words: str, speed: float, cancelled: threading.Event) -> Samples:
        return speech(self._server, self._voice, words, speed, cancelled).samples
