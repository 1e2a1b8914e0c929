"""The routes of piper-tts' own HTTP server, for its clients."""

import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.library import LibraryVoice
from voxmatrix.models.style import Style
from voxmatrix.serve.catalogue import announced_languages
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.routes.library import hub_errors
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.routes.speech import audio_content, check_length, complete, first_piece, warning_header
from voxmatrix.serve.services import Services
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.serve.speech.job import SpeechJob
from voxmatrix.voices.library import install, search

_MEDIA_TYPE = "audio/wav"
_Scale = Annotated[float, Field(ge=0.0, le=10.0, allow_inf_nan=False)]
_Length = Annotated[float, Field(ge=0.1, le=10.0, allow_inf_nan=False)]


class PiperRequest(BaseModel):
    """The body of `/synthesize`. Numbers may be text, as Piper's server converts them."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    text: Annotated[str, Field(examples=["Hello there."])]
    voice: str | None = None
    speaker: str | None = None
    speaker_id: int | None = None  # overrides `speaker`
    length_scale: _Length | None = None
    noise_scale: _Scale | None = None
    noise_w_scale: _Scale | None = None


class DownloadRequest(BaseModel):
    """The body of `/download`. What else Piper's server understands is ignored."""

    voice: Annotated[str, Field(max_length=256)]


def piper_routes(services: Services) -> APIRouter:
    """The routes of Piper's HTTP server."""
    router = APIRouter(route_class=Route)
    content = {"application/json": {"schema": PiperRequest.model_json_schema()}}
    body_schema = {"requestBody": {"content": content, "required": True}}
    plain_schema = {"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True}}
    answers: dict[int | str, dict[str, Any]] = {200: audio_content(_MEDIA_TYPE)}

    @router.post("/synthesize", response_class=Response, openapi_extra=body_schema, responses=answers)
    async def synthesize(request: Request) -> Response:
        """Speak a text into a complete WAV file."""
        return await speak(_parsed(await request.body()), request)

    @router.get("/synthesize", response_class=Response, responses=answers)
    async def synthesize_query(text: str, request: Request) -> Response:
        """Speak a text. `GET /?text=` is the same, for clients of Piper's server before 2026."""
        return await speak(PiperRequest(text=text), request)

    @router.post("/", response_class=Response, responses=answers, openapi_extra=plain_schema)
    async def synthesize_plain(request: Request) -> Response:
        """Speak the body, a plain text, as Piper's server did before 2026."""
        return await speak(PiperRequest(text=(await request.body()).decode("utf-8", "replace")), request)

    async def speak(body: PiperRequest, request: Request) -> Response:
        check_length(body.text, services.settings.max_input, "text")
        voices = services.catalogue.voices()
        # Piper's server speaks with its default voice when it does not know the name.
        voice = voices.get(body.voice or "", services.catalogue.default)
        style = _style(body, voice, services.settings)
        job = SpeechJob(text=body.text, voice=voice, style=style, format="wav", streamed=False, voices=voices)
        record_of(request).voice = voice.id
        answer = services.speech.begin(job)
        first = await first_piece(answer, request)
        record_of(request).spoken = answer.spoken
        sound = await complete(answer, first, request)
        return Response(sound, media_type=_MEDIA_TYPE, headers=warning_header(answer))

    _add_voices(router, services)
    return router


def _add_voices(router: APIRouter, services: Services) -> None:
    """The routes that tell about voices and download them."""

    @router.get("/info")
    def info() -> dict[str, Any]:
        """The default voice. `last` is null: Piper's server shows everybody what was spoken last."""
        voice = services.catalogue.default
        language = announced_languages(voice, services.catalogue.voices())[0]
        facts = {"name": voice.id, "language": language, "num_speakers": voice.num_speakers}
        return {"voice": facts, "last": None}

    @router.get("/voices")
    def list_voices() -> dict[str, Any]:
        """The config of each voice by name."""
        voices = services.catalogue.voices()
        return {voice.id: _config(voice, announced_languages(voice, voices)[0]) for voice in voices.values()}

    @router.get("/all-voices")
    def list_all_voices() -> dict[str, Any]:
        """Piper's public voices by name, as far as its index can be read."""
        return {voice.name: _public(voice) for voice in search()[0] if voice.quality}

    @router.post("/download")
    def download(body: DownloadRequest) -> str:
        """Download a voice, and answer with its name when it is there."""
        with hub_errors():
            install(body.voice, accepted=False)
        return body.voice


def _public(voice: LibraryVoice) -> dict[str, Any]:
    """A voice as Piper's index describes it."""
    code, _, rest = voice.name.partition("-")
    family, _, region = code.partition("_")
    return {
        "key": voice.name,
        "name": rest.rpartition("-")[0],
        "language": {"code": code, "family": family, "region": region, "name_english": voice.language_name},
        "quality": voice.quality,
        "num_speakers": voice.num_speakers,
    }


def _parsed(body: bytes) -> PiperRequest:
    """The body, whatever Content-Type it came with.

    Raises:
        ApiError: it is not JSON, or a field is missing or invalid.
    """
    try:
        return PiperRequest.model_validate(json.loads(body))
    except ValidationError as error:
        first = error.errors()[0]
        param = str(first["loc"][0]) if first["loc"] else None
        raise ApiError(400, f"{param or 'the body'}: {first['msg']}", param=param, code="invalid_value") from error
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "the body is not valid JSON", code="invalid_json") from error


def _style(body: PiperRequest, voice: VoiceCard, settings: ServeSettings) -> Style:
    """The style. A speaker that does not exist is the default one, as in Piper's server, which pauses nowhere."""
    speaker = body.speaker_id
    if speaker is None and body.speaker:
        speaker = voice.speakers.get(body.speaker)
    if speaker is None or not 0 <= speaker < voice.num_speakers:
        speaker = voice.default_speaker
    speed = 1.0
    if body.length_scale is not None and voice.capabilities.speed is not None:
        low, high = voice.capabilities.speed
        usual = float(_config(voice)["inference"]["length_scale"])
        speed = min(high, max(low, usual / body.length_scale))
    knobs = {"noise": body.noise_scale, "noise_w": body.noise_w_scale}
    return replace(
        settings.style,
        speaker=str(speaker),
        speed=speed,
        knobs={name: value for name, value in knobs.items() if value is not None and name in voice.capabilities.knobs},
        pause_seconds=settings.sentence_pause or 0.0,
    )


def _config(voice: VoiceCard, language: str = "") -> dict[str, Any]:
    """The voice as the JSON of Piper's voices describes it, with whatever its own says."""
    described: dict[str, Any] = {
        "audio": {"sample_rate": voice.rate_hz, "quality": voice.quality},
        "espeak": {"voice": language or voice.language},
        "inference": {"length_scale": 1.0},
        "num_speakers": voice.num_speakers,
        "speaker_id_map": dict(voice.speakers),
    }
    for name, fact in voice.facts.items():
        known = described.get(name)
        described[name] = known | fact if isinstance(known, dict) and isinstance(fact, dict) else fact
    return described
