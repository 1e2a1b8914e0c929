"""The final check of a build: `gate.py TORCH [CUDA [CAPABILITIES [KERNELS [FLASH]]]]` fails if any of that is missing.

A later pip step that replaces a CUDA torch with a CPU one (or the reverse) is a common defect of images, so nothing may
be installed after this check. The kernels are those that docker/kernels.py measured (VOXMATRIX_IMAGE_FACTS: another
file); the app's own table decides whether one runs on a capability. Does not import torch or run pip: either would
add seconds to every build.
"""

import importlib.metadata
import importlib.util
import json
import os
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

FACTS = Path(os.environ.get("VOXMATRIX_IMAGE_FACTS", "/opt/voxmatrix/image.json"))


def main(torch: str, cuda: str = "", capabilities: str = "", kernels: str = "", flash: str = "") -> None:
    """Check the promises of the row and the requirements of the app.

    `torch` may name a build for other GPUs than NVIDIA's, such as 2.11.0+rocm7.2; `kernels` are then its gfx or XPU
    targets. `flash` has the form of FLASH_ATTN_CUDA_ARCHS.
    """
    complaints = [*wrong_torch(torch, cuda), *unmet("voxmatrix")]
    if (cuda or kernels) and not complaints:
        complaints = [
            *wrong_code(torch, cuda, capabilities.split(), kernels.split(), flash.split(";") if flash else [])
        ]
    if complaints:
        sys.exit("\n".join(f"gate: {complaint}" for complaint in complaints))


def wrong_torch(torch: str, cuda: str) -> Iterator[str]:
    """Complaints about the version or CUDA of torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        yield "torch is not installed"
        return
    seen = runpy.run_path(str(Path(spec.origin).with_name("version.py")))
    version = str(seen["__version__"])
    found = version if "+" in torch else version.partition("+")[0], seen["cuda"]
    if found != (torch, cuda or None):
        yield f"torch is {found[0]} for CUDA {found[1]}, but the row promises {torch} for CUDA {cuda or None}"


def wrong_code(
    torch: str, cuda: str, capabilities: Sequence[str], kernels: Sequence[str], flash: Sequence[str]
) -> Iterator[str]:
    """Complaints about the measured kernels of torch and flash-attn."""
    if not FACTS.exists():
        yield f"there is no {FACTS}, so the kernels are unknown; docker/kernels.py must run first"
        return
    measured = json.loads(FACTS.read_text(encoding="utf-8"))
    yield from wrong_kernels(measured, torch, cuda, capabilities, kernels)
    yield from wrong_flash_attention(measured["libraries"], [f"sm_{arch}" for arch in flash])


def wrong_kernels(
    measured: Mapping[str, Any], torch: str, cuda: str, capabilities: Sequence[str], kernels: Sequence[str]
) -> Iterator[str]:
    """Complaints about capabilities without code in torch or its companion libraries, and about a wrong kernel list."""
    found: list[str] = measured["kernels"]
    for capability in capabilities:
        if not covered(capability, found, cuda):
            yield (
                f"the row promises capability {capability}, but torch {torch} for CUDA {cuda} only has kernels for "
                f"{' '.join(found) or 'none'}"
            )
            continue
        for library, names in measured["libraries"].items():
            if library.startswith(OURS) and not covered(capability, names, cuda):
                yield f"the row promises capability {capability}, but {library} only has code for {' '.join(names)}"
    if not cuda:
        # Never measured before a first build, so more targets than promised are no error.
        missing = sorted(set(kernels) - set(found))
        if missing:
            yield f"the row promises kernels for {' '.join(missing)}, but torch {torch} only has {' '.join(found)}"
    elif kernels and set(kernels) != set(found):
        yield f"the row's kernels are {' '.join(kernels)}, torch's are {' '.join(found)}: correct docker/images.toml"


#: Libraries that must support every capability. (CUDA's own choose among several files, each for some GPUs.)
OURS = ("torchaudio/",)


def wrong_flash_attention(libraries: Mapping[str, Sequence[str]], required: Sequence[str]) -> Iterator[str]:
    """Complaints about kernels that flash-attn lacks; it supports no GPU below 8.0."""
    found = {name for library, names in libraries.items() if library.startswith("flash_attn") for name in names}
    for name in required:
        if name not in found:
            yield f"flash-attn must have code for {name}, but has it only for {' '.join(sorted(found)) or 'no GPU'}"


def covered(capability: str, kernels: Sequence[str], cuda: str) -> bool:
    """Whether one of the kernels is machine code for GPUs of this capability."""
    from voxmatrix.tables.gpus import compatibility, parse_kernel
    from voxmatrix.tables.rows import capability as parsed

    known = [kernel for name in kernels if (kernel := parse_kernel(name)) and kernel.form == "sm"]
    return any(compatibility().runs(kernel, parsed(capability), cuda) for kernel in known)


#: Project → another project that provides the same module.
_SAME_MODULE = {"onnxruntime": "onnxruntime-directml"}


def _installed(name: str) -> str | None:
    """The version of a project, or None if it is not installed."""
    try:
        return importlib.metadata.version(name) if name else None
    except importlib.metadata.PackageNotFoundError:
        return None


def unmet(project: str) -> Iterator[str]:
    """The unmet requirements of a project itself; `pip check` has checked those of the pins."""
    for text in importlib.metadata.requires(project) or ():
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = requirement.name
        installed = _installed(name) or _installed(_SAME_MODULE.get(name, ""))
        if installed is None:
            yield f"{project} needs {requirement}, but {name} is not installed: run ./run lock"
        elif not requirement.specifier.contains(installed, prereleases=True):
            yield f"{project} needs {requirement}, but {installed} is locked: run ./run lock"


if __name__ == "__main__":
    main(*sys.argv[1:])
