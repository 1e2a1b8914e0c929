"""What is known of a voice before it is opened: where it is, whose voices it has, and what it can do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.files import content_digest
from voxmatrix.models.reference import Cloning
from voxmatrix.models.style import Style
from voxmatrix.plan.parallelism import CPUS_PER_VOICE

if TYPE_CHECKING:
    from voxmatrix.models.device import SpeakDevice
    from voxmatrix.plan.arithmetic import Arithmetic
    from voxmatrix.settings import Setting

#: Speakers that an error names.
_NAMED = 50

#: Between the name of a voice and another language that it is to speak: af_heart@e.
LANGUAGE_MARK = "@"

#: What of a sentence a seed repeats: every byte, wherever it is spoken; every byte on the same kind of device; nothing.
SeedEffect = Literal["bytes", "device", "none"]


@dataclass(frozen=True, kw_only=True)
class Knob:
    """A number that changes how a voice of a family sounds, with its default and its range."""

    title: str
    default: float
    low: float
    high: float
    integer: bool = False


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a voice can do. The code above asks for these, and never for the family."""

    knobs: Mapping[str, Knob] = field(default_factory=dict)
    speed: tuple[float, float] | None = (0.1, 10.0)  # lowest and highest; None: the speed cannot be changed
    phonemes: bool = False  # it speaks [[phonemes]] in a text
    seed: SeedEffect = "bytes"
    portable: bool = True  # its files may be sent to the workers of a cluster
    may_teach: bool = False  # its licence is known to allow voices that are made from its speech
    uses_torch: bool = False  # torch computes it, on any device that torch supports
    on_gpu: bool = True  # some GPUs can compute it; if False, only the CPU can
    autoregressive: bool = False  # it may skip, repeat or invent words
    cpus: int = CPUS_PER_VOICE  # that it keeps busy, where it speaks on them
    clones: Cloning | None = None  # it imitates a recording that comes with a text; None: it does not
    speakers_in_one_text: int = 1  # how many voices of its model speak a script as a whole
    arithmetic: "Arithmetic | None" = None  # that its bytes depend on; None: they do not, or its files say so


@dataclass(frozen=True, kw_only=True)
class VoiceCard:
    """A voice. `files` are all that it consists of; the first one is the one to open."""

    id: str
    family: str
    files: tuple[Path, ...]
    rate_hz: int
    languages: tuple[str, ...]  # as espeak-ng names them, the main one first: en-us
    capabilities: Capabilities
    title: str = ""
    quality: str = ""
    num_speakers: int = 1
    speakers: Mapping[str, int] = field(default_factory=dict)  # the numbers of those that have a name
    default_speaker: int = 0
    gender: str = ""
    license: str = ""
    source: str = ""  # the page that it was downloaded from
    version: str = ""  # there
    is_trained: bool = False  # voxmatrix made it
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what else its own JSON says
    consent: str = ""  # the statement that its speaker may be imitated, of a voice made from a recording
    memory_mib: float = 0.0  # that it takes when it is open
    variant: str = ""  # how it is computed, where that changes what is heard: cuda bfloat16 sdpa
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)  # for certificates: its engine, its lock …

    @property
    def path(self) -> Path:
        """The file to open."""
        return self.files[0]

    @property
    def language(self) -> str:
        """The main language, in which texts are normalised and split."""
        return self.languages[0]

    @property
    def digest(self) -> str:
        """SHA-256 of the contents of all files and the variant: equal on all computers that have the same voice."""
        import hashlib  # which loads OpenSSL

        variant = [hashlib.sha256(self.variant.encode()).hexdigest()] if self.variant else []
        return joint_digest([*map(content_digest, self.files), *variant])

    @property
    def speaker_names(self) -> list[str]:
        """The names of the speakers, or their numbers; empty if there is one."""
        if self.num_speakers == 1:
            return []
        return list(self.speakers) or [str(number) for number in range(self.num_speakers)]

    def speaker(self, name: str | int | None = None) -> int:
        """The number of a speaker given by name or number.

        Raises:
            BadInputError: the voice has no such speaker; the message lists its speakers.
        """
        if name is None or name == "":
            return self.default_speaker
        number = self.speakers.get(str(name))
        if number is not None:
            return number
        if str(name).isdecimal() and len(str(name)) < 10 and int(name) < self.num_speakers:
            return int(name)
        raise BadInputError(f"the voice {self.path} has no speaker {name!r}", f"choose {self._choice()}")

    def check(self, style: Style) -> None:
        """Check that the voice can speak like this.

        Raises:
            BadInputError: it has no such speaker.
            UsageError: it has no such knob, or a value is out of range.
        """
        self.speaker(style.speaker)
        knobs, speed = self.capabilities.knobs, self.capabilities.speed
        if speed is None and style.speed != 1.0:
            raise UsageError(f"the speed of the voice {self.id} cannot be changed", "leave it at 1")
        if speed is not None and not speed[0] <= style.speed <= speed[1]:
            raise UsageError(f"`speed` is {style.speed}", f"choose a number from {speed[0]:g} to {speed[1]:g}")
        for name, value in style.knobs.items():
            if name not in knobs:
                known = f"choose one of: {', '.join(knobs)}" if knobs else "it has none: leave it out"
                raise UsageError(f"the voice {self.id} has no setting {name!r}", known)
            knob = knobs[name]
            if not knob.low <= value <= knob.high or (knob.integer and value % 1):
                kind = "a whole number" if knob.integer else "a number"
                raise UsageError(f"`{name}` is {value}", f"choose {kind} from {knob.low:g} to {knob.high:g}")

    def on(self, device: "SpeakDevice") -> "VoiceCard":
        """The voice as this device computes it, which is another one where the difference can be heard.

        Raises:
            NoDeviceError: it cannot be computed there.
        """
        settings = self.arithmetic_on(device)
        if not settings:
            return self
        kind = device.on.gpu.kind if device.on else "cpu"
        variant = f"{kind} {settings['dtype'].value} {settings['attention'].value}"
        return replace(self, variant=variant, memory_mib=settings["memory_mib"].value)

    def arithmetic_on(self, device: "SpeakDevice") -> "dict[str, Setting[Any]]":
        """`dtype`, `attention` and `memory_mib` on this device, each with its reason; empty if nothing is to choose.

        Raises:
            NoDeviceError: it cannot be computed there.
        """
        able = self.capabilities.arithmetic
        if able is None:
            return {}
        gpu, flash = (device.on.gpu, device.on.machine.flash_attention) if device.on else (None, None)
        dtype = able.dtype(gpu)
        attention, memory = (
            able.attention_for(gpu, dtype.value, flash),
            able.memory_mib(self.memory_mib, gpu, dtype.value),
        )
        return {"dtype": dtype, "attention": attention, "memory_mib": memory}

    def speaks_with(self, other: "VoiceCard") -> bool:
        """Whether one model speaks both voices in one script."""
        return self.capabilities.speakers_in_one_text > 1 and (self.family, self.provenance) == (
            other.family,
            other.provenance,
        )

    def knob(self, style: Style, name: str) -> float:
        """The value of a knob: the style's, else the default of the voice."""
        return style.knobs.get(name, self.capabilities.knobs[name].default)

    def _choice(self) -> str:
        names = list(self.speakers)
        last = self.num_speakers - 1
        numbers = f"a number from 0 to {last}" if self.num_speakers > 1 else "0: it has one speaker"
        if not names:
            return numbers
        return f"{', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}, or {numbers}"


def joint_digest(digests: Iterable[str]) -> str:
    """The digest of a voice by those of its files, in order."""
    import hashlib

    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()
