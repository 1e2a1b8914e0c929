"""Which device was asked for, in every spelling that is understood. Pure: the environment is passed in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from voxmatrix.errors import UsageError
from voxmatrix.settings import Source

#: What happens when the device is not there: the command ends; the CPU takes over; or the best other one does.
Fallback = Literal["end", "cpu", "auto"]
DeviceKind = Literal["auto", "gpu", "cpu", "cuda", "directml", "xpu", "rocm", "mps"]

_NAMES = r"(auto|gpu|cpu|cuda|directml|dml|xpu|rocm|mps)"
_YES, _NO, _DECIDE = ("yes", "true", "on", "1"), ("no", "false", "off", "0"), ("", "auto")


@dataclass(frozen=True, kw_only=True)
class DeviceRequest:
    """A device as somebody asked for it. `gpu` is a GPU of whatever kind."""

    kind: DeviceKind = "auto"
    index: int | None = None
    source: Source = "automatic"
    said: str = ""  # how it was asked for, e.g. --device cuda:1
    fallback: Fallback = "end"


AUTO = DeviceRequest()


def parse_device(text: str, source: Source, said: str) -> DeviceRequest:
    """From `auto`, `cpu`, `cuda`, `cuda:1`, `directml:0`, or a bare number of a GPU.

    Raises:
        UsageError: that is not the name of a device.
    """
    word = text.strip().lower()
    if word.isdecimal() and word.isascii():
        return DeviceRequest(kind="gpu", index=int(word[:9]), source=source, said=said)
    found = re.fullmatch(_NAMES + r"(?::([0-9]{1,4}))?", word or "auto")
    if found is None or (found[2] and found[1] in ("auto", "cpu", "mps")):
        raise UsageError(f"{said}: there is no device {text!r}", "set it to cpu, cuda:0, directml:0 … or auto")
    kind: DeviceKind = "directml" if found[1] == "dml" else found[1]  # type: ignore[assignment]  # one of _NAMES
    index = int(found[2]) if found[2] else None
    return DeviceRequest(kind=kind, index=index, source="automatic" if kind == "auto" else source, said=said)


def older_names(environment: Mapping[str, str]) -> DeviceRequest:
    """From the variables of the seeds: VIBEVOICE_DEVICE, DIRECTML_DEVICE, USE_GPU and GPU_ID.

    Raises:
        UsageError: one of them has a value that means nothing.
    """
    named = environment.get("VIBEVOICE_DEVICE", "")
    adapter = _number("DIRECTML_DEVICE", environment)
    if named:
        request = parse_device(named, "environment", f"VIBEVOICE_DEVICE={named}")
        if request.kind == "directml" and request.index is None and adapter is not None:
            said = f"{request.said} DIRECTML_DEVICE={adapter}"
            return DeviceRequest(kind="directml", index=adapter, source="environment", said=said)
        return request
    seed = gpu_or_cpu(environment.get("USE_GPU", ""), _number("GPU_ID", environment), "environment")
    if seed.kind == "auto" and adapter is not None:
        # It only says which adapter, not that DirectML must be used: a computer with CUDA may carry it as well.
        said = f"DIRECTML_DEVICE={adapter}"
        return DeviceRequest(kind="directml", index=adapter, source="environment", said=said, fallback="auto")
    return seed


def gpu_or_cpu(answer: str, gpu_id: int | None, source: Source, said: str = "") -> DeviceRequest:
    """From USE_GPU and GPU_ID: a GPU that is not there costs a warning, then the CPU works (seed 004).

    Raises:
        UsageError: the answer is neither yes nor no nor auto.
    """
    word = answer.strip().lower()
    if word in _NO:
        return DeviceRequest(kind="cpu", source=source, said=said or f"USE_GPU={answer}")
    if word not in _YES + _DECIDE:
        raise UsageError(f"USE_GPU is {answer!r}", "set it to yes, no or auto")
    if word in _DECIDE and gpu_id is None:
        return AUTO
    said = said or " ".join([*([f"USE_GPU={answer}"] if word else []), *([f"GPU_ID={gpu_id}"] * (gpu_id is not None))])
    return DeviceRequest(kind="gpu", index=gpu_id, source=source, said=said, fallback="cpu")


def _number(name: str, environment: Mapping[str, str]) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise UsageError(f"{name} is {text!r}", f"set {name} to the number of a GPU: 0, 1 …")
    return int(text)
