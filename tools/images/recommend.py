"""Recommend an image for a computer, with the reasons against the others: `tools/matrix.py recommend`.

Standard library only. The rules are those of voxmatrix.plan, which `voxmatrix doctor` also uses inside an image.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.images.which_computer import UsageError, read_machine, selected_machine
from voxmatrix.machine.facts import CONTAINER_OPTIONS, Gpu, Machine, TorchBuild
from voxmatrix.plan.driver_state import driver_finding
from voxmatrix.plan.image_advice import able_images, advice, best_image, oldest_driver
from voxmatrix.plan.verdict import assess
from voxmatrix.tables import rows
from voxmatrix.tables.image import CPU, DIRECTML, Image, images

__all__ = ["Advice", "UsageError", "add_arguments", "answer", "for_all", "read_machine", "recommend", "with_torch_of"]

_KINDS = {"cuda": "NVIDIA's GPUs", "directml": "DirectX 12 GPUs under Windows"}
#: Processors, or systems on them, as the kernel names them.
_ONLY_32_BITS = ("armv6l", "armv7l", "armv8l", "arm", "i386", "i486", "i586", "i686")
_KINDS |= {"rocm": "AMD GPUs under Linux", "xpu": "Intel's Arc and Core Ultra GPUs under Linux"}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """The image for one GPU, or for a computer without a GPU."""

    gpu: Gpu | None
    image: str
    reason: str
    remedy: str  # what to do to use a better image, or ""
    rejected: Mapping[str, str]  # image → reason


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `recommend`."""
    parser.add_argument("--capability", help="compute capability of the GPU, e.g. 12.0")
    parser.add_argument("--driver", help="version of the NVIDIA driver, e.g. 570.86 (with --capability)")
    parser.add_argument(
        "--architecture", help="its processor, e.g. aarch64 (default: of this computer, or the one that has such GPUs)"
    )
    parser.add_argument("--machine", metavar="FILE.json", type=Path, help="a machine description (`doctor --record`)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def answer(args: argparse.Namespace) -> str:
    """The output of `recommend`.

    Raises:
        UsageError: the options or the machine description are invalid.
    """
    machine = selected_machine(args)
    advised = recommend(machine)
    if args.capability and not args.architecture and for_all(advised) == CPU:
        # Such as Thor, which no computer with an x86 processor has.
        others = [replace(machine, architecture=other) for other in images()[CPU].architectures]
        advised = next((found for other in others if for_all(found := recommend(other)) != CPU), advised)
    if args.json:
        return json.dumps({"image": for_all(advised), "gpus": [_to_json(one) for one in advised if one.gpu]}, indent=2)
    return "\n".join(_in_words(one, advised) for one in advised)


def recommend(machine: Machine) -> list[Advice]:
    """One piece of advice per GPU, or a single one for a computer without a GPU.

    Raises:
        UsageError: no image exists for the processor of this computer.
    """
    if not images()[CPU].is_for(machine.architecture):
        raise UsageError(f"there is no image for the architecture {machine.architecture}: {_instead(machine)}")
    if not machine.gpus:
        others = {name: _needs(image) for name, image in images().items() if name != CPU}
        absent = driver_finding(machine)
        reason, remedy = (absent.problem, absent.remedy) if absent else ("there is no GPU here", "")
        return [Advice(gpu=None, image=CPU, reason=reason, remedy=remedy, rejected=others)]
    return [_advise(gpu, machine) for gpu in machine.gpus]


def _instead(machine: Machine) -> str:
    if machine.architecture in _ONLY_32_BITS:
        return "it has 32 bits; if the processor has 64, as a Raspberry Pi 3, 4 or 5 has, install a system with 64 bits"
    return "torch has no packages for it; docs/installation.md says what else there is"


def for_this_computer() -> str:
    """The image for every GPU of this computer.

    Raises:
        UsageError: its GPUs need different images.
    """
    here = argparse.Namespace(machine=None, capability=None, driver=None, architecture=None)
    image = for_all(recommend(selected_machine(here)))
    if image is None:
        raise UsageError("the GPUs of this computer need different images: see tools/matrix.py recommend")
    return image


def for_all(advised: list[Advice]) -> str | None:
    """The best image for every GPU that has one, or None if they need different ones.

    A GPU without one stays idle in any image; DirectML only speaks, which the image of another GPU does too.
    """
    best = {one.image for one in advised}
    for less in (CPU, DIRECTML):
        best = best - {less} or best
    return best.pop() if len(best) == 1 else None


def _stays_idle(one: Advice, advised: list[Advice]) -> bool:
    """Whether no image can use this GPU, but one can use another GPU here: graphics beside an NVIDIA card."""
    return one.image == CPU and any(other.image != CPU for other in advised)


def with_torch_of(image: Image, machine: Machine) -> Machine:
    """The machine with the torch of an image."""
    kernels = tuple(str(kernel) for kernel in image.kernels_on(machine.architecture))
    suffix = image.build or (f"cu{image.cuda.replace('.', '')}" if image.cuda else "cpu")
    build = TorchBuild(
        version=f"{image.torch}+{suffix}",
        cuda=image.cuda or None,
        kernels=kernels or image.targets_on(machine.architecture),
        hip=image.build.removeprefix("rocm") if "rocm" in image.kinds else None,
        xpu=image.build if "xpu" in image.kinds else None,
    )
    return replace(machine, torch=build)


def _advise(gpu: Gpu, machine: Machine) -> Advice:
    best = best_image(gpu, machine)
    reason = assess(gpu, with_torch_of(best, machine)).reason if best.name != CPU else "no other image can use it"
    return Advice(
        gpu=gpu,
        image=best.name,
        reason=reason,
        remedy=advice(gpu, machine) if best.name == CPU or best.build else "",
        rejected={name: _why_not(image, best, gpu, machine) for name, image in images().items() if name != best.name},
    )


def _why_not(image: Image, best: Image, gpu: Gpu, machine: Machine) -> str:
    if not image.kinds:
        return "its torch is for the CPU: the GPU would be idle"
    if image.build and not image.cuda and gpu.kind in image.kinds:
        return "its torch has no kernels for this GPU"
    if gpu.kind not in image.kinds or not image.cuda:
        return _needs(image)
    if not image.kernels_on(machine.architecture):
        return f"not available for the architecture {machine.architecture}"
    assessment = assess(gpu, with_torch_of(image, machine))
    return assessment.reason if assessment.verdict != "native" else _why_not_though_native(image, best, gpu, machine)


def _why_not_though_native(image: Image, best: Image, gpu: Gpu, machine: Machine) -> str:
    if image.build:
        return f"also runs here, with torch {image.torch}, but has to be built with torch's own index"
    if image not in able_images(gpu, machine):
        return f"its torch runs here, but it is recommended only from capability {_capability(image)} on"
    floor = oldest_driver(image, gpu, machine)
    if (driver := rows.version(gpu.driver)) and driver < rows.known_version(floor):
        return f"recommended only from driver {floor} on, and the driver is {gpu.driver}"
    if driver is None:
        return f"needs driver {floor} or newer, and the driver is not known"
    return f"also runs here, but {best.name} has a newer torch ({best.torch}, not {image.torch})"


def _needs(image: Image) -> str:
    return f"for {' and '.join(_KINDS.get(kind, kind) for kind in image.kinds)}"


def _capability(image: Image) -> str:
    return ".".join(map(str, image.from_capability or ()))


def _to_json(one: Advice) -> dict[str, Any]:
    assert one.gpu is not None
    return {
        "index": one.gpu.index,
        "name": one.gpu.name,
        "capability": None if one.gpu.capability is None else str(one.gpu.capability),
        "driver": one.gpu.driver,
        "image": one.image,
        "reason": one.reason,
        "remedy": one.remedy,
        "rejected": dict(one.rejected),
    }


def _in_words(one: Advice, advised: list[Advice]) -> str:
    if _stays_idle(one, advised):
        return f"{_called(one.gpu)}: stays idle ({one.reason})" + (f"\n  → {one.remedy}" if one.remedy else "")
    lines = [f"{_called(one.gpu)}: use the image {one.image} ({one.reason})"]
    if one.remedy:
        lines.append(f"  → {one.remedy}")
    lines += [f"  not {name}: {why}" for name, why in one.rejected.items()]
    flags = "" if one.gpu is None or one.image == CPU else f"{CONTAINER_OPTIONS.get(one.gpu.kind, '')} "
    if "windows" not in one.image:
        lines.append(f"  ./run build-{one.image} && docker run --rm {flags}voxmatrix:{one.image} doctor")
    return "\n".join(lines)


def _called(gpu: Gpu | None) -> str:
    if gpu is None:
        return "this computer"
    facts = [gpu.name or f"GPU {gpu.index}", f"capability {gpu.capability}" if gpu.capability else ""]
    return ", ".join(filter(None, [*facts, f"driver {gpu.driver}" if gpu.driver else ""]))
