"""The shape of profiles in JSON, for pydantic: the fields of `profile`, with the bounds of what can be true."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from voxmatrix.machine.facts import Capability
from voxmatrix.machine.profiles import profile
from voxmatrix.machine.schema import CapabilityText, Described, Mebibytes, Text

#: Rows a file may have: five qualities, three number formats, two ways and some versions of torch make fewer.
MOST_MEASUREMENTS, MOST_SIZES = 200, 100


def _a_date(text: str) -> str:
    date.fromisoformat(text)
    return text


_Count = Annotated[int, Field(ge=1, le=100_000)]
_Amount = Annotated[float, Field(ge=1e-6, lt=2**40, allow_inf_nan=False)]
_Date = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(_a_date)]


class ProfiledGpu(Described):
    """As `profile.ProfiledGpu`."""

    name: Text | None = None
    capability: CapabilityText | None = None
    memory_mib: Mebibytes | None = None

    def to_facts(self) -> profile.ProfiledGpu:
        """The kind of GPU that is described."""
        capability = None if self.capability is None else Capability.parse(self.capability)
        return profile.ProfiledGpu(name=self.name, capability=capability, memory_mib=self.memory_mib)


class ProfiledCpu(Described):
    """As `profile.ProfiledCpu`."""

    name: Text | None = None
    cpus: Annotated[int, Field(ge=1, lt=2**20)]

    def to_facts(self) -> profile.ProfiledCpu:
        """The CPU that is described."""
        return profile.ProfiledCpu(**self.model_dump())


class Size(Described):
    """As `profile.Size`."""

    batch_size: _Count
    peak_mib: _Amount
    step_seconds: _Amount


class Measurement(Described):
    """As `profile.Measurement`."""

    quality: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]
    precision: Literal["fp32", "bf16", "fp16"]
    gradient_checkpointing: bool
    seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]
    sizes: Annotated[tuple[Size, ...], Field(max_length=MOST_SIZES)]
    largest_batch: Annotated[int, Field(ge=0, le=100_000)]
    torch: Text
    voxmatrix: Text
    date: _Date

    @model_validator(mode="after")
    def _sizes_in_order(self) -> Self:
        numbers = [size.batch_size for size in self.sizes]
        if numbers != sorted(set(numbers)):
            raise ValueError("must have its sizes in order, each once")
        if self.largest_batch and self.largest_batch not in numbers:
            raise ValueError(f"has a largest_batch of {self.largest_batch}, which is not among its sizes")
        return self

    def to_facts(self) -> profile.Measurement:
        """The measurement that is described."""
        fields = self.model_dump(exclude={"sizes"})
        return profile.Measurement(
            **fields, sizes=tuple(profile.BatchFigures(**size.model_dump()) for size in self.sizes)
        )


class Profile(Described):
    """As `profile.Profile`: of a GPU or of a CPU."""

    format: Literal[1]
    gpu: ProfiledGpu | None = None
    cpu: ProfiledCpu | None = None
    measurements: Annotated[tuple[Measurement, ...], Field(max_length=MOST_MEASUREMENTS)]

    @model_validator(mode="after")
    def _one_device(self) -> Self:
        if (self.gpu is None) == (self.cpu is None):
            raise ValueError("must have a gpu or a cpu, one of them")
        return self

    def to_facts(self) -> profile.Profile:
        """The profile that is described."""
        device = (self.gpu or self.cpu).to_facts()  # type: ignore[union-attr]  # one of them is there
        bare = profile.Profile(device=device)
        return profile.merge(bare, (measured.to_facts() for measured in self.measurements)).profile
