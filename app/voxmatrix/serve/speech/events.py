"""How the pieces of an answer are framed: as they are, or as OpenAI's server-sent events."""

import json
from base64 import b64encode
from typing import Any, Protocol

from voxmatrix.serve.errors import api_error
from voxmatrix.serve.speech.job import SpeechUsage


class Framing(Protocol):
    """Turns an answer into bytes of a response."""

    def piece(self, audio: bytes) -> bytes:
        """A piece of audio."""
        ...

    def end(self, spoken: SpeechUsage) -> bytes:
        """What follows the last piece."""
        ...

    def failure(self, error: Exception) -> bytes:
        """What a failure in the middle adds, before the connection is closed."""
        ...


class Audio:
    """The audio alone."""

    def piece(self, audio: bytes) -> bytes:
        """The audio."""
        return audio

    def end(self, spoken: SpeechUsage) -> bytes:
        """Nothing."""
        return b""

    def failure(self, error: Exception) -> bytes:
        """Nothing: that the connection ends is all that can be said."""
        return b""


class Events:
    """Server-sent events."""

    def piece(self, audio: bytes) -> bytes:
        """Audio in base 64."""
        return _event({"type": "speech.audio.delta", "audio": b64encode(audio).decode()})

    def end(self, spoken: SpeechUsage) -> bytes:
        """What the answer took."""
        usage = {"input_tokens": spoken.symbols, "output_tokens": spoken.frames}
        return _event({"type": "speech.audio.done", "usage": {**usage, "total_tokens": sum(usage.values())}})

    def failure(self, error: Exception) -> bytes:
        """OpenAI's error object."""
        return b"event: error\n" + _event({"type": "error", **api_error(error).body})


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()
