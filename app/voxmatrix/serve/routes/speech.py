"""`POST /v1/audio/speech`, as OpenAI's API has it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import MAX_SEED, Style
from voxmatrix.serve.catalogue import BUILT_IN, MODELS, Knobs, UnknownVoiceError, check_fields, find
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.formats import CONTENT_TYPES, FormatName
from voxmatrix.serve.speech.job import SpeechJob
from voxmatrix.serve.speech.sending import RawAudio, ServerSentEvents, SpeechResponse, cancel_on_disconnect

_EVENT_STREAM = "text/event-stream"
_BINARY = {"type": "string", "format": "binary"}
_Name = Annotated[str, Field(max_length=256)]


class VoiceId(BaseModel):
    """A voice as an object."""

    id: _Name


class SpeechRequest(BaseModel):
    """The body. Fields that OpenAI may add are ignored."""

    model: Annotated[_Name, Field(examples=["tts-1"])]
    input: Annotated[str, Field(examples=["Hello there."])]
    voice: Annotated[_Name | VoiceId, Field(examples=["alloy"])]
    instructions: Annotated[str, Field(max_length=4096)] | None = (
        None  # accepted and ignored: our voices have one style
    )
    response_format: FormatName = "mp3"
    speed: Annotated[float, Field(ge=0.25, le=4.0, allow_inf_nan=False)] = 1.0
    stream_format: Literal["audio", "sse"] = "audio"
    knobs: Knobs = {}
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None  # the same seed gives the same speech


def speech_routes(services: Services) -> APIRouter:
    """The route of OpenAI's speech API."""
    router = APIRouter(route_class=Route)

    answers: dict[int | str, dict[str, Any]] = {200: audio_content(*CONTENT_TYPES.values())}
    answers[200]["content"][_EVENT_STREAM] = {}

    @router.post("/v1/audio/speech", response_class=Response, responses=answers)
    async def create_speech(body: SpeechRequest, request: Request) -> Response:
        """Speak a text, sentence by sentence."""
        check_length(body.input, services.settings.max_input, "input")
        voice, speaker = chosen_voice(services.catalogue.voices(), body)
        style = Style(speaker=speaker, speed=body.speed, knobs=body.knobs, seed=body.seed)
        check_fields(voice, speed=body.speed, knobs=body.knobs)
        # With a seed, the samples depend on nothing but the request: not on how loud earlier answers were, nor on what
        # of a sentence is ready when it is sent.
        streamed = body.seed is None
        job = SpeechJob(text=body.input, voice=voice, style=style, format=body.response_format, streamed=streamed)
        record_of(request).voice = voice.id
        answer = services.speech.begin(job)
        first = await first_piece(answer, request)
        record_of(request).spoken = answer.spoken
        if body.stream_format == "sse":
            return SpeechResponse(answer, first, ServerSentEvents(), _EVENT_STREAM)
        return SpeechResponse(answer, first, RawAudio(), CONTENT_TYPES[body.response_format])

    return router


def audio_content(*types: str) -> dict[str, Any]:
    """What the OpenAPI document says of an answer that is sound."""
    return {"description": "The speech", "content": {kind: {"schema": _BINARY} for kind in types}}


async def first_piece(answer: Answer, request: Request) -> bytes:
    """The first piece of an answer, which is closed if there is none.

    Raises:
        ClientDisconnectedError: the client has disconnected.
        ApiError, VoxmatrixError: see `Answer.first`.
    """
    try:
        return await cancel_on_disconnect(request.receive, answer.first())
    except BaseException:
        await answer.close()
        raise


def check_length(text: str, most: int, param: str) -> None:
    """Check the length of a text.

    Raises:
        ApiError: it is too long, or empty.
    """
    if len(text) > most:
        message = f"{param} has {len(text):,} characters; at most {most:,} are allowed"
        raise ApiError(400, message, param=param, code="string_above_max_length")
    if not text.strip():
        raise ApiError(400, f"{param} is empty", param=param, code="string_below_min_length")


def chosen_voice(voices: Mapping[str, VoiceCard], body: SpeechRequest) -> tuple[VoiceCard, str | None]:
    """The voice and its speaker. A model can be the name of a voice, which then stands for OpenAI's voice names.

    Raises:
        ApiError: there is no such model or voice.
    """
    name = body.voice if isinstance(body.voice, str) else body.voice.id
    try:
        by_model = None if body.model in MODELS else find(voices, body.model)
    except UnknownVoiceError as error:
        message = f"there is no such model; choose one of: {', '.join([*MODELS, *voices])}"
        raise ApiError(404, message, param="model", code="model_not_found") from error
    if by_model is not None and name in BUILT_IN and name not in voices:
        return by_model
    try:
        return find(voices, name)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, param="voice", code="invalid_value") from error
