"""How a text is spoken, apart from what the files and this computer are like."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self

from voxmatrix.errors import UsageError
from voxmatrix.models.reference import Reference
from voxmatrix.text.lexicon import Entries, Lexicon

MAX_PAUSE_SECONDS = 60.0
MAX_SPEED = 10.0
MAX_VOLUME = 10.0
MAX_KNOBS = 100
#: torch takes seeds below 2**64.
MAX_SEED = 2**63 - 1
_SEED_BYTES = 4  # as many as every engine takes


class Role(NamedTuple):
    """The voice of a name in a text."""

    voice: str  # its file
    speaker: str | None = None
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class Style:
    """All that changes how a text sounds. What is None or missing has the default of the voice."""

    speaker: str | None = None  # name or number
    speed: float = 1.0  # 2.0 speaks twice as fast
    knobs: Mapping[str, float] = field(default_factory=dict)  # of the family, by name: noise, temperature …
    pause_seconds: float = 0.2  # between sentences
    volume: float = 1.0  # 0.5 is half the amplitude
    levelled: bool = True  # make sentences equally loud
    lexicon: Lexicon = field(default_factory=Lexicon)
    normalised: bool = True  # numbers, abbreviations and the like are read by the rules of the language
    seed: int | None = None  # the same seed gives the same speech, as far as the voice can
    cast: Mapping[str, Role] = field(default_factory=dict)  # by name in small letters; "" is what has no name
    #: What the voice of the text imitates instead of its own recording: of one request, so it is in no JSON.
    reference: Reference | None = None
    #: Names in the cast: who says what is in quotation marks, and what is in *asterisks*. "": the voice of the text.
    dialogue_voice: str = ""
    emphasis_voice: str = ""
    #: A text that is one sentence goes on with another, or is continued by another.
    continues: bool = False
    breaks_off: bool = False

    def __post_init__(self) -> None:
        _check("speed", self.speed, 1 / MAX_SPEED, MAX_SPEED)
        _check("sentence_pause", self.pause_seconds, 0.0, MAX_PAUSE_SECONDS)
        _check("volume", self.volume, 0.0, MAX_VOLUME)
        if self.seed is not None and self.seed < 0:
            raise UsageError(f"`seed` is {self.seed}, must not be negative", "set `seed` to 0 or more")
        if self.seed is not None and self.seed > MAX_SEED:
            raise UsageError(f"`seed` is {self.seed}, more than torch can use", f"set `seed` to {MAX_SEED} or less")

    def sentence_seed(self, text: str) -> int | None:
        """The seed of one sentence.

        It depends on the sentence alone, so that the sentence sounds the same wherever it stands and whatever was
        spoken before: nothing has to be spoken again to continue a text, and a change affects no other sentence.
        """
        if self.seed is None:
            return None
        import hashlib  # which loads OpenSSL

        hashed = hashlib.sha256(f"{self.seed} {text}".encode("utf-8", "replace"))
        return int.from_bytes(hashed.digest()[:_SEED_BYTES])

    def to_json(self) -> dict[str, Any]:
        """The values as JSON."""
        values = {
            **asdict(replace(self, reference=None)),
            "knobs": dict(self.knobs),
            "lexicon": [list(pair) for pair in self.lexicon.entries],
        }
        if self.lexicon.sections:  # without any, the JSON is that of versions that know none
            values["lexicon_sections"] = [[tag, [list(pair) for pair in own]] for tag, own in self.lexicon.sections]
        cast = {"cast": {name: list(role) for name, role in self.cast.items()}} if self.cast else {}
        del values["reference"]
        del values["cast"]  # without one, the JSON is that of versions that know none
        if self.normalised:
            del values["normalised"]
        for name in ("dialogue_voice", "emphasis_voice", "continues", "breaks_off"):
            if not values[name]:
                del values[name]
        return {**values, **cast}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What `to_json` has written."""
        given = dict(values)
        sections = tuple((tag, _pairs(own)) for tag, own in given.pop("lexicon_sections", ()))
        lexicon = Lexicon(_pairs(given["lexicon"]), sections)
        cast = {name: Role(*role) for name, role in values.get("cast", {}).items()}
        return cls(**{**given, "lexicon": lexicon, "cast": cast})


@dataclass(frozen=True, kw_only=True)
class Output:
    """What the file is like that speech is written to."""

    force: bool = False  # overwrite existing files
    raw: bool = False  # 16-bit samples without a header
    bitrate: str | None = None  # for mp3, ogg, opus and m4a


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """How this computer computes a voice."""

    threads: int = 0  # CPU threads; 0: all that this process may use
    #: The same seed must give the same bytes with any number of threads. Some engines then use one.
    reproducible: bool = False

    def __post_init__(self) -> None:
        _check("threads", self.threads, 0, 1024)


def _pairs(rows: Iterable[Sequence[str]]) -> Entries:
    return tuple((word, spoken) for word, spoken in rows)


def _check(setting: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise UsageError(f"`{setting}` is {value}", f"choose a number from {low:g} to {high:g}")
