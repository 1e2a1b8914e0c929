"""The shape of a described computer in JSON, for pydantic: the fields of `facts`, with the bounds of what can be true.

Only `record` imports this, and only where a file is read: pydantic takes a tenth of a second.
"""

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from voxmatrix.machine import facts


def _printable(text: str) -> str:
    # What a file says is shown on terminals: an escape sequence in a name must not reach them.
    if not text.isprintable():
        raise ValueError("must be one line of printable letters")
    return text


Text = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Mebibytes = Annotated[int, Field(ge=0, lt=2**40)]
SmName = Annotated[str, Field(pattern=r"^(sm|compute)_[0-9]{2,4}[af]?$")]
CapabilityText = Annotated[str, Field(pattern=r"^[0-9]{1,3}\.[0-9]$")]


class Described(BaseModel):
    """Nothing but the fields that are named, each of its own type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Gpu(Described):
    """As `facts.Gpu`."""

    index: Annotated[int, Field(ge=0, lt=1024)]
    kind: Literal["cuda", "directml", "xpu", "rocm", "mps"]
    name: Text | None = None
    uuid: Text | None = None
    capability: CapabilityText | None = None
    memory_mib: Mebibytes | None = None
    free_mib: Mebibytes | None = None
    driver: Text | None = None
    unified: bool = False
    mig: bool = False

    def to_facts(self) -> facts.Gpu:
        """The GPU that is described."""
        fields = self.model_dump()
        if self.capability is not None:
            fields["capability"] = facts.Capability.parse(self.capability)
        return facts.Gpu(**fields)


class TorchBuild(Described):
    """As `facts.TorchBuild`."""

    version: Text
    cuda: Text | None = None
    kernels: Annotated[tuple[SmName, ...], Field(max_length=100)] = ()

    def to_facts(self) -> facts.TorchBuild:
        """The torch that is described."""
        return facts.TorchBuild(**self.model_dump())


class Machine(Described):
    """As `facts.Machine`."""

    platform: Literal["linux", "windows", "macos"]
    architecture: Text | None = None
    wsl: bool = False
    container: bool = False
    cpu: Text | None = None
    cpus: Annotated[int, Field(ge=1, lt=2**20)]
    memory_mib: Mebibytes | None = None
    available_mib: Mebibytes | None = None
    shm_mib: Mebibytes | None = None
    gpus: Annotated[tuple[Gpu, ...], Field(max_length=256)] = ()
    torch: TorchBuild | None = None
    flash_attention: Text | None = None
    image: Text | None = None

    @model_validator(mode="after")
    def _each_gpu_once(self) -> Self:
        counted = Counter(gpu.to_facts().device for gpu in self.gpus)
        twice = [name for name, count in counted.items() if count > 1]
        if twice:
            raise ValueError(f"gpus has {', '.join(twice)} more than once")
        return self

    def to_facts(self) -> facts.Machine:
        """The computer that is described."""
        fields = self.model_dump(exclude={"gpus", "torch"})
        gpus = tuple(gpu.to_facts() for gpu in self.gpus)
        torch = None if self.torch is None else self.torch.to_facts()
        return facts.Machine(**fields, gpus=gpus, torch=torch)
