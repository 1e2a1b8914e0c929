"""What one client asks, and what it gets: a whole text, or one that arrives in chunks while it is being written."""

import asyncio
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TypeVar

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event, Eventable, async_write_event
from wyoming.info import Describe
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeTextFormat,
    SynthesizeVoice,
)

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.serve.errors import ApiError, api_error, explanation, is_server_problem
from voxmatrix.serve.request_record import RequestRecord, new_id
from voxmatrix.serve.routes.speech import check_length
from voxmatrix.serve.services import Services
from voxmatrix.serve.speech.job import SpeechJob, SpeechUsage
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.serve.speech.sending import send_with_timeout
from voxmatrix.serve.wyoming.voices import chosen_voice, info
from voxmatrix.speak.narration import has_words
from voxmatrix.speak.synthesize import passages_of
from voxmatrix.speak.text_chunks import PendingText
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.text.markup import without_markup
from voxmatrix.text.passages import Passages

E = TypeVar("E", bound=Eventable)
_CHUNK_BYTES = 8192
_SAMPLE_BYTES = 2
#: What stands for the method and the path in the log and the metrics.
_METHOD, _ROUTE = "WYOMING", "wyoming"


@dataclass
class _Speech:
    """A text on its way."""

    voice: VoiceCard
    style: Style
    record: RequestRecord
    spoken: SpeechUsage
    pending: PendingText
    passages: Passages
    characters: int = 0
    begun: bool = False  # audio was sent


class Session:
    """The events of one connection, in their order."""

    def __init__(self, services: Services, writer: asyncio.StreamWriter, client: str) -> None:
        self._services = services
        self._writer = writer
        self._client = client
        self._speech: _Speech | None = None

    async def handle(self, event: Event) -> bool:
        """Answer an event; whether the session continues. After an error it does not: nothing else ends a wait.

        Raises:
            ClientDisconnectedError, ConnectionError: the client has disconnected.
        """
        try:
            await self._answer(event)
        except (ClientDisconnectedError, ConnectionError):
            raise
        except Exception as error:
            answer = api_error(error)
            record = RequestRecord(new_id(), _METHOD) if self._speech is None else self._speech.record
            record.status = answer.status_code
            record.problem = explanation(error) if is_server_problem(error) else None
            self._end(record)
            await self._send(Error(text=answer.message, code=answer.code))
            return False
        return True

    def close(self) -> None:
        """The connection has ended."""
        if self._speech is not None:
            self._speech.record.ended_by = "client"
            self._end(self._speech.record)

    async def _answer(self, event: Event) -> None:
        if Describe.is_type(event.type):
            await self._send(info(self._services.catalogue.voices()))
        elif Ping.is_type(event.type):
            await self._send(Pong(text=_parsed(Ping, event).text))
        elif Synthesize.is_type(event.type):
            if self._speech is None:  # in a stream, it repeats the text for servers that know no streams
                await self._speak_whole(_parsed(Synthesize, event))
        elif SynthesizeStart.is_type(event.type):
            start = _parsed(SynthesizeStart, event)
            self._begin(start.voice, start.text_format)
        elif SynthesizeChunk.is_type(event.type):
            await self._speak_chunk(_parsed(SynthesizeChunk, event).text)
        elif SynthesizeStop.is_type(event.type):
            await self._speak_rest()

    async def _speak_whole(self, asked: Synthesize) -> None:
        speech = self._begin(asked.voice, asked.text_format)
        check_length(asked.text, self._services.settings.max_input, "text")
        await self._speak(speech, asked.text)
        await self._send(AudioStop())
        self._end(speech.record)

    async def _speak_chunk(self, text: str) -> None:
        speech = self._streaming()
        speech.characters += len(text)
        most = self._services.settings.max_input
        if speech.characters > most:
            raise ApiError(400, f"the text has more than {most:,} characters", code="string_above_max_length")
        for part in speech.pending.add(text):
            await self._speak_if_speakable(speech, part)

    async def _speak_rest(self) -> None:
        speech = self._streaming()
        await self._speak_if_speakable(speech, speech.pending.rest())
        if speech.begun:
            await self._send(AudioStop())
        await self._send(SynthesizeStopped())
        self._end(speech.record)

    async def _speak_if_speakable(self, speech: _Speech, text: str) -> None:
        """A part of a stream may be a line of dashes or a smiley."""
        if not has_words(without_markup(text)):
            return
        try:
            await self._speak(speech, text)
        except ApiError as error:
            if error.param != "input":
                raise

    async def _speak(self, speech: _Speech, text: str) -> None:
        # WAV has the rate of the voice; its header comes with the first samples.
        voices = self._services.catalogue.voices()
        job = SpeechJob(
            text=text,
            voice=speech.voice,
            style=speech.style,
            format="wav",
            voices=voices,
            passages=speech.passages,
        )
        answer = self._services.speech.begin(job)
        try:
            first = (await answer.first())[HEADER_BYTES:]
            if speech.begun:
                samples = round(speech.style.pause_seconds * speech.voice.rate_hz)
                await self._send_audio(speech, bytes(_SAMPLE_BYTES * samples))
            await self._send_audio(speech, first)
            async for piece in answer.rest():
                await self._send_audio(speech, piece)
        finally:
            await asyncio.shield(answer.close())
            speech.spoken.seconds += answer.spoken.seconds

    async def _send_audio(self, speech: _Speech, samples: bytes) -> None:
        form = {"rate": speech.voice.rate_hz, "width": _SAMPLE_BYTES, "channels": 1}
        if not speech.begun:
            speech.begun = True
            speech.record.first_byte_seconds = time.monotonic() - speech.record.started
            await self._send(AudioStart(**form))
        for place in range(0, len(samples), _CHUNK_BYTES):
            await self._send(AudioChunk(**form, audio=samples[place : place + _CHUNK_BYTES]))

    def _begin(self, wanted: SynthesizeVoice | None, text_format: str | None) -> _Speech:
        """Begin a text, of which a line will be logged.

        Raises:
            ApiError: the voice does not exist, the text is marked up, or another one has not ended.
        """
        if self._speech is not None:
            raise ApiError(400, "send synthesize-stop before the next text", code="invalid_value")
        if text_format == SynthesizeTextFormat.SSML:
            raise ApiError(400, "SSML is not supported; send plain text", code="invalid_value")
        voice, speaker = chosen_voice(self._services.catalogue.voices(), wanted)
        spoken = SpeechUsage()
        record = RequestRecord(new_id(), _METHOD, status=HTTPStatus.OK, voice=voice.id, spoken=spoken)
        pending = PendingText(voice.language)
        style = replace(self._services.settings.style, speaker=speaker)
        self._speech = _Speech(
            voice=voice,
            style=style,
            record=record,
            spoken=spoken,
            pending=pending,
            passages=passages_of(style, voice.language),
        )
        return self._speech

    def _streaming(self) -> _Speech:
        if self._speech is None:
            raise ApiError(400, "send synthesize-start before the text", code="invalid_value")
        return self._speech

    def _end(self, record: RequestRecord) -> None:
        """Log what was asked."""
        record.note(self._client, _ROUTE, self._services.log, self._services.metrics)
        self._speech = None

    async def _send(self, content: Eventable) -> None:
        await send_with_timeout(async_write_event(content.event(), self._writer))


def _parsed(kind: type[E], event: Event) -> E:
    """The content of an event.

    Raises:
        ApiError: it lacks something, or something is not text.
    """
    try:
        content = kind.from_event(event)
        voice = getattr(content, "voice", None)
        words = [getattr(content, "text", ""), *(vars(voice).values() if voice else ())]
        if all(word is None or isinstance(word, str) for word in words):
            return content  # type: ignore[return-value]
    except (KeyError, TypeError, AttributeError, ValueError):
        pass
    raise ApiError(400, f"the event {event.type} is not valid", code="invalid_value")
