"""The routes of Kokoro-FastAPI beside those of OpenAI's API: speech with the times of its words, phonemes, mixtures."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Request
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from voxmatrix.models.card import LANGUAGE_MARK, VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.serve.catalogue import UnknownVoiceError, VoiceList, find_voice, language_tag, mixture
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.request_record import record_of
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.routes.speech import (
    audio_content,
    begun,
    check_length,
    complete,
    speak,
    warning_header,
)
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.formats import CONTENT_TYPES
from voxmatrix.serve.speech.reference import RECORDING, check_others
from voxmatrix.serve.speech.request import SpeechRequest
from voxmatrix.serve.speech.sending import CaptionedLines, SpeechResponse, captioned, words_of
from voxmatrix.speak.captions import FORMATS
from voxmatrix.speak.synthesize import in_words
from voxmatrix.text.markup import tagged

_Name = Annotated[str, Field(max_length=256)]
_BYTES = "application/octet-stream"


class CaptionedRequest(SpeechRequest):
    """A request for speech whose answer is JSON."""

    return_timestamps: bool = True
    captions: Literal["srt", "vtt", "lrc", "json"] | None = None  # also in the answer; not while it is streamed


class Turn(BaseModel):
    """What one voice says in a dialogue."""

    model_config = ConfigDict(extra="allow")

    voice: Annotated[
        str, Field(max_length=256, pattern=r"[^\[\]\n]+", validation_alias=AliasChoices("voice", "voice_id"))
    ]
    text: Annotated[str, Field(min_length=1)]


class DialogueRequest(SpeechRequest):
    """A request for speech whose text is in turns."""

    input: str = ""  # has no effect
    turns: Annotated[list[Turn], Field(min_length=1, max_length=1000, validation_alias=AliasChoices("turns", "inputs"))]
    pause_between_turns: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0


class PhonemesRequest(BaseModel):
    """A text to pronounce."""

    text: Annotated[str, Field(examples=["Hello there."])]
    language: _Name = "a"  # Kokoro's letter, or as espeak-ng names it
    voice: _Name = ""  # whose alphabet is wanted; "": of the first voice of this language


def kokoro_routes(services: Services) -> APIRouter:
    """The routes of Kokoro-FastAPI's clients."""
    router = APIRouter(route_class=Route)

    @router.post(
        "/dev/captioned_speech", response_class=Response, responses={200: {"content": {"application/json": {}}}}
    )
    async def captioned_speech(body: CaptionedRequest, request: Request) -> Response:
        """Speak a text; the answer is JSON with the audio in base 64 and the times of its words.

        It comes in lines, an object for each piece, unless `stream` is false.
        """
        if body.captions and body.stream:
            raise ApiError(400, "captions are made of the whole; set stream to false", param="captions")
        answer, first = await begun(services, body, request, timed=body.return_timestamps or body.captions is not None)
        media_type = CONTENT_TYPES[body.response_format]
        if body.stream:
            return SpeechResponse(answer, first, CaptionedLines(media_type), "application/json")
        sound = await complete(answer, first, request)
        captions = answer.spoken.captions
        words = words_of(captions) if body.return_timestamps else []
        written = {"captions": FORMATS[body.captions](captions)} if body.captions else {}
        return JSONResponse({**captioned(sound, media_type, words), **written}, headers=warning_header(answer))

    @router.post("/dev/dialogue", response_class=Response, responses={200: audio_content(*CONTENT_TYPES.values())})
    async def dialogue(body: DialogueRequest, request: Request) -> Response:
        """Speak a text in turns, each with its voice."""
        if body.ref_audio:
            raise ApiError(
                400, "the turns name voices: make one of the recording, and leave out ref_audio", param=RECORDING
            )
        for turn in body.turns:
            check_others(turn.model_extra or {})
        pause = f" [pause:{body.pause_between_turns:.3f}s] " if body.pause_between_turns else " "
        mark = f"{LANGUAGE_MARK}{body.lang_code}" if body.lang_code else ""
        text = pause.join(f"[voice:{turn.voice}{mark}] {turn.text}" for turn in body.turns)
        return await speak(services, body.model_copy(update={"input": text, "voice": body.turns[0].voice}), request)

    @router.post("/v1/audio/voices/combine", response_class=Response, responses={200: {"content": {_BYTES: {}}}})
    def combine(body: Annotated[str | list[_Name], Body(examples=["af_heart+af_bella"])]) -> Response:
        """The styles of a mixture, as a file for the folder of Kokoro's voices. Requests name mixtures without it."""
        voice = _combined(body if isinstance(body, str) else "+".join(body))
        disposition = f'attachment; filename="{voice.path.name}"'
        return Response(voice.path.read_bytes(), media_type=_BYTES, headers={"Content-Disposition": disposition})

    @router.post("/dev/phonemize")
    def phonemize(body: PhonemesRequest, request: Request) -> dict[str, Any]:
        """The phonemes of a text, in the alphabet of the voice."""
        check_length(body.text, services.settings.max_input, "text")
        voice = _reader(services.catalogue.voices(), body)
        record_of(request).voice = voice.id
        with services.voices.use(voice) as opened:
            words = in_words([tagged(body.text)], voice, Style(lexicon=services.settings.lexicon))
            said = [opened.voice.say(text, Style(), None) for text in words]
        return {"phonemes": " ".join("".join(one.phonemes) for one in said if one.phonemes), "tokens": []}

    return router


def _combined(name: str) -> VoiceCard:
    """The mixture of this name."""
    try:
        voice = mixture(name)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, code="invalid_value") from error
    if voice is None:
        raise ApiError(400, "name at least two of Kokoro's voices: af_heart+af_bella", code="invalid_value")
    return voice


def _reader(voices: VoiceList, body: PhonemesRequest) -> VoiceCard:
    """The voice whose alphabet is wanted: the one that is named, else the first one of the language."""
    if body.voice:
        try:
            return find_voice(voices, body.voice)[0]
        except UnknownVoiceError as error:
            raise ApiError(400, error.problem, param="voice", code="invalid_value") from error
    language = language_tag(body.language)
    voice = next((one for one in voices.values() if one.language == language), None)
    if voice is None:
        known = ", ".join(sorted({one.language for one in voices.values()} - {""}))
        raise ApiError(400, f"no voice speaks this language; there are {known}", param="language")
    return voice
