"""Commands that understand the options of older programs, and refuse empty paths."""

import os
from typing import Any

from typer.core import TyperCommand

from voxmatrix.config import LOG_VARIABLE
from voxmatrix.errors import UsageError

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
#: What command line parsers call the types of paths.
_PATHS = ("path", "file", "directory")


class AliasedCommand(TyperCommand):
    """A command that understands the options of older programs, and `--verbose` for VOXMATRIX_LOG=1."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        if _VERBOSE in args:
            os.environ[LOG_VARIABLE] = "1"
        words = [word for word in args if word != _VERBOSE]
        self._refuse_empty_paths(ctx, words)
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

    def _refuse_empty_paths(self, ctx: Any, words: list[str]) -> None:
        """An empty path, mostly a shell variable that is not set, would be the current folder."""
        given, _, _ = self.make_parser(ctx).parse_args(list(words))
        for parameter in self.params:
            is_path = parameter.type.name in _PATHS or parameter.name == "out"
            if is_path and given.get(parameter.name) == "":
                name = parameter.make_metavar(ctx) if parameter.param_type_name == "argument" else parameter.opts[0]
                raise UsageError(f"{name} is empty", "give a path; a shell variable that is not set is empty, too")
