"""Write docker/pins/flash-attn-<row>.txt: what compiling flash-attn needs in addition to the pins of the row."""

import tempfile
from pathlib import Path

from tools.images.rows import ROOT, Row
from tools.locks import pins
from tools.locks.resolving import resolve

HEADING = "Locked by `./run lock`: flash-attn for the image '{row}', and what compiles it, Python {python}."

#: What setup.py imports, and what flash-attn needs at runtime (einops).
_NEEDED = ("einops", "ninja", "packaging", "psutil", "setuptools", "wheel")
#: The wheels that together form the compiler of CUDA 13, and cuobjdump to inspect the result.
_COMPILER = ("nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-cuobjdump")


def lock_flash(row: Row, uv: str) -> dict[str, pins.Pin]:
    """The pins that the image does not already have."""
    locked = pins.parse((ROOT / row.pins).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        needed, fixed, out, config = (Path(folder, name) for name in ("in.txt", "fixed.txt", "out.txt", "uv.toml"))
        needed.write_text("\n".join(requirements(row)), encoding="utf-8")
        fixed.write_text(pins.constraints(locked), encoding="utf-8")
        # setup.py imports torch just to report its requirements; given this metadata, uv does not run it.
        config.write_text(
            f'[[dependency-metadata]]\nname = "flash-attn"\nversion = "{row.flash_attn}"\nrequires-dist = ["einops"]\n',
            encoding="utf-8",
        )
        found = resolve(uv, row, out, "--config-file", str(config), constraints=fixed, of=[needed])
    return {name: pin for name, pin in found.items() if name not in locked}


def requirements(row: Row) -> list[str]:
    """The requirements to resolve; the compiler of the row's CUDA comes from PyPI, unless the row has a toolkit."""
    compiler = () if row.toolkit else tuple(f"{name}=={row.cuda}.*" for name in _COMPILER)
    return [f"flash-attn=={row.flash_attn}", *_NEEDED, *compiler]


def write(row: Row, uv: str) -> str:
    """Lock flash-attn and return a summary of what was written."""
    found = lock_flash(row, uv)
    (ROOT / row.flash_pins).write_text(
        pins.render(found.values(), HEADING.format(row=row.name, python=row.python)), encoding="utf-8"
    )
    return f"{row.flash_pins}: {len(found)} projects"
