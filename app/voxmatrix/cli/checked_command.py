"""A command that computes for long: its device and folders are checked once its parameters are known."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

from voxmatrix.doctor.preflight import Preflight

#: Checks a command by its parameters; None where there is nothing to hand on.
Check = Callable[[typer.Context], Preflight | None]


class CheckedCommand(TyperCommand):
    """Runs the check of `voxmatrix.cli.main.run` first. The command finds what it returned in `context.obj`."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        check: Check | None = ctx.find_root().obj
        ctx.obj = None if check is None else check(ctx)
        return super().invoke(ctx)
