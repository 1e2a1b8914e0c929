"""Parsing of the requested device, in every supported spelling. Pure: the environment is passed in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.machine.saved_device import SavedDevice
    from voxmatrix.settings import Source

#: If the device is not available: end the command, use the CPU, or select automatically.
Fallback = Literal["end", "cpu", "auto"]
DeviceKind = Literal["auto", "gpu", "cpu", "cuda", "directml", "xpu", "rocm", "mps"]

_NAMES = r"(auto|gpu|cpu|cuda|directml|dml|xpu|rocm|mps)"
_YES, _NO, _DECIDE = ("yes", "true", "on", "1"), ("no", "false", "off", "0"), ("", "auto")


@dataclass(frozen=True, kw_only=True)
class DeviceRequest:
    """A requested device. The kind `gpu` is a GPU of any kind.

    Of the kind `auto`, `fallback` is "cpu" if the CPU was allowed in words (USE_GPU=auto).
    """

    kind: DeviceKind = "auto"
    index: int | None = None
    source: "Source" = "automatic"
    origin: str = ""  # the option or variable with its value, e.g. `device=cuda:1`
    fallback: Fallback = "end"


AUTO = DeviceRequest()


def is_cpu_allowed(request: DeviceRequest, saved: "SavedDevice | None") -> bool:
    """Whether the CPU was chosen or allowed in words, so that its use surprises nobody."""
    from voxmatrix.machine.saved_device import CPU

    is_auto = request.kind == "auto" and (request.fallback == "cpu" or (saved is not None and saved.device == CPU))
    return request.kind == CPU or is_auto


def parse_device(text: str, source: "Source", origin: str) -> DeviceRequest:
    """Parse `auto`, `cpu`, `cuda`, `cuda:1`, `directml:0`, or the bare number of a GPU.

    Raises:
        UsageError: the text is not the name of a device.
    """
    word = text.strip().lower()
    if word.isdecimal() and word.isascii():
        return DeviceRequest(kind="gpu", index=int(word[:9]), source=source, origin=origin)
    found = re.fullmatch(_NAMES + r"(?::([0-9]{1,4}))?", word or "auto")
    if found is None or (found[2] and found[1] in ("auto", "cpu", "mps")):
        raise UsageError(f"{origin}: there is no device {text!r}", "set it to cpu, cuda:0, directml:0 … or auto")
    kind: DeviceKind = "directml" if found[1] == "dml" else found[1]  # type: ignore[assignment]  # one of _NAMES
    index = int(found[2]) if found[2] else None
    return DeviceRequest(kind=kind, index=index, source="automatic" if kind == "auto" else source, origin=origin)


def older_names(environment: Mapping[str, str]) -> DeviceRequest:
    """Parse the variables of older programs: VIBEVOICE_DEVICE, DIRECTML_DEVICE, USE_GPU and GPU_ID.

    None of them requires the device: if it is not available, the command warns and falls back, as those programs do.

    Raises:
        UsageError: one of them has an invalid value.
    """
    named = environment.get("VIBEVOICE_DEVICE", "")
    adapter = _number("DIRECTML_DEVICE", environment)
    if named:
        request = replace(parse_device(named, "environment", f"VIBEVOICE_DEVICE={named}"), fallback="cpu")
        if request.kind == "auto":
            return AUTO
        if request.kind == "directml" and request.index is None and adapter is not None:
            origin = f"{request.origin} DIRECTML_DEVICE={adapter}"
            return replace(request, index=adapter, origin=origin)
        return request
    request = gpu_or_cpu(environment.get("USE_GPU", ""), _number("GPU_ID", environment), "environment")
    if request.kind == "auto" and adapter is not None:
        # The variable selects an adapter but does not require DirectML: a computer with CUDA may set it as well.
        origin = f"DIRECTML_DEVICE={adapter}"
        return DeviceRequest(kind="directml", index=adapter, source="environment", origin=origin, fallback="auto")
    return request


def gpu_or_cpu(use_gpu: str, gpu_id: int | None, source: "Source", origin: str = "") -> DeviceRequest:
    """Parse USE_GPU and GPU_ID: if the GPU is not available, warn and fall back to the CPU, as older programs do.

    Raises:
        UsageError: `use_gpu` is not yes, no or auto.
    """
    word = use_gpu.strip().lower()
    if word in _NO:
        return DeviceRequest(kind="cpu", source=source, origin=origin or f"USE_GPU={use_gpu}")
    if word not in _YES + _DECIDE:
        raise UsageError(f"USE_GPU is {use_gpu!r}", "set it to yes, no or auto")
    if word in _DECIDE and gpu_id is None:
        return replace(AUTO, origin=origin or f"USE_GPU={use_gpu}", fallback="cpu") if word else AUTO
    variables = [*([f"USE_GPU={use_gpu}"] if word else []), *([f"GPU_ID={gpu_id}"] * (gpu_id is not None))]
    return DeviceRequest(kind="gpu", index=gpu_id, source=source, origin=origin or " ".join(variables), fallback="cpu")


def _number(name: str, environment: Mapping[str, str]) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise UsageError(f"{name} is {text!r}", f"set {name} to the number of a GPU: 0, 1 …")
    return int(text)
