"""Lock the packages of the engines of docker/engines.toml: run by `./run lock -- engines`."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.images.engines import Engine, engines
from tools.images.rows import ROOT, Row, rows
from tools.locks import pins
from tools.locks.resolving import resolve

HEADING = "Locked by `./run lock -- engines`: the engine '{name}' {where}."
#: The environment of an engine borrows torch with all that only torch needs.
_BORROWED = re.compile(r"torch|torchaudio|triton|nvidia-.*|cuda-.*|mpmath|networkx|setuptools|sympy")


def for_installations(engine: Engine, uv: str) -> str:
    """All that the engine needs apart from torch, on any platform, with markers; as a requirements file with hashes."""
    with tempfile.TemporaryDirectory() as folder:
        needed, out, left_out = (Path(folder, file) for file in ("in.txt", "out.txt", "excludes.txt"))
        needed.write_text("\n".join(engine.requires), encoding="utf-8")
        left_out.write_text("\n".join(engine.excludes), encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"]
        command += ["--no-header", "--no-annotate", "--excludes", str(left_out), "--output-file", str(out), str(needed)]
        subprocess.run(command, check=True, cwd=folder)
        text = out.read_text(encoding="utf-8")
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    own = "".join(block for block in blocks if block and not _BORROWED.fullmatch(block.partition("==")[0]))
    return f"# {HEADING.format(name=engine.name, where='apart from torch')}\n{own}"


def for_image(engine: Engine, row: Row, uv: str) -> dict[str, pins.Pin]:
    """The pins that the image of this row does not already have, at versions that suit those it has."""
    locked = pins.parse((ROOT / row.pins).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        files = ("in.txt", "fixed.txt", "out.txt", "excludes.txt")
        needed, fixed, out, left_out = (Path(folder, file) for file in files)
        left_out.write_text("\n".join(engine.excludes), encoding="utf-8")
        needed.write_text("\n".join(engine.requires), encoding="utf-8")
        fixed.write_text(pins.constraints(locked), encoding="utf-8")
        found = resolve(uv, row, out, "--excludes", str(left_out), constraints=fixed, of=[needed])
    return {pin: found[pin] for pin in found if pin not in locked and not _BORROWED.fullmatch(pin)}


if __name__ == "__main__":
    for one in engines().values():
        one.lock.write_text(for_installations(one, sys.argv[1]), encoding="utf-8")
        print(one.lock.relative_to(ROOT))
        for row in map(rows().__getitem__, one.rows):
            added, where = for_image(one, row, sys.argv[1]), f"on top of the image '{row.name}'"
            heading = HEADING.format(name=one.name, where=where)
            (ROOT / one.pins(row)).write_text(pins.render(added.values(), heading), encoding="utf-8")
            print(f"{one.pins(row)}: {len(added)} projects")
