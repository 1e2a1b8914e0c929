"""Options of older programs: understood, but not shown in the help."""

import os
from typing import Any

from typer.core import TyperCommand

from voxmatrix.cli.parameters.empty_paths import refuse_empty_paths
from voxmatrix.config import LOG_VARIABLE

#: The option that each one stands for and, for a flag, the value that it sets. Commands without that option reject it.
ALIASES: dict[str, tuple[str, str | None]] = {
    "--profile-id": ("--profile", None),
    "--prompt-list-id": ("--prompt-list", None),
    "--language-code": ("--language", None),
    "--grad-accumulation": ("--accumulation", None),
    "--num-workers": ("--workers", None),
    "--grad-checkpointing": ("--gradient-checkpointing", "on"),
    # Mixed precision is the default wherever it gains anything.
    "--mixed-precision": ("--precision", "auto"),
    "--amp": ("--precision", "auto"),
}
_VERBOSE = "--verbose"


class AliasedCommand(TyperCommand):
    """A command that understands the options of older programs, and `--verbose` for VOXMATRIX_LOG=1."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        if _VERBOSE in args:
            os.environ[LOG_VARIABLE] = "1"
        words = [word for word in args if word != _VERBOSE]
        refuse_empty_paths(self, ctx, words)
        return super().parse_args(ctx, words)

    def make_parser(self, ctx: Any) -> Any:
        """The parser, with the aliases of this command's options."""
        parser = super().make_parser(ctx)
        options: dict[str, Any] = {flag: option for option in self.params for flag in option.opts}
        for alias, (flag, value) in ALIASES.items():
            if option := options.get(flag):
                action = "store" if value is None else "store_const"
                parser.add_option(option, [alias], dest=option.name, action=action, const=value)
        return parser
