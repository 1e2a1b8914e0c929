"""A long-running command: its device and folders are checked as soon as its parameters are parsed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from voxmatrix.cli.parameters.older_options import AliasedCommand

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task
    from voxmatrix.plan.preflight import Preflight

#: Checks a command by its parameters. Returns None if there is nothing to pass on to the command.
Check = Callable[[typer.Context], "Preflight | None"]


@dataclass(frozen=True)
class Needs:
    """What a command does with a device, and the folders that it writes to, the one with its results first."""

    task: "Task"
    folders: Callable[[Mapping[str, Any]], list[Path]]  # by the parameters of the command


class CheckedCommand(AliasedCommand):
    """Runs the check that `voxmatrix.cli.main.run` was given, and passes its result to the command as `context.obj`."""

    needs: ClassVar[Needs]

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        check: Check | None = ctx.find_root().obj
        ctx.obj = None if check is None else check(ctx)
        return super().invoke(ctx)


def checked(task: "Task", folders: Callable[[Mapping[str, Any]], list[Path]]) -> type[CheckedCommand]:
    """The class of a command that needs this."""
    return type("CheckedCommand", (CheckedCommand,), {"needs": Needs(task, folders)})
