"""What the requests of all kinds of jobs have in common. No value of a request can become an option by accident.

A command gets values as `--name=VALUE`, in one word, and paths that begin with a slash.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from voxmatrix.config import home
from voxmatrix.files import write_text
from voxmatrix.models.card import VoiceCard
from voxmatrix.serve.catalogue import Catalogue, UnknownVoiceError, find_voice
from voxmatrix.serve.errors import ApiError, voice_exists
from voxmatrix.serve.jobs.job import Job, Work
from voxmatrix.serve.jobs.uploads import Uploads
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.serve.speech.fields import Knobs, check_fields
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.lexicon_file import lexicon_lines

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Name = Annotated[str, Field(min_length=1, max_length=256)]
#: A name for a new voice: also that of a file, everywhere.
VoiceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
#: No control characters, which cannot be part of a name.
Plain = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]*$")]
LanguageTag = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Count = Annotated[int, Field(ge=1, le=10**9)]
Device = Annotated[str, Field(pattern=r"^(auto|cpu|gpu|(cuda|directml|xpu|rocm|mps)(:[0-9]{1,4})?)$")]


def number(least: float, most: float) -> Any:
    """The type of a number within these limits."""
    return Annotated[float, Field(ge=least, le=most, allow_inf_nan=False)]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What a request can refer to."""

    catalogue: Catalogue
    uploads: Uploads
    job: Callable[[str], tuple[Job, Path]]  # a job and its folder; raises ApiError if there is none
    automatic_device: Callable[[], str]
    settings: ServeSettings = field(default_factory=ServeSettings)


class JobRequest(BaseModel):
    """The body of `POST /v1/jobs`."""

    model_config = ConfigDict(extra="forbid")

    title: Plain | None = None

    @abstractmethod
    def work(self, sources: Sources, folder: Path) -> Work:
        """The command; what it reads is put into `folder`, the folder of the job.

        Raises:
            ApiError: the request refers to something that does not exist.
            VoxmatrixError: a value is invalid, or the disk is full.
        """

    def options(self, names: Iterable[str]) -> list[str]:
        """Words for the fields that are set."""
        words = []
        for name in names:
            value = getattr(self, name)
            flag = f"--{name.replace('_', '-')}"
            if value is True:
                words.append(flag)
            elif value is not None and value is not False:
                words.append(f"{flag}={value}")
        return words


#: Part of a line of a lexicon, which must not become two lines or a comment.
Word = Annotated[
    str, Field(min_length=1, max_length=1000, pattern=r"^[^#\s\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029]*$")
]
Spoken = Annotated[
    str, Field(min_length=1, max_length=1000, pattern=r"^[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f\x85\u2028\u2029]*$")
]


class VoiceRequest(JobRequest):
    """A request to speak."""

    voice: Name | None = None
    speed: number(0.1, 10.0) | None = None  # type: ignore[valid-type]
    noise: number(0.0, 10.0) | None = None  # type: ignore[valid-type]
    noise_w: number(0.0, 10.0) | None = None  # type: ignore[valid-type]
    sentence_pause: number(0.0, 60.0) | None = None  # type: ignore[valid-type]
    volume: number(0.0, 10.0) | None = None  # type: ignore[valid-type]
    seed: Seed | None = None
    knobs: Knobs = {}
    lexicon: dict[Word, Spoken] | None = None

    def lexicon_words(self, sources: Sources, folder: Path) -> list[str]:
        """Words for the lexicon, the server's under that of the request, which is written into the folder."""
        lexicon = sources.settings.lexicon.under(Lexicon(tuple((self.lexicon or {}).items())))
        if lexicon == Lexicon():
            return []
        write_text(folder / "lexicon.txt", "".join(lexicon_lines(lexicon)))
        return [f"--lexicon={folder / 'lexicon.txt'}"]

    def quotation_words(
        self, sources: Sources, folder: Path, named: Mapping[str, str] | None = None, *, server: bool = False
    ) -> list[str]:
        """Words for the voices of quotations, else those of the `server`, and a cast with them: they may be speakers.

        The voices of names in the text are in the cast, too.

        Raises:
            ApiError: there is no such voice.
        """
        words = []
        cast = "".join(_cast_line(role, sources, name, "cast") for role, name in (named or {}).items())
        for option in ("dialogue_voice", "emphasis_voice"):
            name = getattr(self, option, None) or (getattr(sources.settings, option) if server else "")
            if name:
                words.append(f"--{option.replace('_', '-')}={option}")
                cast += _cast_line(option, sources, name, option)
        if not cast:
            return []
        write_text(folder / "cast.txt", cast)
        return [f"--cast={folder / 'cast.txt'}", *words]

    def voice_words(self, sources: Sources) -> list[str]:
        """Words for the voice and how it speaks.

        Raises:
            ApiError: there is no such voice, or it cannot speak like this.
        """
        voice, speaker = named_voice(sources, self.voice)
        check_fields(voice, speed=self.speed or 1.0, knobs=self.knobs, noise=self.noise, noise_w=self.noise_w)
        words = [f"--voice={voice.path.absolute()}"] + ([] if speaker is None else [f"--speaker={speaker}"])
        words += self.options(("speed", "noise", "noise_w", "sentence_pause", "volume", "seed"))
        settings = sources.settings
        if self.sentence_pause is None and settings.sentence_pause is not None:
            words.append(f"--sentence-pause={settings.sentence_pause}")
        if self.volume is None and settings.volume != ServeSettings.volume:
            words.append(f"--volume={settings.volume}")
        return words + [f"--set={name}={value}" for name, value in self.knobs.items()]


def named_voice(sources: Sources, name: str | None, param: str = "voice") -> tuple[VoiceCard, str | None]:
    """A voice, and its speaker. Without a name, it is the default voice.

    Raises:
        ApiError: there is no such voice.
    """
    if name is None:
        return sources.catalogue.default, None
    try:
        return find_voice(sources.catalogue.voices(), name)
    except UnknownVoiceError as error:
        raise ApiError(400, error.problem, param=param, code="invalid_value") from error


def _cast_line(role: str, sources: Sources, name: str, param: str) -> str:
    voice, speaker = named_voice(sources, name, param)
    return f"{role}|{voice.path.absolute()}{'' if speaker is None else f'|{speaker}'}\n"


def voice_path(name: str) -> Path:
    """The file of a voice that a job makes."""
    return home().absolute() / "voices" / f"{name}.onnx"


def voice_files(name: str) -> tuple[str, str]:
    """All files of such a voice."""
    return str(voice_path(name)), f"{voice_path(name)}.json"


def check_new(sources: Sources, name: str, *, replaceable: bool = False) -> None:
    """Check that there is no voice of this name yet.

    Raises:
        ApiError: there is one.
    """
    if voice_path(name).exists() or name in sources.catalogue.voices():
        raise voice_exists(name, replaceable=replaceable)


def exactly_one(request: BaseModel, *names: str) -> None:
    """Check that one of these fields is set.

    Raises:
        ApiError: none is, or several are.
    """
    given = [name for name in names if getattr(request, name) is not None]
    if len(given) != 1:
        code = "invalid_value" if given else "missing_required_parameter"
        raise ApiError(400, f"set exactly one of: {', '.join(names)}", param=names[0], code=code)
