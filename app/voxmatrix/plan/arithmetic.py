"""The number format and the attention in which a large model is computed, by what it allows and the GPU, and the memory
that it then takes. Pure."""

from dataclasses import dataclass

from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import Capability, Gpu
from voxmatrix.settings import Setting, automatic
from voxmatrix.tables.rows import meets
from voxmatrix.tables.training import precision_row

#: What GPUs of each precision of the table compute without emulation.
_NATIVE = {"fp32": {"float32"}, "fp16": {"float32", "float16"}, "bf16": {"float32", "float16", "bfloat16"}}
_HALVES = ("float16", "bfloat16")
#: FlashAttention 2 has kernels for these capabilities and later ones.
_FLASH_FROM = Capability(8, 0)


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """What a model allows, the best first."""

    dtypes: tuple[str, ...]
    refuse: tuple[tuple[str, str], ...] = ()  # ("float16", "capability>=10")
    attention: tuple[str, ...] = ("sdpa",)
    kinds: tuple[str, ...] = ("cpu",)  # of devices

    def dtype(self, gpu: Gpu | None) -> Setting[str]:
        """The number format on this GPU; None is the CPU.

        Raises:
            NoDeviceError: it does not compute on such a device, or in no format that the device has.
        """
        kind = "cpu" if gpu is None else gpu.kind
        if kind not in self.kinds:
            raise NoDeviceError(
                f"the engine of this voice does not compute on {kind} devices",
                f"choose one of: {', '.join(self.kinds)}",
            )
        if gpu is None:
            value = "float32" if "float32" in self.dtypes else self.dtypes[0]
            return automatic(value, "the CPU computes float32 fastest")
        row = precision_row(gpu.kind, gpu.capability, gpu.name)
        native = _NATIVE[row.precision if row else "fp32"]
        for dtype in self.dtypes:
            refused = [why for name, why in self.refuse if name == dtype and _holds(why, gpu)]
            if dtype in native and not refused:
                return automatic(dtype, f"the first of {', '.join(self.dtypes)} that {gpu.name or kind} computes well")
        raise NoDeviceError(
            f"this voice is computed in {', '.join(self.dtypes)}, and {gpu.name or kind} is fast in none of these",
            "set `device=cpu`, or choose another voice",
        )

    def attention_for(self, gpu: Gpu | None, dtype: str, flash_attention: str | None) -> Setting[str]:
        """The attention. `flash_attention` is the installed version of flash-attn."""
        why = ""
        for name in self.attention:
            if name != "flash_attention_2":
                return automatic(name, f"{why}the first that needs no package of its own")
            capable = gpu is not None and gpu.kind == "cuda" and (gpu.capability or Capability(0, 0)) >= _FLASH_FROM
            if flash_attention and capable and dtype in _HALVES:
                return automatic(name, f"flash-attn {flash_attention} is installed, and the GPU can use it")
            why = f"flash-attn {'does not compute this' if flash_attention or not capable else 'is not installed'}; "
        return automatic("eager", "neither flash-attn nor another attention that it allows can be used")

    def memory_mib(self, weights_mib: float, gpu: Gpu | None, dtype: str) -> Setting[int]:
        """The memory that it takes in this number format, if it is `weights_mib` in the first one."""
        twice = dtype == "float32" and self.dtypes[0] in _HALVES
        value = round(weights_mib) * (2 if twice else 1)
        why = f"what it needs in {self.dtypes[0]}{', twice, in float32' if twice else ''}"
        if gpu is not None and gpu.memory_mib is not None:
            why += f"; the GPU has {gpu.memory_mib:,} MiB{', which is less' if gpu.memory_mib < value else ''}"
        return automatic(value, why)


def _holds(condition: str, gpu: Gpu) -> bool:
    return gpu.capability is not None and meets(str(gpu.capability), condition.removeprefix("capability"))
