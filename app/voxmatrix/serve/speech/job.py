"""Speak one text with one voice into an stream: the part of an answer that computes, in a thread of its own."""

import unicodedata
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

import numpy as np

from voxmatrix.errors import BadInputError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Role, Style
from voxmatrix.serve.catalogue import UnknownVoiceError, VoiceList, find_voice
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.speech.formats import AnyFormatName, Encoding, encoder
from voxmatrix.serve.speech.markup import without_markup
from voxmatrix.serve.speech.response_stream import ResponseStream
from voxmatrix.speak.captions import Caption
from voxmatrix.speak.improbable import ImprobableSpeech, without_words
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.speak.synthesize import caption_of, in_words, synthesize
from voxmatrix.speak.text_chunks import paragraphs
from voxmatrix.text.passages import Passages, voice_names
from voxmatrix.text.ssml import from_ssml, is_ssml
from voxmatrix.voices.cast import CastVoice, script_tags
from voxmatrix.voices.in_memory import VoiceInMemory
from voxmatrix.voices.opened import OpenVoices

#: Samples for which one token is counted.
_TOKEN_SAMPLES = 256
#: The answer to a text without words. Players refuse sounds that are much shorter.
_SILENCE_SECONDS = 0.25
#: Of all tags of a text: a short one could otherwise fill the memory.
MAX_PAUSES_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class SpeechJob:
    """A text to speak."""

    text: str  # with Markdown, HTML or tags, or SSML
    voice: VoiceCard
    style: Style
    format: AnyFormatName
    rate_hz: int | None = None  # of what is sent; None: as is usual for the format
    kbit: int | None = None  # per second
    streamed: bool = True  # it is heard while it is computed
    voices: VoiceList  # that the text may name
    timed: bool = False  # its captions are wanted: sentences are sent as wholes
    passages: Passages | None = None  # of a text that comes in several jobs: what tags and quotations go on

    @property
    def encoding(self) -> Encoding:
        """How its sound is sent."""
        return Encoding(format=self.format, rate_hz=self.rate_hz, kbit=self.kbit)


@dataclass
class SpeechUsage:
    """What was spoken so far. Its tokens are the symbols that the voice reads, and 256 samples each that it makes."""

    seconds: float = 0.0
    symbols: int = 0
    frames: int = 0
    captions: list[Caption] = field(default_factory=list)  # of a timed job, each before its sentence is sent
    warning: str = ""  # of the whole answer: sentences whose speech cannot be that of their texts


def run(job: SpeechJob, voices: OpenVoices, stream: ResponseStream, spoken: SpeechUsage) -> None:
    """Speak the text into the stream.

    Raises:
        ClientDisconnectedError: the client has disconnected.
        BadInputError: there is nothing to speak. Nothing was put into the stream.
        ApiError: the voice cannot be loaded. Nothing was put into the stream.
        VoxmatrixError: the voice, its device or ffmpeg failed.
    """
    stream.check()
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(voices.use(job.voice))
        except Exception as error:
            message = f"the voice {job.voice.id} cannot be loaded; choose another"
            raise ApiError(500, message, param="voice", code="voice_not_loadable") from error
        # Not closed: the voices stay in memory, and leave with the stack.
        voice = CastVoice(opened.voice, lambda card: stack.enter_context(voices.use(card)).voice)
        _speak(job, opened, voice, stream, spoken)
    stream.check()


def _speak(
    job: SpeechJob, opened: VoiceInMemory, voice: OpenVoice, stream: ResponseStream, spoken: SpeechUsage
) -> None:
    card = opened.voice.card
    card.check(job.style)
    text, style = _read(job)
    pause = np.zeros(round(style.pause_seconds * card.rate_hz), np.float32)
    speaker = card.speaker(style.speaker)
    start = SpeechPosition(gain_db=opened.gains_db.get(speaker) if job.streamed else None)
    texts = in_words(paragraphs(text), card, style, scripts=not job.timed, passages=job.passages)
    with encoder(job.encoding, card.rate_hz, stream.put) as write:
        speech = synthesize(voice, texts, style, start, early=job.streamed and not job.timed, check=stream.check)
        with closing(speech) as parts:
            total, improbable = 0, ImprobableSpeech(style)
            for part in parts:
                improbable.add(part)
                samples = part.samples
                if part.begins:
                    silence = [pause] if spoken.symbols and part.utterance.segments else []
                    silence.append(np.zeros(round(part.text.pause * card.rate_hz), np.float32))
                    samples = np.concatenate([*silence, samples])
                    spoken.symbols += part.utterance.symbols
                if not len(samples):
                    continue
                if job.timed and part.utterance.segments:
                    spoken.captions.append(caption_of(part, total + len(samples) - len(part.samples)))
                write(samples)
                total += len(samples)
                spoken.frames = total // _TOKEN_SAMPLES
                spoken.seconds = total / card.rate_hz
                if part.gain_db is not None:
                    opened.gains_db[speaker] = part.gain_db
        spoken.warning = without_words(improbable.sentences())
        if not spoken.symbols and not has_words(text):  # a smiley in a chat
            write(np.zeros(round(_SILENCE_SECONDS * card.rate_hz), np.float32))
        elif not spoken.symbols:
            raise BadInputError("there is nothing to speak in the text", "give a text that contains words")


def _read(job: SpeechJob) -> tuple[str, Style]:
    """The text with tags alone, and the style with the voices that they name.

    Raises:
        BadInputError: there is no such voice, the pauses are too long, or the SSML is not well-formed.
    """
    text = from_ssml(job.text) if is_ssml(job.text) else without_markup(job.text)
    named, text = voice_names(text), script_tags(text, job.voice)
    passages = Passages()
    if sum(passage.pause for passage in passages.read(text)) + passages.rest() > MAX_PAUSES_SECONDS:
        raise BadInputError(f"its pauses are longer than {MAX_PAUSES_SECONDS:g} seconds", "shorten them")
    before = job.passages.voice if job.passages else ""
    named |= {job.style.dialogue_voice, job.style.emphasis_voice, before} - {""}
    roles = {}
    for name in voice_names(text) | named:
        try:
            voice, speaker = find_voice(job.voices, name) if name in named else (job.voice, job.style.speaker)
        except UnknownVoiceError as error:
            raise BadInputError(f"[voice:{name}]: {error.problem}", "choose another voice") from error
        roles[name.casefold()] = Role(str(voice.path), speaker)
    return text, replace(job.style, cast=roles)


def has_words(text: str) -> bool:
    """Whether there are letters or digits, or characters that are no text."""
    return any(unicodedata.category(character).startswith(("L", "N", "Co", "Cs")) for character in text)


def public_message(error: VoxmatrixError, voice: VoiceCard) -> str:
    """The problem without the place of the voice on this computer."""
    return error.problem.replace(str(voice.path), voice.id)
