"""A command that computes for long: what must be known beforehand is found out when its words are understood."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

#: Told the command, with all that was typed, set and written for it.
Check = Callable[[typer.Context], None]


class CheckedCommand(TyperCommand):
    """What `voxmatrix.cli.main.run` was given as `before` comes first."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        before: Check | None = ctx.find_root().obj
        if before is not None:
            before(ctx)
        return super().invoke(ctx)
