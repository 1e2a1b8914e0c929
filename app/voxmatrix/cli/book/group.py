"""The group `book`: `book FILE` makes an audiobook."""

from typing import Any

import typer
from typer.core import TyperGroup

from voxmatrix.cli.book import inspect, make
from voxmatrix.cli.checked_command import checked
from voxmatrix.cli.parameters.options import EPILOG

_MAKE = "make"


class BookGroup(TyperGroup):
    """`book FILE` is short for `book make FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command that was left out."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = [_MAKE, *args]
        return list(super().parse_args(ctx, args))


group = typer.Typer(
    cls=BookGroup,
    no_args_is_help=True,
    help="Make an audiobook: voxmatrix book FILE --voice V --out BOOK.m4b. The word `make` can be left out.",
)
group.command(_MAKE, cls=checked("speak", make.folders), epilog=EPILOG)(make.command)
group.command("inspect")(inspect.command)
