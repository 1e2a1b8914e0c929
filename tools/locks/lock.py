"""Write docker/pins/<row>.txt: `python -m tools.locks.lock ROW UV`, run by `./run lock`."""

import sys
import tempfile
import tomllib
from pathlib import Path

from tools.images.building import named_index, torch_index
from tools.images.rows import ROOT, Row, rows
from tools.locks import lock_cluster, lock_flash, pins
from tools.locks.pip_config import pip_values
from tools.locks.resolving import missing_wheels, resolve

#: The row whose versions the others prefer, so that all images have the same libraries where possible.
HOME = "cpu"

HEADING = "Locked by `./run lock` for the image '{row}', Python {python}. torch: files of the row's index only."


def lock(row: Row, uv: str, find_links: list[str]) -> dict[str, pins.Pin]:
    """The pins of a row: one version of each project, with the hashes of all its files.

    A row without CUDA uses torch's CPU build, which is far smaller and not on PyPI. Its hashes are those locked
    before, those of local files, and those of the configured index.
    """
    index = torch_index(row)
    if row.channel == "nightly" and not index:
        raise SystemExit(
            f"{row.name}: no index of nightlies is set, so {row.pins} is left unchanged\n"
            f"  → set VOXMATRIX_TORCH_INDEX_{row.name.upper().replace('-', '_')}, or use the stable row {row.instead}"
        )
    if row.torch_build and not index:
        raise SystemExit(_unreachable(row, "no index of such builds is set"))
    offered = pins.on_index(index, "torch", row.torch, row.python, row.torch_local) if index else None
    # PyPI has torch with CUDA for Linux, and without CUDA for Windows.
    not_on_pypi = row.system == "linux" and not row.cuda
    local = f"+{row.torch_local}" if index or not_on_pypi else ""
    if index and offered is not None and not offered.hashes:
        raise SystemExit(gone(row))
    if row.torch_build and offered is None:
        raise SystemExit(_unreachable(row, "the index does not answer"))
    if offered is not None:
        projects = ("torch", *only_on_torchs_index(row))
        find_links = [*find_links, *(f"{index.rstrip('/')}/{project}/" for project in projects)]
    elif not_on_pypi:
        print("torch's index does not answer: keeping the hashes that are already locked and those of local files")
    found = _resolve(row, uv, find_links, f"torch=={row.torch}{local}")
    if _WITH_DIRECTML in found:
        del found["onnxruntime"]  # both provide the same module, and the one installed last would win
    found["torch"] = pins.merged(pins.public(found["torch"]), *([_before(row).get("torch"), offered] if local else []))
    return found


def only_on_torchs_index(row: Row) -> tuple[str, ...]:
    """The projects that PyPI does not have for this torch: Triton for other GPUs, torchaudio for old CUDA."""
    if row.cuda:
        return ("torchaudio",) if row.torch_build else ()
    return tuple(f"triton-{kind}" for kind in row.gpu_kinds) if row.torch_build else ()


def _unreachable(row: Row, why: str) -> str:
    return (
        f"{row.name}: {why}, so {row.pins} is not written\n"
        f"  → run {row.index_variable}=https://…/{row.torch_build} ./run lock -- {row.name} with torch's index of "
        f"{row.torch_build} builds (see 'Get started' on its site)"
    )


#: The build of onnxruntime with DirectML.
_WITH_DIRECTML = "onnxruntime-directml"


def gone(row: Row) -> str:
    """The message for a torch that the index does not have (any more)."""
    problem = f"{row.name}: torch {row.torch}+{row.torch_local} is not on {named_index(row) or 'the index'}"
    if row.instead:
        return f"{problem}: nightlies vanish after some weeks\n  → use the stable row {row.instead}, or a newer date"
    return f"{problem}\n  → correct the row's torch or index in docker/images.toml"


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
        # Source distributions are built in the image, and not every torch requires setuptools.
        build.write_text("\n".join(project["build-system"]["requires"]), encoding="utf-8")
        if row.name != HOME:  # uv prefers the versions in an existing output file
            out.write_text(pins.render(_preferred(), "preferred"), encoding="utf-8")
        options = [word for extra in row.extras for word in ("--extra", extra)]
        options += [word for location in find_links for word in ("--find-links", location)]
        return resolve(uv, row, out, *options, constraints=fixed, of=["pyproject.toml", build])


if __name__ == "__main__":
    chosen = rows()[sys.argv[1]]
    # Local files of torch are CPU builds: a row with CUDA must not see them.
    locked = lock(chosen, sys.argv[2], [] if chosen.cuda else pip_values(".find-links"))
    heading = HEADING.format(row=chosen.name, python=chosen.python)
    (ROOT / chosen.pins).write_text(pins.render(locked.values(), heading), encoding="utf-8")
    print(f"{chosen.pins}: {len(locked)} projects")
    for other in chosen.platforms[1:]:
        if reason := missing_wheels(sys.argv[2], chosen, locked, other):
            raise SystemExit(f"{chosen.name} cannot be built for {other}: {reason}")
    if chosen.name == HOME:
        print(lock_cluster.write(chosen, sys.argv[2]))
    if chosen.flash_attn:
        print(lock_flash.write(chosen, sys.argv[2]))
