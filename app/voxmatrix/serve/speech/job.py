"""Speak one text with one voice into a stream: the part of an answer that computes, in a thread of its own."""

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

from voxmatrix.errors import BadInputError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Role, Style
from voxmatrix.serve.catalogue import UnknownVoiceError, VoiceList, find_voice
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.speech.formats import AnyFormatName, Encoding, encoder
from voxmatrix.serve.speech.response_stream import ResponseStream
from voxmatrix.speak.captions import Caption
from voxmatrix.speak.improbable import without_words
from voxmatrix.speak.narration import Narration, Piece
from voxmatrix.speak.partial import SpeechPosition
from voxmatrix.text.markup import tagged
from voxmatrix.text.passages import Passages, voice_names, with_tags
from voxmatrix.voices.cast import CastVoice, script_tags
from voxmatrix.voices.in_memory import VoiceInMemory
from voxmatrix.voices.opened import OpenVoices

#: Samples for which one token is counted.
_TOKEN_SAMPLES = 256
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
    cast: Mapping[str, str] = field(default_factory=dict)  # names in the text, and their voices
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
    hints: tuple[str, ...] = ()  # of the whole answer: what is read aloud of its text, and what to write
    samples: int = 0

    def add(self, piece: Piece) -> None:
        """Count what is heard next."""
        if piece.sentence.begins:
            self.symbols += piece.sentence.utterance.symbols
        if piece.caption:
            self.captions.append(piece.caption)
        self.samples += piece.pause + len(piece.sentence.samples)
        self.frames = self.samples // _TOKEN_SAMPLES
        self.seconds = self.samples / piece.sentence.rate_hz


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
    card, style = opened.voice.card, _with_named_voices(job)
    speaker = card.speaker(style.speaker)
    narration = Narration(
        voice,
        job.text,
        style,
        start=SpeechPosition(gain_db=opened.gains_db.get(speaker) if job.streamed else None),
        captions=job.timed,
        early=job.streamed,
        wordless=True,
        passages=job.passages,
        check=stream.check,
    )
    with encoder(job.encoding, card.rate_hz, stream.put) as write, closing(iter(narration)) as pieces:
        for piece in pieces:
            spoken.add(piece)
            if len(samples := piece.samples):
                write(samples)
            if piece.sentence.gain_db is not None:
                opened.gains_db[speaker] = piece.sentence.gain_db
    spoken.warning = without_words(narration.improbable.sentences())
    spoken.hints = tuple(f"{hint.problem}: {hint.remedy}" for hint in narration.hints)


def _with_named_voices(job: SpeechJob) -> Style:
    """The style with the voices that the text names.

    Raises:
        BadInputError: there is no such voice, the pauses are too long, or the SSML is not well-formed.
    """
    cast = {name.casefold(): voice for name, voice in job.cast.items()}
    text = with_tags(tagged(job.text), cast)
    passages = Passages()
    if sum(passage.pause for passage in passages.read(text)) + passages.rest() > MAX_PAUSES_SECONDS:
        raise BadInputError(f"its pauses are longer than {MAX_PAUSES_SECONDS:g} seconds", "shorten them")
    before = job.passages.voice if job.passages else ""
    named = (voice_names(text) | {job.style.dialogue_voice, job.style.emphasis_voice, before}) - {""}
    roles = {}
    for name in voice_names(script_tags(text, job.voice)) | named:
        try:
            wanted = cast.get(name.casefold(), name)
            voice, speaker = find_voice(job.voices, wanted) if name in named else (job.voice, job.style.speaker)
        except UnknownVoiceError as error:
            raise BadInputError(f"[voice:{name}]: {error.problem}", "choose another voice") from error
        roles[name.casefold()] = Role(str(voice.path), speaker)
    return replace(job.style, cast=roles)


def public_message(error: VoxmatrixError, voice: VoiceCard) -> str:
    """The problem without the place of the voice on this computer."""
    return error.problem.replace(str(voice.path), voice.id)
