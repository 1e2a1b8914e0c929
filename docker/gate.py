"""The last word of a build: `gate.py TORCH [CUDA]` fails unless exactly this torch is installed, for exactly this CUDA.

A later pip step that swaps a CUDA torch for a CPU one (or the reverse) is a repeated defect of images, so nothing may
be installed behind it. Reads torch's own version file: importing torch would cost seconds in every build.
"""

import importlib.util
import runpy
import sys
from pathlib import Path


def main(torch: str, cuda: str = "") -> None:
    """Compare what the row promises with what is there."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        sys.exit("gate: torch is not installed")
    seen = runpy.run_path(str(Path(spec.origin).with_name("version.py")))
    found = str(seen["__version__"]).partition("+")[0], seen["cuda"]
    if found != (torch, cuda or None):
        sys.exit(f"gate: torch is {found[0]} for CUDA {found[1]}, the row promises {torch} for CUDA {cuda or None}")


if __name__ == "__main__":
    main(*sys.argv[1:])
