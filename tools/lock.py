"""Writes docker/pins/<row>.txt: `python -m tools.lock ROW UV`, done by `./run lock`."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tools import lock_flash, pins
from tools.building import named_index, torch_index
from tools.resolving import resolve
from tools.rows import ROOT, Row, rows

#: The row whose versions the others take where they can, so that a voice meets the same libraries in every image.
HOME = "cpu"

HEADING = "Locked by `./run lock` for the image '{row}', Python {python}. torch: files of the row's index only."


def lock(row: Row, uv: str, find_links: list[str]) -> dict[str, pins.Pin]:
    """The pins of a row: one version of everything, and the hashes of all files of that version.

    torch of a row without CUDA is the far smaller build of the same version, which no public index has beside the
    others: it keeps the hashes known before, of files that lie here, and of an index that is named.
    """
    index = torch_index(row)
    if row.channel == "nightly" and not index:
        raise SystemExit(
            f"{row.name}: no index of nightlies is named, so {row.pins} stays as it is\n"
            f"  → set VOXMATRIX_TORCH_INDEX_{row.name.upper().replace('-', '_')}, or use the stable row {row.instead}"
        )
    offered = pins.on_index(index, "torch", row.torch, row.python, row.torch_local) if index else None
    # The public index has builds for CUDA of Linux' torch, and of Windows' those without.
    other = row.system == "linux" and not row.cuda
    local = f"+{row.torch_local}" if index or other else ""
    if index and offered is not None and not offered.hashes:
        raise SystemExit(gone(row))
    if offered is not None:
        find_links = [*find_links, f"{index}/torch/"]
    elif other:
        print("no index of torch was asked: it keeps the hashes known before, and those of the files that lie here")
    found = _resolve(row, uv, find_links, f"torch=={row.torch}{local}")
    if _WITH_DIRECTML in found:
        del found["onnxruntime"]  # the same module: whichever is installed last would be the one that is imported
    found["torch"] = pins.merged(pins.public(found["torch"]), *([_before(row).get("torch"), offered] if local else []))
    return found


#: onnxruntime with DirectML in it.
_WITH_DIRECTML = "onnxruntime-directml"


def gone(row: Row) -> str:
    """What is said when the index has no such torch any more."""
    what = f"{row.name}: torch {row.torch} for CUDA {row.cuda or 'none'} is not on {named_index(row) or 'the index'}"
    if row.instead:
        return (
            f"{what} any more: nightlies vanish after some weeks\n  → use the stable row {row.instead}, or a newer date"
        )
    return f"{what}\n  → correct the row's torch or index in docker/images.toml"


def _before(row: Row) -> dict[str, pins.Pin]:
    path = ROOT / row.pins
    return pins.parse(path.read_text(encoding="utf-8")) if path.exists() else {}


def _preferred() -> list[pins.Pin]:
    home = pins.parse((ROOT / rows()[HOME].pins).read_text(encoding="utf-8"))
    return [pin for pin in home.values() if pin.name != "torch"]


def _resolve(row: Row, uv: str, find_links: list[str], torch: str) -> dict[str, pins.Pin]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        fixed, build, out = Path(folder, "fixed.txt"), Path(folder, "build.in"), Path(folder, "pins.txt")
        fixed.write_text(f"{torch}\ntorchaudio=={row.torchaudio}\n", encoding="utf-8")
        # What comes as source is built in the image: not every torch asks for setuptools.
        build.write_text("\n".join(project["build-system"]["requires"]), encoding="utf-8")
        if row.name != HOME:  # uv prefers what the file says that it writes
            out.write_text(pins.render(_preferred(), "preferred"), encoding="utf-8")
        words = [word for extra in row.extras for word in ("--extra", extra)]
        words += [word for place in find_links for word in ("--find-links", place)]
        return resolve(uv, row, out, *words, constraints=fixed, of=["pyproject.toml", build])


def _find_links() -> list[str]:
    """Where pip is told to look for files; uv does not read pip's configuration."""
    words = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    pairs = (line.partition("=") for line in said.splitlines())
    places = [value.strip("'\"") for key, _, value in pairs if key.endswith(".find-links")]
    return list(dict.fromkeys(word for place in places for word in place.split()))


if __name__ == "__main__":
    chosen = rows()[sys.argv[1]]
    # A file that lies here is a CPU build: a row with CUDA must not see it.
    locked = lock(chosen, sys.argv[2], [] if chosen.cuda else _find_links())
    heading = HEADING.format(row=chosen.name, python=chosen.python)
    (ROOT / chosen.pins).write_text(pins.render(locked.values(), heading), encoding="utf-8")
    print(f"{chosen.pins}: {len(locked)} projects")
    if chosen.flash_attn:
        print(lock_flash.write(chosen, sys.argv[2]))
