"""A long-running command: its device and folders are checked as soon as its parameters are parsed."""

from collections.abc import Callable
from typing import Any

import typer

from voxmatrix.cli.older_options import AliasedCommand
from voxmatrix.doctor.preflight import Preflight

#: Checks a command by its parameters. Returns None if there is nothing to pass on to the command.
Check = Callable[[typer.Context], Preflight | None]


class CheckedCommand(AliasedCommand):
    """Runs the check that `voxmatrix.cli.main.run` was given, and passes its result to the command as `context.obj`."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        check: Check | None = ctx.find_root().obj
        ctx.obj = None if check is None else check(ctx)
        return super().invoke(ctx)
