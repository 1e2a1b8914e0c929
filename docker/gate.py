"""The last word of a build: `gate.py TORCH [CUDA]` fails unless this torch is installed and the app's needs are met.

A later pip step that swaps a CUDA torch for a CPU one (or the reverse) is a repeated defect of images, so nothing may
be installed behind it. Imports no torch and starts no pip: either would cost every build seconds.
"""

import importlib.metadata
import importlib.util
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement


def main(torch: str, cuda: str = "") -> None:
    """Compare what the row promises, and what the app asks for, with what is there."""
    complaints = [*wrong_torch(torch, cuda), *unmet("voxmatrix")]
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


def unmet(project: str) -> Iterator[str]:
    """The requirements of a project that what is installed does not meet (its own: `pip check` saw the pins)."""
    for text in importlib.metadata.requires(project) or ():
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            seen = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            yield f"{project} needs {wanted}, and {wanted.name} is not installed: ./run lock"
            continue
        if not wanted.specifier.contains(seen, prereleases=True):
            yield f"{project} needs {wanted}, and {seen} is locked: ./run lock"


if __name__ == "__main__":
    main(*sys.argv[1:])
