"""The group `book`: `book FILE` makes an audiobook."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from voxmatrix.cli.book import cast, check, inspect, make, names, shelf
from voxmatrix.cli.command import EPILOG, CommandGroup, checked
from voxmatrix.errors import UsageError
from voxmatrix.wording import quoted

_MAKE = "make"
#: How much a word has to be like a command, of 1, to be one that is misspelt.
_ALIKE = 0.8


class BookGroup(TyperGroup):
    """`book FILE` is short for `book make FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command that was left out."""
        if ctx.resilient_parsing and not args:  # it may still come: the shell completes it
            return list(super().parse_args(ctx, args))
        if not args or args[0] not in (*self.commands, "--help", "-h"):
            if not ctx.resilient_parsing:
                self._check_spelling(args)
            args = [_MAKE, *args]
        return list(super().parse_args(ctx, args))

    def _check_spelling(self, args: list[str]) -> None:
        alike = get_close_matches(args[0], self.commands, n=1, cutoff=_ALIKE) if args else []
        if alike and not Path(args[0]).exists():
            raise UsageError(
                f"{quoted(args[0])} is neither a command nor a file", f"did you mean voxmatrix book {alike[0]}?"
            )


group = CommandGroup(
    cls=BookGroup,
    help="Make an audiobook: voxmatrix book FILE --voice V --out BOOK.m4b. The word make can be left out.",
)
group.command(_MAKE, cls=checked("speak", make.folders), epilog=EPILOG)(make.command)
group.command("inspect")(inspect.command)
group.command("names")(names.command)
group.command("cast")(cast.command)
group.command("shelf")(shelf.command)
group.command("check")(check.command)
