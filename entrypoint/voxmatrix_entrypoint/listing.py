"""`voxmatrix patches`: the patches of third-party packages, their reasons and their states."""

import importlib
from typing import Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json
from voxmatrix_entrypoint.ledger import Patch, PatchLedger
from voxmatrix_entrypoint.patches import LEDGER

_Try = Annotated[bool, typer.Option("--try", help="Import the packages (takes seconds), to see which patches apply.")]


def command(try_them: _Try = False, as_json: options.AsJson = False) -> None:
    """List the patches of third-party packages, and their states."""
    failed = try_all(LEDGER) if try_them else {}
    listed = [row(LEDGER, patch, failed.get(patch.module, "")) for patch in LEDGER.patches]
    if as_json:
        print_json({"patches": listed})
        return
    for patch in listed:
        echo(f"{patch['id']}: {patch['state']}" + (f" ({patch['note']})" if patch["note"] else ""))
        echo(f"  {patch['reason']}\n  {patch['upstream']}\n  until {patch['until']}")
    if any(patch["state"] == "waiting" for patch in listed):
        echo("  → run voxmatrix patches --try to import the packages, and see which patches apply")


def try_all(ledger: PatchLedger) -> dict[str, str]:
    """Import the modules of all patches. Returns those that cannot be imported, and why."""
    failed = {}
    for module in dict.fromkeys(patch.module for patch in ledger.patches):
        try:
            importlib.import_module(module)
        except Exception as error:  # third-party modules may raise anything, and the error is the result
            failed[module] = f"{module} cannot be imported: {type(error).__name__}: {error}".splitlines()[0][:300]
    return failed


def row(ledger: PatchLedger, patch: Patch, failed: str) -> dict[str, Any]:
    """A patch as JSON."""
    outcome = ledger.outcome(patch)
    return {
        "id": patch.id,
        "state": outcome.state,
        "note": failed if failed and outcome.state in ("waiting", "off") else outcome.note,
        "reason": patch.reason,
        "upstream": patch.upstream,
        "until": patch.until,
        "applies": str(patch.applies),
        "installed": patch.applies.installed(),
    }
