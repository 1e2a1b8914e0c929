"""All engines: what is installed, what this computer can compute, sizes and licences, and what to type."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voxmatrix.errors import VoxmatrixError
from voxmatrix.external.fit import fit
from voxmatrix.external.install import image_with
from voxmatrix.external.installed import installed_engines, installed_weights, packs
from voxmatrix.external.manifest import FILE, Manifest, read_manifest
from voxmatrix.external.weights import restrictions
from voxmatrix.machine.facts import Machine


def engine_rows(machine: Machine) -> list[dict[str, Any]]:
    """The engines that are installed or can be, by name, each with its weights.

    `device` is where it is computed, or null; `reasons` say why not elsewhere. `command` installs what is not there,
    if it can be. `reference` is what it needs of a recording that it imitates: `seconds` (the least and the most that
    it uses) and `transcript` (none, optional or required), or null.
    """
    here = installed_engines()
    places = {**packs(), **here}
    return [_row(name, places[name], machine, installed=name in here) for name in sorted(places)]


def cloning(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What imitates recordings now, of the rows of `engine_rows`: the installed engines, with each of their weights."""
    return [
        {
            "engine": row["name"],
            "weights": part.get("id", ""),
            "title": part["title"],
            "languages": part["languages"],
            **part["reference"],
        }
        for row in rows
        if row["installed"]
        for part in row["weights"] or [{**row, "title": row["name"]}]
        if part["installed"] and part["reference"]
    ]


def _row(name: str, folder: Path, machine: Machine, *, installed: bool) -> dict[str, Any]:
    about: dict[str, Any] = {"name": name, "installed": installed, "code_licence": None, "bytes": None}
    try:
        manifest = read_manifest(folder / FILE)
    except VoxmatrixError as error:
        about |= {"device": None, "reasons": [], "command": None, "languages": [], "reference": None, "weights": []}
        return {**about, "problem": error.problem}
    image = "" if installed else image_with(name)
    missing = (f"it cannot be installed in an image: use the image {image}",) if image else ()
    ids = installed_weights(name)
    weights = []
    for row in manifest.weights:
        own = manifest.of(row.id)
        weights.append(
            {
                "id": row.id,
                "title": row.title or row.id,
                "installed": row.id in ids,
                "memory_mib": own.run.memory.fixed_mib,
                "licence": restrictions(own.licence) if own.licence else "unknown",
                **_capability(own, machine, missing, None if row.id in ids else f"{name} --weights {row.id}"),
            }
        )
    about["code_licence"] = manifest.engine.code_licence or "unknown"
    if installed:
        about["bytes"] = sum(path.lstat().st_size for path in folder.rglob("*"))
    capability = _capability(manifest, machine, missing, None if installed else name)
    return {**about, "problem": None, **capability, "weights": weights}


def _capability(manifest: Manifest, machine: Machine, missing: tuple[str, ...], wanted: str | None) -> dict[str, Any]:
    """Where it is computed, what it can do, and the command that installs it, if something is wanted."""
    found = fit(manifest, machine)
    possible = found.device and not missing
    reference = manifest.can.reference
    return {
        "device": found.device if possible else None,
        "reasons": [*missing, *found.reasons],
        "command": f"voxmatrix engines install {wanted}" if wanted and possible else None,
        "languages": list(manifest.can.languages),
        "reference": reference and {"seconds": list(reference.seconds), "transcript": reference.transcript},
    }
