"""The body of `/v1/audio/speech`, which other routes turn theirs into."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from voxmatrix.models.style import MAX_SEED, MAX_VOLUME
from voxmatrix.serve.speech.fields import Cast, Knobs
from voxmatrix.serve.speech.formats import FormatName
from voxmatrix.serve.speech.reference import ReferenceFields, with_usual_names

#: Names of fields that can be in a header, and how many are.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_IGNORED = 20
_Name = Annotated[str, Field(max_length=256)]
_Word = Annotated[str, Field(max_length=256, pattern=r"\S")]
_MAX_WORDS = 200


class VoiceId(BaseModel):
    """A voice as an object."""

    id: _Name


class NormalizationOptions(BaseModel):
    """Kokoro-FastAPI's. Only whether numbers and the like are read by rules can be chosen; other fields do nothing."""

    normalize: bool = True


class SpeechRequest(ReferenceFields, BaseModel):
    """The body. Other fields have no effect. One that is null or empty is as if it were missing, except the input."""

    model_config = ConfigDict(extra="allow")

    model: Annotated[_Name, Field(examples=["tts-1"])] = "tts-1"
    input: Annotated[str, Field(examples=["Hello there."])]
    voice: Annotated[_Name | VoiceId, Field(examples=["alloy"])] = "alloy"
    instructions: Annotated[str, Field(max_length=4096)] | None = (
        None  # accepted and ignored: our voices have one style
    )
    response_format: FormatName = "mp3"
    speed: Annotated[float, Field(ge=0.25, le=4.0, allow_inf_nan=False)] = 1.0
    stream: bool = True  # else the answer is sent as a whole, with its length
    stream_format: Literal["audio", "sse"] = "audio"
    #: What the events of `sse` also have: words with their times.
    timestamp_granularities: Annotated[list[Literal["word"]], Field(max_length=1)] = []
    lang_code: Annotated[_Name, Field(examples=["a"])] = ""  # another language of the voice, as Kokoro-FastAPI's
    normalization_options: NormalizationOptions | None = None
    normalize: bool = True  # the same, by itself
    volume_multiplier: Annotated[float, Field(ge=0.0, le=MAX_VOLUME, allow_inf_nan=False)] | None = None
    sentence_pause: Annotated[float, Field(ge=0.0, le=10.0, allow_inf_nan=False)] | None = None
    dialogue_voice: _Name | None = None  # of what is in quotation marks
    emphasis_voice: _Name | None = None  # of what is in *asterisks*
    cast: Cast = {}
    lexicon: Annotated[dict[_Word, _Word], Field(max_length=_MAX_WORDS)] = {}  # words, and how they are said
    knobs: Knobs = {}
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None  # the same seed gives the same speech

    @model_validator(mode="before")
    @classmethod
    def _given(cls, body: Any) -> Any:
        """What was really given, with the names of formats in small letters."""
        if not isinstance(body, dict):
            return body
        given = {name: value for name, value in body.items() if name == "input" or value not in (None, "", [], {})}
        given = with_usual_names(given)
        if given.get("input", "") is None:
            del given["input"]
        for name in ("response_format", "stream_format"):
            if isinstance(given.get(name), str):
                given[name] = given[name].lower()
        return given

    def style_fields(self) -> dict[str, Any]:
        """The fields of a `Style` that this body decides; None: the server does."""
        options = self.normalization_options
        return {
            "speed": self.speed,
            "knobs": self.knobs,
            "pause_seconds": self.sentence_pause,
            "volume": self.volume_multiplier,
            "normalised": self.normalize and (options is None or options.normalize),
            "seed": self.seed,
            "dialogue_voice": self.dialogue_voice,
            "emphasis_voice": self.emphasis_voice,
        }

    def ignored(self) -> str:
        """The fields that have no effect, as far as a header can name them."""
        names = [*(self.model_extra or ()), *(["instructions"] if self.instructions else [])]
        return ", ".join(filter(_PLAIN_NAME.fullmatch, names[:_MAX_IGNORED]))
