"""The routes of VibeVoice's demo server, for its clients: `GET /config` and `WS /stream`."""

import asyncio
import json
import math
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect, status

from voxmatrix.serve.catalogue import UnknownVoiceError, find_voice
from voxmatrix.serve.errors import ApiError, api_error, explanation, is_server_problem
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.routes.speech import check_length
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.formats import PCM_RATE_HZ
from voxmatrix.serve.speech.job import SpeechJob
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.serve.speech.sending import cancel_on_disconnect, send_with_timeout

#: A client that has not sent a text in its query sends one within this time.
FIRST_MESSAGE_SECONDS = 10.0
_BYTES_PER_SECOND = 2 * PCM_RATE_HZ
#: Half a second of audio: some clients accept no longer messages than 1 MiB.
_MESSAGE_BYTES = _BYTES_PER_SECOND // 2
_DEFAULT_SCALE = 1.5


def vibevoice_routes(services: Services) -> APIRouter:
    """The routes of VibeVoice's demo."""
    router = APIRouter(route_class=Route)

    @router.get("/config")
    def config() -> dict[str, Any]:
        """The names of the voices."""
        return {"voices": list(services.catalogue.voices()), "default_voice": services.catalogue.default.id}

    @router.websocket("/stream")
    async def stream(socket: WebSocket) -> None:
        """Speak a text: samples (24 kHz, 16 bits, mono) as binary messages, between messages about the progress."""
        record = record_of(socket)
        try:
            await socket.accept()
            await socket.close(*await _answered(socket, services))
        except (ClientDisconnectedError, WebSocketDisconnect):
            record.ended_by = "client"

    return router


async def _answered(socket: WebSocket, services: Services) -> tuple[int, str]:
    """Answer, and return the code and the reason to close with.

    Raises:
        ClientDisconnectedError, WebSocketDisconnect: the client has disconnected.
    """
    try:
        text = await _text(socket)
        await cancel_on_disconnect(socket.receive, _speak(socket, text, services))
    except (ClientDisconnectedError, WebSocketDisconnect):
        raise
    except Exception as error:
        answer = api_error(error)
        if is_server_problem(error):
            record_of(socket).problem = explanation(error)
        if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            await _log(socket, "backend_busy", message=answer.message)
            return status.WS_1013_TRY_AGAIN_LATER, "Service busy"
        await _log(socket, "generation_error", message=answer.message)
        if is_server_problem(error):
            return status.WS_1011_INTERNAL_ERROR, "the speech is not complete"
        return status.WS_1008_POLICY_VIOLATION, "the request is not valid"
    await _log(socket, "backend_stream_complete")
    return status.WS_1000_NORMAL_CLOSURE, ""


async def _text(socket: WebSocket) -> str:
    """The text in the query or, without one, the first message.

    Raises:
        ApiError: no message came in time.
        WebSocketDisconnect: the client has disconnected.
    """
    if "text" in socket.query_params:
        return socket.query_params["text"]
    try:
        async with asyncio.timeout(FIRST_MESSAGE_SECONDS):
            message = await socket.receive()
    except TimeoutError as error:
        raise ApiError(408, "send the text in the query or as the first message") from error
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return str(message.get("text") or "")


async def _speak(socket: WebSocket, text: str, services: Services) -> None:
    """Send the speech.

    Raises:
        ApiError: the text cannot be spoken, or too many answers wait.
        VoxmatrixError: the server failed.
        ClientDisconnectedError, WebSocketDisconnect: the client has disconnected.
    """
    asked = socket.query_params
    await _log(
        socket,
        "backend_request_received",
        text_length=len(text),
        cfg_scale=_positive(asked.get("cfg")) or _DEFAULT_SCALE,
        inference_steps=int(_positive(asked.get("steps"))) or None,
        voice=asked.get("voice"),
    )
    check_length(text, services.settings.max_input, "text")
    answer = services.speech.begin(_job(text, asked.get("voice", ""), services))
    record = record_of(socket)
    record.voice, record.spoken = answer.job.voice.id, answer.spoken
    try:
        await _send_all(socket, answer)
    finally:
        await asyncio.shield(answer.close())


def _job(text: str, name: str, services: Services) -> SpeechJob:
    """The job. An unknown voice is the default one, as in the demo."""
    voices = services.catalogue.voices()
    try:
        voice, speaker = find_voice(voices, name)
    except UnknownVoiceError:
        voice, speaker = services.catalogue.default, None
    style = replace(services.settings.style, speaker=speaker)
    return SpeechJob(text=text, voice=voice, style=style, format="pcm", voices=voices)


async def _send_all(socket: WebSocket, answer: Answer) -> None:
    sent = 0
    piece = await answer.first()
    rest = answer.rest()
    while piece:
        for place in range(0, len(piece), _MESSAGE_BYTES):
            audio = piece[place : place + _MESSAGE_BYTES]
            generated = (sent + len(audio)) / _BYTES_PER_SECOND
            await _log(socket, "model_progress", generated_sec=generated, chunk_sec=len(audio) / _BYTES_PER_SECOND)
            await send_with_timeout(socket.send_bytes(audio))
            if not sent:
                await _log(socket, "backend_first_chunk_sent")
            sent += len(audio)
        piece = await anext(rest, b"")


async def _log(socket: WebSocket, event: str, **data: Any) -> None:
    """Send a message of the kind that the demo's page shows."""
    timestamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    message = {"type": "log", "event": event, "data": data, "timestamp": timestamp}
    await send_with_timeout(socket.send_text(json.dumps(message)))


def _positive(text: str | None) -> float:
    """A positive number; 0 for anything else. Our voices have neither a guidance scale nor steps."""
    try:
        number = float(text or 0)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) and number > 0 else 0.0
