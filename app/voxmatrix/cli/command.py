"""How a command reads its words, and what is checked before it runs.

Options of older programs are understood, but not shown in the help; empty paths are refused; and of a long-running
command the device and folders are checked as soon as its parameters are parsed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import typer
from typer.core import TyperCommand

from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.config import CONFIG_NAME
from voxmatrix.encoding import check_argument
from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task
    from voxmatrix.plan.preflight import Preflight

#: The option that each one stands for and, for a flag, the value that it sets. Commands without that option reject it.
ALIASES: dict[str, tuple[str, str | None]] = {
    "--profile-id": ("--profile", None),
    "--prompt-list-id": ("--prompt-list", None),
    "--language-code": ("--language", None),
    "--grad-accumulation": ("--accumulation", None),
    "--lr": ("--learning-rate", None),
    **dict.fromkeys(("--output", "--output-dir", "--output-file", "--output_file"), ("--out", None)),
    "--num-workers": ("--workers", None),
    "--grad-checkpointing": ("--gradient-checkpointing", "on"),
    # Mixed precision is the default wherever it gains anything.
    "--mixed-precision": ("--precision", "auto"),
    "--amp": ("--precision", "auto"),
}
#: The last paragraph of a help text.
EPILOG = (
    "Most options can also be set by an environment variable (--batch-size is VOXMATRIX_BATCH_SIZE) or a key of "
    "voxmatrix.toml (batch_size)."
)
#: What command line parsers call the types of paths.
_PATHS = ("path", "file", "directory")


F = TypeVar("F", bound=Callable[..., Any])


class AliasedCommand(TyperCommand):
    """A command that understands the options of older programs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line."""
        if ctx.resilient_parsing:  # for the shell, of words that are not all there yet
            return list(super().parse_args(ctx, args))
        refuse_empty_paths(self, ctx, args)
        check_single_values(self, ctx)
        rest = super().parse_args(ctx, args)
        check_texts(self, ctx)
        return list(rest)

    def make_parser(self, ctx: Any) -> Any:
        """The parser, with the aliases of this command's options."""
        parser = super().make_parser(ctx)
        options: dict[str, Any] = {flag: option for option in self.params for flag in option.opts}
        for alias, (flag, value) in ALIASES.items():
            if option := options.get(flag):
                action = "store" if value is None else "store_const"
                parser.add_option(option, [alias], dest=option.name, action=action, const=value)
        return parser


def refuse_empty_paths(command: Any, context: Any, words: Sequence[str]) -> None:
    """Check the paths that the words of a command give: an empty one would be the current folder.

    Raises:
        UsageError: one is empty.
    """
    given, _, _ = command.make_parser(context).parse_args(list(words))
    for parameter in command.params:
        is_path = parameter.type.name in _PATHS
        value = given.get(parameter.name)
        if is_path and "" in (value if isinstance(value, (list, tuple)) else [value]):
            name = parameter.make_metavar(context) if parameter.param_type_name == "argument" else parameter.opts[0]
            raise UsageError(f"{name} is empty", "give a path; an unset shell variable is empty, too")


def check_single_values(command: Any, context: Any) -> None:
    """Check what voxmatrix.toml gives the parameters of a command.

    Raises:
        UsageError: it has a list for one that has a single value, or no text for a path or a voice.
    """
    for parameter in command.params:
        value = (context.default_map or {}).get(parameter.name)
        if isinstance(value, list) and not getattr(parameter, "multiple", False) and parameter.nargs == 1:
            raise UsageError(
                f"{parameter.name} in {CONFIG_NAME} is a list: {', '.join(map(str, value))}", "give it one value"
            )
        what = "path" if parameter.type.name in _PATHS else parameter.type.name
        if what in ("path", "voice") and value is not None:
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, str):
                    raise UsageError(
                        f"{parameter.name} in {CONFIG_NAME} is no {what}: {one}",
                        f'write {parameter.name} = "{what.upper()}"',
                    )


def check_texts(command: Any, context: Any) -> None:
    """Check the parameters of a command, wherever they are set: texts are Unicode, and names of files any bytes.

    Raises:
        UsageError: a text is not UTF-8, or has a null character, which no name of a file may have either.
    """
    sources = ParameterSources(context)
    for parameter in command.params:
        value = context.params.get(parameter.name)
        is_path = parameter.type.name in (*_PATHS, "voice")
        for given in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(given, (str, Path)):
                check_argument(sources.of(parameter.name)[0], str(given), is_path=is_path)


#: Checks a command by its parameters. Returns None if there is nothing to pass on to the command.
Check = Callable[[typer.Context], "Preflight | None"]


@dataclass(frozen=True)
class Needs:
    """What a command does with a device, and the folders that it writes to, the one with its results first."""

    task: "Task"
    folders: Callable[[Mapping[str, Any]], list[Path]]  # by the parameters of the command


class CommandGroup(typer.Typer):
    """A Typer app whose commands read their words as all others do."""

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = AliasedCommand, **more: Any
    ) -> Callable[[F], F]:
        """Add a command, as `typer.Typer.command` does."""
        return super().command(name, cls=cls, **more)


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
