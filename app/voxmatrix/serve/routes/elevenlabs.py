"""The routes of ElevenLabs' API that speak and list voices, for its clients."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import MAX_SEED
from voxmatrix.serve.catalogue import UnknownVoiceError, find_voice, in_language
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.routes.speech import audio_content, begun, complete, speak
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.alignment import CharacterAlignment
from voxmatrix.serve.speech.answer import Answer
from voxmatrix.serve.speech.formats import CONTENT_TYPES, AnyFormatName, Encoding
from voxmatrix.serve.speech.reference import check_others
from voxmatrix.serve.speech.request import SpeechRequest
from voxmatrix.serve.speech.sending import AlignedLines, SpeechResponse, aligned

_SPEECH = "/v1/text-to-speech/{voice:path}"
_JSON = "application/json"
_Name = Annotated[str, Field(max_length=256)]
#: CODEC_RATE or CODEC_RATE_KBIT.
_FORMAT = re.compile(r"(mp3|opus|pcm|wav|ulaw|alaw)_(8000|16000|22050|24000|32000|44100|48000)(?:_(\d{2,3}))?")
_FORMATS: dict[str, AnyFormatName] = {
    "mp3": "mp3", "opus": "opus", "pcm": "pcm", "wav": "wav", "ulaw": "ulaw", "alaw": "alaw",
}  # fmt: skip
_DEFAULT = "mp3_44100_128"
OutputFormat = Annotated[str, Query(max_length=32, examples=[_DEFAULT])]
_KBIT = range(16, 321)


class VoiceSettings(BaseModel):
    """Settings of a voice. The others describe ElevenLabs' models, and have no effect."""

    speed: Annotated[float, Field(ge=0.25, le=4.0, allow_inf_nan=False)] | None = None


class ElevenLabsRequest(BaseModel):
    """A text. Other fields have no effect; `model_id` is one of ElevenLabs' models, and the voice decides here."""

    model_config = ConfigDict(extra="allow")

    text: Annotated[str, Field(examples=["Hello there."])]
    model_id: _Name | None = None
    language_code: _Name | None = None  # where the voice speaks it
    voice_settings: VoiceSettings | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    apply_text_normalization: _Name | None = None  # off: numbers and the like are not read by rules


@dataclass(frozen=True)
class _Speech:
    """What each of the routes that speak is asked."""

    voice: str
    body: ElevenLabsRequest
    request: Request
    output_format: OutputFormat = _DEFAULT

    @property
    def encoding(self) -> Encoding:
        """The format of the answer.

        Raises:
            ApiError: there is none of this name.
        """
        return _encoding(self.output_format)

    def speech(self, services: Services) -> SpeechRequest:
        """The same as a request for speech.

        Raises:
            ApiError: there is no such voice, or the body names another one.
        """
        return _speech(services, self.voice, self.body)


_Asked = Annotated[_Speech, Depends()]


class ElevenLabsRoute(Route):
    """A route whose errors are ElevenLabs'."""

    def error_response(self, error: ApiError) -> Response:
        """`detail` has the message, and OpenAI's code as the status. OpenAI's object is there as well."""
        detail = {"status": error.code or "error", "message": error.message}
        return JSONResponse({"detail": detail, **error.body}, error.status_code, error.headers)


def elevenlabs_routes(services: Services) -> APIRouter:
    """The routes of ElevenLabs' clients. A voice may have a slash in its name, so the longer paths come first."""
    router = APIRouter(route_class=ElevenLabsRoute)
    sound: dict[int | str, dict[str, Any]] = {200: audio_content(*dict.fromkeys(CONTENT_TYPES.values()))}
    timed: dict[int | str, dict[str, Any]] = {200: {"content": {_JSON: {}}}}

    async def begun_with_times(asked: _Asked) -> tuple[Answer, bytes]:
        return await begun(services, asked.speech(services), asked.request, timed=True, encoding=asked.encoding)

    @router.post(f"{_SPEECH}/stream/with-timestamps", response_class=Response, responses=timed)
    async def stream_with_timestamps(asked: _Asked) -> Response:
        """Speak a text; the answer is lines of JSON with the audio in base 64 and the times of its characters."""
        answer, first = await begun_with_times(asked)
        return SpeechResponse(answer, first, AlignedLines(asked.body.text), _JSON)

    @router.post(f"{_SPEECH}/with-timestamps", response_class=Response, responses=timed)
    async def with_timestamps(asked: _Asked) -> Response:
        """Speak a text; the answer is JSON with the audio in base 64 and the times of its characters."""
        answer, first = await begun_with_times(asked)
        audio = await complete(answer, first, asked.request)
        times = CharacterAlignment(asked.body.text).whole(answer.spoken.captions)
        return JSONResponse(aligned(audio, times))

    @router.post(f"{_SPEECH}/stream", response_class=Response, responses=sound)
    async def stream(asked: _Asked) -> Response:
        """Speak a text, sentence by sentence."""
        return await speak(services, asked.speech(services), asked.request, asked.encoding)

    @router.post(_SPEECH, response_class=Response, responses=sound)
    async def convert(asked: _Asked) -> Response:
        """Speak a text. A WAV file has its length."""
        speech = asked.speech(services)
        speech.stream = asked.encoding.format != "wav"
        return await speak(services, speech, asked.request, asked.encoding)

    @router.get("/v2/voices")
    def search_voices(
        search: _Name = "", page_size: Annotated[int, Query(ge=1, le=100)] = 10, next_page_token: _Name = ""
    ) -> dict[str, Any]:
        """The voices whose name, title or language contains a text, some at a time."""
        found = [card for card in services.catalogue.voices().values() if search.casefold() in _described(card)]
        start = int(next_page_token) if next_page_token.isdecimal() else 0
        end = start + page_size
        more = end < len(found)
        return {
            "voices": [voice_facts(card) for card in found[start:end]],
            "has_more": more,
            "total_count": len(found),
            "next_page_token": str(end) if more else None,
        }

    return router


def voice_facts(card: VoiceCard) -> dict[str, Any]:
    """A voice as ElevenLabs describes it."""
    labels = {"language": card.language, "gender": card.gender, "quality": card.quality}
    return {
        "voice_id": card.id,
        "name": card.id,
        "category": "cloned" if card.consent else "premade",
        "labels": {name: value for name, value in labels.items() if value},
        "description": card.title or None,
        "preview_url": None,
    }


def _described(card: VoiceCard) -> str:
    return f"{card.id}\n{card.title}\n{card.language}".casefold()


def _speech(services: Services, name: str, body: ElevenLabsRequest) -> SpeechRequest:
    """The same as a request for speech.

    Raises:
        ApiError: there is no such voice, or the body names another one.
    """
    try:
        voice, _ = find_voice(services.catalogue.voices(), name)
    except UnknownVoiceError as error:
        message = f"{error.problem}; voxmatrix serve --alias {name}=VOICE gives one this name"
        raise ApiError(HTTPStatus.NOT_FOUND, message, param="voice", code="voice_not_found") from error
    check_others(body.model_extra or {})
    others = {name: value for name, value in (body.model_extra or {}).items() if name not in SpeechRequest.model_fields}
    fields: dict[str, Any] = {"input": body.text, "voice": name}
    if body.voice_settings is not None and body.voice_settings.speed is not None:
        fields["speed"] = body.voice_settings.speed
    if body.apply_text_normalization == "off":
        fields["normalization_options"] = {"normalize": False}
    if body.seed is not None:
        fields["seed"] = body.seed
    if body.language_code:
        try:
            in_language(voice, body.language_code)
            fields["lang_code"] = body.language_code
        except UnknownVoiceError:
            others["language_code"] = body.language_code
    return SpeechRequest.model_validate({**others, **fields})


def _encoding(name: str) -> Encoding:
    """The format that ElevenLabs calls so.

    Raises:
        ApiError: there is none.
    """
    found = _FORMAT.fullmatch(name.lower())
    kbit = int(found[3]) if found and found[3] else None
    if found is None or (kbit is not None and kbit not in _KBIT):
        message = f"output_format is CODEC_RATE or CODEC_RATE_KBIT, such as {_DEFAULT}, pcm_24000, wav_44100, ulaw_8000"
        raise ApiError(400, message, param="output_format", code="invalid_output_format")
    return Encoding(format=_FORMATS[found[1]], rate_hz=int(found[2]), kbit=kbit)
