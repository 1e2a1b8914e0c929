"""Send an answer piece by piece, until it is complete or the client has disconnected."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxmatrix.serve.errors import api_error
from voxmatrix.serve.speech.alignment import CharacterAlignment
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.job import SpeechUsage
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.speak.captions import Caption, CaptionWord, word_json

T = TypeVar("T")
#: A client that accepts nothing for this long is taken for gone.
SEND_TIMEOUT_SECONDS = 60.0


class Framing(Protocol):
    """Turns an answer into bytes of a response."""

    def piece(self, audio: bytes, captions: Sequence[Caption]) -> bytes:
        """A piece of audio, and the sentences that were computed since the one before, if they are wanted."""
        ...

    def end(self, spoken: SpeechUsage) -> bytes:
        """What follows the last piece."""
        ...

    def failure(self, error: Exception) -> bytes:
        """What a failure in the middle adds, before the connection is closed."""
        ...


class RawAudio:
    """The audio alone."""

    def piece(self, audio: bytes, captions: Sequence[Caption]) -> bytes:
        """The audio."""
        return audio

    def end(self, spoken: SpeechUsage) -> bytes:
        """Nothing."""
        return b""

    def failure(self, error: Exception) -> bytes:
        """Nothing: that the connection ends is all that can be said."""
        return b""


class ServerSentEvents:
    """Server-sent events."""

    def piece(self, audio: bytes, captions: Sequence[Caption]) -> bytes:
        """Audio in base 64, after the words that begin in it or later, if they were asked for."""
        words = list(map(word_json, words_of(captions)))
        said = _event({"type": "speech.audio.words", "words": words}) if words else b""
        return said + _event({"type": "speech.audio.delta", "audio": b64encode(audio).decode()})

    def end(self, spoken: SpeechUsage) -> bytes:
        """What the answer took."""
        usage = {"input_tokens": spoken.symbols, "output_tokens": spoken.frames}
        return _event({"type": "speech.audio.done", "usage": {**usage, "total_tokens": sum(usage.values())}})

    def failure(self, error: Exception) -> bytes:
        """OpenAI's error object."""
        return b"event: error\n" + _event({"type": "error", **api_error(error).body})


class CaptionedLines:
    """Objects of JSON in lines, as Kokoro-FastAPI streams them: audio in base 64, and the words that are new."""

    def __init__(self, media_type: str) -> None:
        """`media_type` is that of the audio."""
        self._media_type = media_type

    def piece(self, audio: bytes, captions: Sequence[Caption]) -> bytes:
        """A line."""
        return _line(captioned(audio, self._media_type, words_of(captions)))

    def end(self, spoken: SpeechUsage) -> bytes:
        """Nothing."""
        return b""

    def failure(self, error: Exception) -> bytes:
        """OpenAI's error object."""
        return _line(api_error(error).body)


class AlignedLines:
    """Objects of JSON in lines, as ElevenLabs streams them: audio in base 64, and the characters that are new."""

    def __init__(self, text: str) -> None:
        self._alignment = CharacterAlignment(text)

    def piece(self, audio: bytes, captions: Sequence[Caption]) -> bytes:
        """A line."""
        return _line(aligned(audio, self._alignment.next(captions)))

    def end(self, spoken: SpeechUsage) -> bytes:
        """A line with the characters after the last word, if there are any."""
        rest = self._alignment.rest()
        return _line(aligned(b"", rest)) if rest else b""

    def failure(self, error: Exception) -> bytes:
        """OpenAI's error object."""
        return _line(api_error(error).body)


def aligned(audio: bytes, alignment: dict[str, Any] | None) -> dict[str, Any]:
    """Sound and its characters, as ElevenLabs writes them. Those of the text in words are not told."""
    return {"audio_base64": b64encode(audio).decode(), "alignment": alignment, "normalized_alignment": None}


def words_of(captions: Iterable[Caption]) -> list[CaptionWord]:
    """The words of sentences."""
    return [word for caption in captions for word in caption.words]


def captioned(audio: bytes, media_type: str, words: Iterable[CaptionWord]) -> dict[str, Any]:
    """Sound and its words, as Kokoro-FastAPI writes them."""
    times = [{"word": one.text, "start_time": one.start_ms / 1000, "end_time": one.end_ms / 1000} for one in words]
    return {"audio": b64encode(audio).decode(), "audio_format": media_type, "timestamps": times}


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


class SpeechResponse(Response):
    """An answer whose first piece is known. A failure after it ends the connection without a clean end."""

    def __init__(self, answer: Answer, first: bytes, framing: Framing, media_type: str) -> None:
        super().__init__(media_type=media_type, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._answer = answer
        self._first = first
        self._framing = framing
        self._captions = 0  # that were sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything.

        Raises:
            ClientDisconnectedError: the client has disconnected.
            VoxmatrixError: the server failed.
        """
        try:
            await cancel_on_disconnect(receive, self._send_all(send))
        finally:
            await asyncio.shield(self._answer.close())

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for piece in self._pieces():
                await _send(send, piece, more=True)
        except Exception as error:
            if failure := self._framing.failure(error):
                await _send(send, failure, more=True)
            raise
        await _send(send, self._framing.end(self._answer.spoken), more=False)

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield self._framing.piece(self._first, self._new_captions())
        async for piece in self._answer.rest():
            yield self._framing.piece(piece, self._new_captions())

    def _new_captions(self) -> list[Caption]:
        captions = self._answer.spoken.captions[self._captions :]
        self._captions += len(captions)
        return captions


async def cancel_on_disconnect(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Do the work. It is cancelled when the client disconnects.

    Raises:
        ClientDisconnectedError: the client has disconnected.
    """
    working = asyncio.ensure_future(work)
    disconnected = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait([working, disconnected], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnectedError
        return working.result()
    finally:
        for task in (working, disconnected):
            task.cancel()
        await asyncio.wait([working, disconnected])


async def send_with_timeout(sending: Awaitable[None]) -> None:
    """Wait until the client has accepted what is being sent.

    Raises:
        ClientDisconnectedError: it accepts nothing any more.
    """
    try:
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
            await sending
    except TimeoutError as error:
        raise ClientDisconnectedError from error


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass


async def _send(send: Send, data: bytes, *, more: bool) -> None:
    await send_with_timeout(send({"type": "http.response.body", "body": data, "more_body": more}))
