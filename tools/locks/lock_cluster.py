"""Write docker/pins/cluster.txt: what `./run cluster-ROW` adds to the image of any row."""

import tempfile
import tomllib
from pathlib import Path

from tools.images.rows import ROOT, Row
from tools.locks import pins
from tools.locks.resolving import resolve

PINS = ROOT / "docker" / "pins" / "cluster.txt"
HEADING = "Locked by `./run lock -- {row}`: what a cluster needs in addition to the image '{row}', or any other."
EXTRAS = ("cluster", "dashboard")


def lock_cluster(row: Row, uv: str) -> dict[str, pins.Pin]:
    """The pins that the image of the row does not already have. (A build fails where another image lacks one.)"""
    locked = pins.parse((ROOT / row.pins).read_text(encoding="utf-8"))
    optional = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        needed, fixed, out = (Path(folder, name) for name in ("in.txt", "fixed.txt", "out.txt"))
        needed.write_text("\n".join(word for extra in EXTRAS for word in optional[extra]), encoding="utf-8")
        fixed.write_text(pins.constraints(locked), encoding="utf-8")
        found = resolve(uv, row, out, constraints=fixed, of=[needed])
    return {name: pin for name, pin in found.items() if name not in locked}


def write(row: Row, uv: str) -> str:
    """Lock them and return a summary of what was written."""
    found = lock_cluster(row, uv)
    PINS.write_text(pins.render(found.values(), HEADING.format(row=row.name)), encoding="utf-8")
    return f"{PINS.relative_to(ROOT)}: {len(found)} projects"
