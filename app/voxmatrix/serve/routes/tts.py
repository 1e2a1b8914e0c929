"""`POST /tts`, as Chatterbox-TTS-Server and LocalAI have it, and the lists that clients of the first ask for."""

import math
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, model_validator
from starlette.responses import JSONResponse, Response

from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.catalogue import UnknownVoiceError, in_language
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.routes.speech import audio_content, chosen_voice, speak
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.formats import CONTENT_TYPES, FORMAT_NAMES, Encoding, FormatName
from voxmatrix.serve.speech.request import SpeechRequest

#: Fields of Chatterbox-TTS-Server by our names; LocalAI's are OpenAI's.
_CHATTERBOX = {
    "input": "text",
    "voice": "predefined_voice_id",
    "response_format": "output_format",
    "speed": "speed_factor",
}
_FILE = "reference_audio_filename"


class TtsRoute(Route):
    """A route whose errors have what clients of both servers read."""

    def error_response(self, error: ApiError) -> Response:
        """OpenAI's object, as LocalAI has it, and the `detail` of Chatterbox-TTS-Server."""
        return JSONResponse({**error.body, "detail": error.message}, error.status_code, error.headers)


class TtsRequest(SpeechRequest):
    """The body: the fields of `/v1/audio/speech`, also by the names of Chatterbox-TTS-Server."""

    response_format: FormatName = "wav"
    stream: bool = False
    sample_rate: Annotated[int, Field(ge=8000, le=48_000)] | None = None  # of the answer; that of the voice

    @model_validator(mode="before")
    @classmethod
    def _of_chatterbox(cls, body: Any) -> Any:
        """The fields by our names. In its mode `clone`, a file is named, which is a voice here; its seed 0 is any."""
        if not isinstance(body, dict):
            return body
        given = {name: value for name, value in body.items() if value not in (None, "")}
        mode, file = given.pop("voice_mode", ""), given.pop(_FILE, None)
        if mode == "clone" and file is not None:
            given["predefined_voice_id"] = file
        elif mode == "clone" and "ref_audio" not in given:
            raise ValueError(f"voice_mode is clone: name a voice as {_FILE}, or send the recording as ref_audio")
        for ours, theirs in _CHATTERBOX.items():
            if theirs in given:
                given[ours] = given.pop(theirs)
        if given.get("seed") in (0, -1):
            del given["seed"]
        return given


def tts_routes(services: Services) -> APIRouter:
    """The routes of Chatterbox-TTS-Server and LocalAI."""
    router = APIRouter(route_class=TtsRoute)
    answers: dict[int | str, dict[str, Any]] = {200: audio_content(*map(CONTENT_TYPES.__getitem__, FORMAT_NAMES))}

    @router.post("/tts", response_class=Response, responses=answers)
    async def tts(body: TtsRequest, request: Request) -> Response:
        """Speak a text into a complete file, unless `stream` is true."""
        voice, _ = chosen_voice(services.catalogue.voices(), body)
        _fit(body, voice)
        encoding = Encoding(format=body.response_format, rate_hz=body.sample_rate)
        response = await speak(services, body, request, encoding)
        response.headers["Content-Disposition"] = f'attachment; filename="speech.{body.response_format}"'
        return response

    @router.get("/get_predefined_voices")
    def predefined_voices() -> list[dict[str, str]]:
        """The voices, as Chatterbox-TTS-Server lists its own."""
        cards = services.catalogue.voices().values()
        return [{"display_name": card.id, "filename": card.id, "language": card.language} for card in cards]

    @router.get("/get_reference_files")
    def reference_files() -> list[str]:
        """Nothing: recordings that are imitated are voices here."""
        return []

    return router


def _fit(body: TtsRequest, voice: VoiceCard) -> None:
    """Use what else was sent, as far as the voice can: its settings by their names, and the language.

    Clients send the settings of Chatterbox to every voice. What has no effect stays among the other fields.

    Raises:
        ApiError: a setting of the voice is no number.
    """
    others = body.model_extra or {}
    params = others.get("params")
    given = {**(params if isinstance(params, dict) else {}), **others}
    for name in set(given) & set(voice.capabilities.knobs) - set(body.knobs):
        body.knobs = {**body.knobs, name: _number(name, given[name])}
        others.pop(name, None)
    language = others.get("language")
    if isinstance(language, str) and not body.lang_code and _speaks(voice, language):
        body.lang_code = others.pop("language")


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)  # LocalAI's `params` are texts
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ApiError(400, f"{name} has to be a number", param=name, code="invalid_type")
    return number


def _speaks(voice: VoiceCard, language: str) -> bool:
    try:
        in_language(voice, language)
    except UnknownVoiceError:
        return False
    return True
