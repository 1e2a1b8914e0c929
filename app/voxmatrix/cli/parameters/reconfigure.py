"""The option `--reconfigure` of commands that speak: the device is selected again before anything else."""

from dataclasses import dataclass
from typing import Annotated

import typer


def _select_again(context: typer.Context, given: bool) -> bool:
    if given and not context.resilient_parsing:  # the shell completes words
        from voxmatrix.cli.devices import select_again

        select_again()
    return given


@dataclass(frozen=True, kw_only=True)
class ReconfigureOption:
    """The option. What it does is done while the words are read, so that the check before the command knows of it."""

    reconfigure: Annotated[
        bool,
        typer.Option(
            "--reconfigure",
            callback=_select_again,
            help="Select the GPU again and save it: ask, or take the best one.",
            rich_help_panel="Device",
        ),
    ] = False
