"""`voxmatrix patches`: what is mended here of other people's packages, why, and what became of it."""

import importlib
import json
from typing import Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix_entrypoint.ledger import Ledger, Patch
from voxmatrix_entrypoint.patches import LEDGER

_Try = Annotated[
    bool, typer.Option("--try", help="Import what the patches wait for (takes seconds), to see what becomes of each.")
]


def command(try_them: _Try = False, as_json: options.AsJson = False) -> None:
    """List what is mended here of other people's packages, why, and what became of it."""
    failed = try_all(LEDGER) if try_them else {}
    listed = [row(LEDGER, patch, failed.get(patch.module, "")) for patch in LEDGER.patches]
    if as_json:
        typer.echo(json.dumps({"patches": listed}))
        return
    for each in listed:
        typer.echo(f"{each['id']}: {each['state']}" + (f" ({each['note']})" if each["note"] else ""))
        typer.echo(f"  {each['reason']}\n  {each['upstream']}\n  until {each['until']}")
    if any(each["state"] == "waiting" for each in listed):
        typer.echo("  → voxmatrix patches --try imports what they wait for, and says what becomes of them")


def try_all(ledger: Ledger) -> dict[str, str]:
    """Import the module of every patch; what could not be imported, and why."""
    failed = {}
    for module in dict.fromkeys(patch.module for patch in ledger.patches):
        try:
            importlib.import_module(module)
        except Exception as error:  # whatever a foreign module raises: it is what is being found out
            failed[module] = f"{module} cannot be imported: {type(error).__name__}: {error}".splitlines()[0][:300]
    return failed


def row(ledger: Ledger, patch: Patch, failed: str) -> dict[str, Any]:
    """One patch, as `patches --json` shows it."""
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
