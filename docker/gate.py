"""The last word of a build: `gate.py TORCH [CUDA [CAPABILITIES [KERNELS [FLASH]]]]` fails unless all of that is in it.

A later pip step that swaps a CUDA torch for a CPU one (or the reverse) is a repeated defect of images, so nothing may
be installed behind it. The kernels are those that docker/kernels.py measured (VOXMATRIX_IMAGE_FACTS names another
file); whether one runs on a capability is decided by the app's own table. Imports no torch and starts no pip: either
would cost every build seconds.
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
    """Compare what the row promises, and what the app asks for, with what is there. flash: as FLASH_ATTN_CUDA_ARCHS."""
    complaints = [*wrong_torch(torch, cuda), *unmet("voxmatrix")]
    if cuda and not complaints:
        complaints = [
            *wrong_code(torch, cuda, capabilities.split(), kernels.split(), flash.split(";") if flash else [])
        ]
    if complaints:
        sys.exit("\n".join(f"gate: {complaint}" for complaint in complaints))


def wrong_torch(torch: str, cuda: str) -> Iterator[str]:
    """What is wrong with torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        yield "torch is not installed"
        return
    seen = runpy.run_path(str(Path(spec.origin).with_name("version.py")))
    found = str(seen["__version__"]).partition("+")[0], seen["cuda"]
    if found != (torch, cuda or None):
        yield f"torch is {found[0]} for CUDA {found[1]}, the row promises {torch} for CUDA {cuda or None}"


def wrong_code(
    torch: str, cuda: str, capabilities: Sequence[str], kernels: Sequence[str], flash: Sequence[str]
) -> Iterator[str]:
    """What was measured, held against the row and against what flash-attn was compiled for."""
    if not FACTS.exists():
        yield f"docker/kernels.py has written no {FACTS}, so nothing is known of the kernels"
        return
    measured = json.loads(FACTS.read_text(encoding="utf-8"))
    yield from wrong_kernels(measured, torch, cuda, capabilities, kernels)
    yield from wrong_flash_attention(measured["libraries"], [f"sm_{arch}" for arch in flash])


def wrong_kernels(
    measured: Mapping[str, Any], torch: str, cuda: str, capabilities: Sequence[str], kernels: Sequence[str]
) -> Iterator[str]:
    """Promised capabilities that torch, or what else computes with its tensors, has no code for; then a wrong list."""
    found: list[str] = measured["kernels"]
    for capability in capabilities:
        if not covered(capability, found, cuda):
            yield (
                f"the row promises capability {capability}, and torch {torch} for CUDA {cuda} has kernels for "
                f"{' '.join(found) or 'none'} only"
            )
            continue
        for library, names in measured["libraries"].items():
            if library.startswith(OURS) and not covered(capability, names, cuda):
                yield f"the row promises capability {capability}, and {library} has code for {' '.join(names)} only"
    if kernels and set(kernels) != set(found):
        yield f"the row's kernels are {' '.join(kernels)}, torch's are {' '.join(found)}: correct docker/images.toml"


#: Libraries whose kernels work on our tensors. (CUDA's own choose among several files, each for some GPUs.)
OURS = ("torchaudio/",)


def wrong_flash_attention(libraries: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> Iterator[str]:
    """Kernels that flash-attn was to be compiled for and has not. It has none for GPUs below 8.0."""
    found = {name for library, names in libraries.items() if library.startswith("flash_attn") for name in names}
    for name in wanted:
        if name not in found:
            yield f"flash-attn was to be compiled for {name}, and has code for {' '.join(sorted(found)) or 'nothing'}"


def covered(capability: str, kernels: Sequence[str], cuda: str) -> bool:
    """Whether one of the kernels is machine code that runs on a GPU of this capability."""
    from voxmatrix.tables.compatibility import compatibility, parse_kernel
    from voxmatrix.tables.rows import capability as parsed

    known = [kernel for name in kernels if (kernel := parse_kernel(name)) and kernel.form == "sm"]
    return any(compatibility().runs(kernel, parsed(capability), cuda) for kernel in known)


#: Projects that are another one with more in it.
_SAME_MODULE = {"onnxruntime": "onnxruntime-directml"}


def _installed(name: str) -> str | None:
    """The version; None: it is not installed."""
    try:
        return importlib.metadata.version(name) if name else None
    except importlib.metadata.PackageNotFoundError:
        return None


def unmet(project: str) -> Iterator[str]:
    """The requirements of a project that what is installed does not meet (its own: `pip check` saw the pins)."""
    for text in importlib.metadata.requires(project) or ():
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        seen = _installed(wanted.name) or _installed(_SAME_MODULE.get(wanted.name, ""))
        if seen is None:
            yield f"{project} needs {wanted}, and {wanted.name} is not installed: ./run lock"
            continue
        if not wanted.specifier.contains(seen, prereleases=True):
            yield f"{project} needs {wanted}, and {seen} is locked: ./run lock"


if __name__ == "__main__":
    main(*sys.argv[1:])
