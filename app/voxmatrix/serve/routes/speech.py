"""`POST /v1/audio/speech`, as OpenAI's API has it."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.catalogue import (
    BUILT_IN,
    MODELS,
    UnknownVoiceError,
    VoiceList,
    find_voice,
    in_language,
)
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.fields import check_fields
from voxmatrix.serve.speech.formats import CONTENT_TYPES, FORMAT_NAMES, Encoding
from voxmatrix.serve.speech.job import SpeechJob
from voxmatrix.serve.speech.request import SpeechRequest
from voxmatrix.serve.speech.sending import RawAudio, ServerSentEvents, SpeechResponse, cancel_on_disconnect
from voxmatrix.speak.wav import HEADER_BYTES, header
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.voices.families import families

_EVENT_STREAM = "text/event-stream"
_BINARY = {"type": "string", "format": "binary"}
#: How much longer a lexicon may make a text than a text may be.
_MAX_LONGER = 4


def speech_routes(services: Services) -> APIRouter:
    """The route of OpenAI's speech API."""
    router = APIRouter(route_class=Route)

    answers: dict[int | str, dict[str, Any]] = {200: audio_content(*map(CONTENT_TYPES.__getitem__, FORMAT_NAMES))}
    answers[200]["content"][_EVENT_STREAM] = {}

    @router.post("/v1/audio/speech", response_class=Response, responses=answers)
    async def create_speech(body: SpeechRequest, request: Request) -> Response:
        """Speak a text, sentence by sentence."""
        return await speak(services, body, request)

    return router


async def speak(
    services: Services, body: SpeechRequest, request: Request, encoding: Encoding | None = None
) -> Response:
    """The answer to a request, as it is sent. `encoding` replaces the format of the request.

    Raises:
        As `begun`.
    """
    if body.timestamp_granularities and body.stream_format != "sse":
        message = "timestamp_granularities needs stream_format sse; /dev/captioned_speech answers with JSON"
        raise ApiError(400, message, param="timestamp_granularities", code="invalid_value")
    answer, first = await begun(services, body, request, timed=bool(body.timestamp_granularities), encoding=encoding)
    media_type = CONTENT_TYPES[answer.job.format]
    if body.stream_format == "sse":
        response: Response = SpeechResponse(answer, first, ServerSentEvents(), _EVENT_STREAM)
    elif body.stream:
        response = SpeechResponse(answer, first, RawAudio(), media_type)
    else:
        sound = await complete(answer, first, request)
        response = Response(sound, media_type=media_type, headers=warning_header(answer))
    if ignored := body.ignored():
        response.headers["X-Ignored-Fields"] = ignored
    return response


async def begun(
    services: Services, body: SpeechRequest, request: Request, *, timed: bool, encoding: Encoding | None = None
) -> tuple[Answer, bytes]:
    """The answer to a request, and its first piece. `encoding` replaces the format of the request.

    Raises:
        ApiError: the request cannot be answered.
        ClientDisconnectedError: the client has disconnected.
        VoxmatrixError: the server failed.
    """
    check_length(body.input, services.settings.max_input, "input")
    voices = services.catalogue.voices()
    voice, speaker = chosen_voice(voices, body)
    if body.lang_code:
        voice = spoken_in(voice, body.lang_code)
    lexicon = Lexicon(tuple(body.lexicon.items()))
    check_length(lexicon.apply(body.input), _MAX_LONGER * services.settings.max_input, "lexicon")
    given = {field: value for field, value in body.style_fields().items() if value is not None}
    if body.lexicon:
        given["lexicon"] = services.settings.lexicon.under(lexicon)
    style = replace(services.settings.style, speaker=speaker, **given)
    for param in ("dialogue_voice", "emphasis_voice"):
        _check_voice(voices, getattr(style, param), param)
    for name in body.cast.values():
        _check_voice(voices, name, "cast")
    check_fields(voice, speed=body.speed, knobs=body.knobs)
    style = replace(style, reference=await run_in_threadpool(body.reference, voice, voices))
    if style.reference is not None:  # its files keep who has agreed to a voice; the log, who to this
        facts = {"voice": voice.id, "sha256": style.reference.sha256, "consent": body.consent}
        services.log("reference", {"id": record_of(request).id, **facts})
    encoding = encoding or Encoding(format=body.response_format)
    # With a seed, the samples depend on nothing but the request: not on how loud earlier answers were, nor on what of a
    # sentence is ready when it is sent.
    streamed = body.seed is None and body.stream
    job = SpeechJob(
        text=body.input,
        voice=voice,
        style=style,
        format=encoding.format,
        rate_hz=encoding.rate_hz,
        kbit=encoding.kbit,
        streamed=streamed,
        voices=voices,
        cast=body.cast,
        timed=timed,
    )
    record_of(request).voice = voice.id
    answer = services.speech.begin(job)
    first = await first_piece(answer, request)
    record_of(request).spoken = answer.spoken
    return answer, first


def _check_voice(voices: VoiceList, name: str, param: str) -> None:
    """Check that there is such a voice, if one is named.

    Raises:
        ApiError: there is none.
    """
    try:
        if name:
            find_voice(voices, name)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, param=param, code="invalid_value") from error


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


async def complete(answer: Answer, first: bytes, request: Request) -> bytes:
    """A whole answer. The header of a WAV file then has its length.

    Raises:
        ClientDisconnectedError: the client has disconnected.
        VoxmatrixError: the server failed.
    """
    try:
        sound = first + await cancel_on_disconnect(request.receive, answer.all())
    finally:
        await answer.close()
    return with_length(answer, sound)


def warning_header(answer: Answer) -> dict[str, str]:
    """The header that tells of a whole answer what of its sound is not as its text may be meant; none if all is."""
    told = "; ".join(filter(None, [answer.spoken.warning, *answer.spoken.hints]))
    return {"X-Voxmatrix-Warning": told} if told else {}


def with_length(answer: Answer, sound: bytes) -> bytes:
    """A whole answer, with its length in the header of a WAV file."""
    if answer.job.format != "wav":
        return sound
    rate_hz = answer.job.encoding.sent_rate_hz(answer.job.voice.rate_hz)
    return header(rate_hz, len(sound) - HEADER_BYTES) + sound[HEADER_BYTES:]


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


def spoken_in(voice: VoiceCard, language: str) -> VoiceCard:
    """The voice as it speaks the language of `lang_code`.

    Raises:
        ApiError: it does not.
    """
    try:
        return in_language(voice, language)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, param="lang_code", code="invalid_value") from error


def chosen_voice(voices: VoiceList, body: SpeechRequest) -> tuple[VoiceCard, str | None]:
    """The voice and its speaker. A model can be the name of a voice, which then stands for OpenAI's voice names.

    The name of a family, such as kokoro, says nothing that the name of the voice does not say.

    Raises:
        ApiError: there is no such model or voice.
    """
    name = body.voice if isinstance(body.voice, str) else body.voice.id
    try:
        known = {*MODELS, *(family.name for family in families())}
        by_model = None if body.model.lower() in known else find_voice(voices, body.model)
    except UnknownVoiceError as error:
        message = f"there is no such model; choose one of: {', '.join([*MODELS, *voices])}"
        raise ApiError(404, message, param="model", code="model_not_found") from error
    if by_model is not None and name.lower() in BUILT_IN and name not in voices:
        return by_model
    try:
        return find_voice(voices, name)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, param="voice", code="invalid_value") from error
