"""`voxmatrix engines`: models that need packages of their own, each in an environment of its own."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem, shown
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import DamagedFileError, VoxmatrixError

if TYPE_CHECKING:
    from voxmatrix.external.installed import Engine
    from voxmatrix.external.manifest import LicenceTable
    from voxmatrix.machine.facts import Machine

group = CommandGroup(help="Install, list, check and remove engines: models that need packages of their own.")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A name of `engines list`.", show_default=False)]
_Weights = Annotated[
    str,
    options.option(
        "--weights", "ID|FOLDER", "Weights of `engines list`, or a folder with such weights.", parser=options.path
    ),
]
_Accept = Annotated[bool, typer.Option("--accept-licence", help="Accept a licence that restricts the use.")]
_WithWeights = Annotated[bool, typer.Option("--weights", help="Its weights, too.")]
_OneName = Annotated[str, typer.Argument(metavar="[NAME]", help="Only this engine.", show_default=False)]


@group.command("list")
def list_engines(as_json: options.AsJson = False) -> None:
    """List the engines: what is installed, what this computer can compute, sizes and licences."""
    from voxmatrix.external.listing import engine_rows

    rows = engine_rows(_machine())
    if as_json:
        print_json({"engines": rows})
        return
    for row in rows:
        if row["problem"]:
            echo(f"{row['name']}  {row['problem']}")
            continue
        state = "installed" if row["installed"] else row["command"] or "not installed"
        state += f", {row['bytes'] / 1e6:,.0f} MB" if row["bytes"] else ""
        echo(f"{row['name']}  {state}; {_on(row)}; licence of its code: {row['code_licence']}")
        for weights in row["weights"]:
            there = "installed; " if weights["installed"] else ""
            facts = f"{weights['memory_mib']:,.0f} MiB of memory, {weights['licence']}"
            echo(f"  {weights['id']:16} {weights['title']}: {there}{_on(weights)}, {facts}")


@group.command("install")
def install(
    name: _Name, weights: _Weights = "", accept_licence: _Accept = False, as_json: options.AsJson = False
) -> None:
    """Install an engine and let it speak; with `--weights`, also fetch what it speaks with."""
    from voxmatrix.external.fit import check_fit
    from voxmatrix.external.install import chosen_weights, install_weights, pack
    from voxmatrix.external.install import install as install_engine
    from voxmatrix.external.installed import find_engine, installed_engines
    from voxmatrix.external.manifest import FILE, read_manifest
    from voxmatrix.external.weights import check_available

    machine, there = _machine(), name in installed_engines()
    folder = installed_engines()[name] if there else pack(name)
    manifest = read_manifest(folder / FILE)
    if weights:  # what cannot be is said before anything is fetched
        row, source = chosen_weights(manifest, weights)
        check_fit(row.id, manifest.of(row.id), machine)
        accept_licence = _accept(row.id, manifest.of(row.id).licence, accept_licence, as_json)
        if source is None:
            check_available(row)
    if there and weights:
        engine = find_engine(name)
    else:
        with progress("install", f"installing {name}", as_json=as_json) as on_progress:
            engine = install_engine(name, machine, on_progress)
    found: dict[str, Any] = {"engine": name, "folder": str(engine.folder), "weights": None, "voice": None}
    if weights:
        with progress("download", "downloading", as_json=as_json) as on_progress:
            identifier, digest = install_weights(
                engine, weights, machine, accepted=accept_licence, on_progress=on_progress
            )
        found |= {"weights": digest, "voice": _write_voice(engine, identifier, digest)}
    if as_json:
        print_json(found)
        return
    echo(f"{engine.folder}: installed, and it speaks")
    if found["voice"]:
        echo(f'  → voxmatrix speak --voice {found["voice"]} --text "Hello" --out hello.wav', err=True)


@group.command("remove")
def remove(name: _Name, weights: _WithWeights = False, as_json: options.AsJson = False) -> None:
    """Remove an engine; its voices stay, and speak again when it is installed again."""
    from voxmatrix.external.install import remove as remove_engine

    removed = remove_engine(name, with_weights=weights)
    if as_json:
        print_json({"removed": [str(path) for path in removed]})
        return
    for path in removed:
        echo(f"removed: {path}")


@group.command("check")
def check(name: _OneName = "", as_json: options.AsJson = False) -> None:
    """Let the installed engines speak, and compare their weights with what was installed."""
    from voxmatrix.external.install import FIXTURE, try_out
    from voxmatrix.external.installed import check_weights, find_engine, installed_engines, weights_records

    rows = []
    for one in [name] if name else sorted(installed_engines()):
        row: dict[str, Any] = {"engine": one, "weights": [], "problem": None}
        rows.append(row)
        try:
            engine = find_engine(one)
            if (engine.folder / FIXTURE).is_file():  # one of the user's own may have none
                try_out(engine)
        except VoxmatrixError as error:
            row["problem"] = error.problem
            print_problem(one, error.problem, error.remedy)
            continue
        for digest in (found for found, record in weights_records().items() if record.get("engine") == one):
            problem = None
            try:
                check_weights(digest, engine)
            except VoxmatrixError as error:
                problem = error.problem
                print_problem(one, error.problem, error.remedy)
            row["weights"].append({"digest": digest, "problem": problem})
    broken = [row["engine"] for row in rows if row["problem"] or any(part["problem"] for part in row["weights"])]
    if as_json:
        print_json({"engines": rows})
    elif not broken:
        echo(f"they speak: {', '.join(row['engine'] for row in rows) or 'no engine is installed'}")
    if broken:
        raise DamagedFileError(
            f"broken: {', '.join(broken)}", f"voxmatrix engines install {broken[0]} puts its packages in order"
        )


def _machine() -> "Machine":
    from voxmatrix.machine.detect import detect

    return detect().machine


def _accept(name: str, licence: "LicenceTable | None", accepted: bool, as_json: bool) -> bool:
    """Show the licence, and ask on a terminal whether it is accepted."""
    from voxmatrix.external.weights import check_licence, restrictions

    if licence is not None:
        echo(f"{name}: licence {restrictions(licence)}", err=True)
    if licence is not None and licence.accept and not (accepted or as_json) and sys.stdin.isatty():
        accepted = typer.confirm(shown(f"Accept it? {licence.url}"), err=True)
    check_licence(name, licence, accepted=accepted)
    return accepted


def _write_voice(engine: "Engine", identifier: str, digest: str) -> str | None:
    """Write the voice of weights that speak without a recording; returns its name."""
    from voxmatrix.external.family import voice_path
    from voxmatrix.external.voice_file import VoiceFile, write_voice_file

    manifest = engine.manifest.of(identifier)
    if manifest.can.reference is not None and manifest.can.reference.required:
        echo("  → these weights imitate a recording: voxmatrix voices clone", err=True)
        return None
    title = next((row.title for row in manifest.weights if row.id == identifier), "")
    voice = VoiceFile(
        engine=engine.name,
        weights={identifier: digest},
        language=manifest.can.languages[0],
        title=title or identifier,
        license=manifest.licence.name if manifest.licence else "",
    )
    write_voice_file(voice_path(engine.name, identifier), voice)
    return f"{engine.name}/{identifier}"


def _on(row: dict[str, Any]) -> str:
    why = f" ({'; '.join(row['reasons'])})" if row["reasons"] else ""
    return f"on {row['device']}{why}" if row["device"] else f"not here{why}"
