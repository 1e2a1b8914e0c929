"""`engine.toml`: what an engine is, what it can do, and what it takes."""

import hashlib
import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.models.card import SeedEffect
from voxmatrix.models.reference import TranscriptUse

FILE = "engine.toml"
MAX_RATE_HZ = 192_000
_REMEDY = "correct it as docs/engines.md describes, or install the engine again"
_REQUIREMENT = r"(>=|<=|==|!=|<|>)\d+(\.\d+)*"

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Requirement = Annotated[str, StringConstraints(pattern=rf"^({_REQUIREMENT}(, ?{_REQUIREMENT})*)?$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Dtype = Literal["bfloat16", "float16", "float32"]
Attention = Literal["flash_attention_2", "sdpa", "eager"]
Kind = Literal["cpu", "cuda", "rocm", "xpu", "mps", "directml"]
#: A dtype that is not used on GPUs whose capability is like this: ["float16", "capability>=10"].
Refusal = tuple[Dtype, Annotated[str, StringConstraints(pattern=r"^capability(>=|<=|==|!=|<|>)\d+(\.\d+)?$")]]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EngineTable(_Table):
    """What runs it."""

    name: Name
    protocol: Literal[1]
    adapter: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+\.py$")] = "adapter.py"  # beside the manifest
    families: tuple[str, ...] = ()  # of models
    code_licence: str = ""
    python: Requirement = ""
    torch: Requirement = ""
    kinds: tuple[Kind, ...] = Field(default=("cpu",), min_length=1)  # of devices
    imports: tuple[str, ...] = ()  # packages whose versions are told


class ReferenceTable(_Table):
    """The recordings of a voice that it imitates."""

    count: int = Field(default=1, ge=1)
    required: bool = False  # it does not speak without one
    seconds: tuple[float, float]  # the least that it needs, and the most that it uses
    transcript: TranscriptUse = "none"
    rate: int | None = Field(default=None, ge=8000, le=MAX_RATE_HZ)  # that it wants; None: that of its own speech

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0 < self.seconds[0] <= self.seconds[1]:
            raise ValueError("seconds must be the least and the most that is used")
        return self


class CapabilitiesTable(_Table):
    """What it can do."""

    rate: int = Field(ge=8000, le=MAX_RATE_HZ)
    languages: tuple[str, ...] = Field(min_length=1)  # the main one first: en, de …
    speed: tuple[float, float] | None = None  # lowest and highest
    seed: SeedEffect = "none"
    stream: Literal["frame", "segment", "none"] = "none"
    max_characters: dict[str, Annotated[int, Field(ge=20)]] = {}  # at once, by language; the others have `default`
    reference: ReferenceTable | None = None
    speakers_in_one_text: int = Field(default=1, ge=1)
    times: bool = False  # it tells when it says which word
    watermark: str = ""
    autoregressive: bool = True  # it may skip, repeat or invent words


class EngineMemoryTable(_Table):
    """The memory that it takes."""

    fixed_mib: float = Field(ge=0)
    per_second_kib: float = Field(default=0.0, ge=0)  # of speech
    measured_on: str = ""


class RunTable(_Table):
    """How it computes, the best first."""

    dtypes: tuple[Dtype, ...] = Field(default=("float32",), min_length=1)
    refuse: tuple[Refusal, ...] = ()
    attention: tuple[Attention, ...] = Field(default=("sdpa",), min_length=1)
    memory: EngineMemoryTable = EngineMemoryTable(fixed_mib=0)


class KnobTable(_Table):
    """A number that changes how it sounds."""

    type: Literal["number", "integer"] = "number"
    least: float
    most: float
    default: float
    title: str

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        if not self.least <= self.default <= self.most:
            raise ValueError(f"the default {self.default:g} is not between {self.least:g} and {self.most:g}")
        return self


class FileTable(_Table):
    """A file of the weights."""

    sha256: Sha256
    bytes: int = Field(ge=0)


class LicenceTable(_Table):
    """The licence of weights."""

    name: str
    url: str = ""
    sha256: Sha256 | None = None  # of its text
    commercial: bool = True
    outputs_restricted: bool = False
    may_teach: bool = True
    accept: bool = False  # it has to be accepted


class WeightsTable(_Table):
    """Weights at one revision of a repository, and what is special about them."""

    id: Name
    title: str = ""
    family: str = ""  # `model_type` in their config.json
    repo: str = ""
    parts: dict[str, str] = {}  # other repositories, each in the folder of this name
    revision: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40})?$")] = ""
    folder: str = ""  # of the repository; "": all of it
    only: tuple[str, ...] = ()  # the files that are needed; none named: all but pickles, pictures and sounds
    files: dict[str, FileTable] = {}  # none: those that the hub names, whose digests are kept when they are installed
    can: dict[str, Any] = {}  # instead of the keys of the engine
    knobs: tuple[str, ...] | None = None  # that they have; None: all
    defaults: dict[str, float] = {}  # of their knobs, instead of those of the engine
    memory: EngineMemoryTable | None = None
    licence: LicenceTable | None = None

    @model_validator(mode="after")
    def _inside(self) -> Self:
        for name in self.files:
            if not is_inside(name):
                raise ValueError(f"the file {name!r} is not in the folder of the weights")
        return self

    @property
    def digest(self) -> str:
        """The name of the folder with these files."""
        return weights_digest({name: file.sha256 for name, file in self.files.items()})


class Manifest(_Table):
    """All of it."""

    engine: EngineTable
    can: CapabilitiesTable
    run: RunTable = RunTable()
    knob: dict[Name, KnobTable] = {}
    weights: tuple[WeightsTable, ...] = ()
    licence: LicenceTable | None = None

    @model_validator(mode="after")
    def _weights_once(self) -> Self:
        ids = [weights.id for weights in self.weights]
        if len(set(ids)) < len(ids):
            raise ValueError("two weights have the same id")
        for name in ids:
            self.of(name)
        return self

    def of(self, weights_id: str) -> "Manifest":
        """What holds for these weights. Those that it does not name are like the engine.

        Raises:
            ValueError: they have a knob that is none of the engine's, or something else is wrong.
        """
        row = next((weights for weights in self.weights if weights.id == weights_id), None)
        if row is None:
            return self
        unknown = {*(row.knobs or ()), *row.defaults} - set(self.knob)
        if unknown:
            raise ValueError(f"the weights {row.id} have knobs that the engine has not: {', '.join(sorted(unknown))}")
        changed = {
            "can": CapabilitiesTable.model_validate({**self.can.model_dump(exclude_unset=True), **row.can}),
            "knob": {
                name: KnobTable.model_validate({**knob.model_dump(), "default": row.defaults.get(name, knob.default)})
                for name, knob in self.knob.items()
                if row.knobs is None or name in row.knobs
            },
            "run": self.run.model_copy(update={"memory": row.memory} if row.memory else {}),
            "licence": row.licence or self.licence,
        }
        return self.model_copy(update=changed)


def read_manifest(path: Path) -> Manifest:
    """Read and validate an `engine.toml`.

    Raises:
        BadInputError: it is missing, or a value in it is; the message names the value.
    """
    with read_errors(path):
        data = path.read_bytes()
    try:
        return Manifest.model_validate(tomllib.loads(data.decode("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        value = "" if first["type"] == "missing" else f" (it is {str(first['input'])[:60]!r})"
        raise BadInputError(f"{path}: {place}: {first['msg']}{value}", _REMEDY) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(f"{path} is not TOML: {error}", _REMEDY) from error


def is_inside(name: str) -> bool:
    """Whether a name is that of a file in a folder, and of none outside of it."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not ({"..", "/"} & set(parts)) and "\\" not in name and ":" not in name and "\0" not in name


def weights_digest(files: dict[str, str]) -> str:
    """The digest of a folder of weights by the SHA-256 of its files: that of what `sha256sum` prints, by name."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
