"""The `voxmatrix` command: a problem and its remedy for every error, and an exit code for every class of them."""

import errno
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

import voxmatrix
from voxmatrix.cli.command import EPILOG, CommandGroup
from voxmatrix.cli.commands import NAMES, PLACES, Commands
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem, showing_warnings, warn
from voxmatrix.config import (
    CONFIG_NAME,
    DOTENV_NAME,
    FOLDER_SETTINGS,
    LOG_VARIABLE,
    MESSAGES_VARIABLE,
    check_environment,
    environment,
    from_dotenv,
    is_rank_zero,
    load_dotenv,
    make_home,
    read_config,
    refused_in_dotenv,
)
from voxmatrix.encoding import check_argument
from voxmatrix.errors import InterruptedRunError, MemoryExhaustedError, UnreachableError, UsageError, VoxmatrixError
from voxmatrix.wording import quoted

if TYPE_CHECKING:
    from voxmatrix.cli.command import Check

_VERBOSE = "--verbose"


class Group(TyperGroup):
    """All commands. One that is interrupted ends with a message: Typer alone would exit without one."""

    def __init__(self, *, commands: Mapping[str, Any], **more: Any) -> None:
        super().__init__(commands={}, **more)  # Typer knows of none
        self.commands = Commands()  # type: ignore[assignment]  # nothing is added after this

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take out `--verbose`, wherever it stands: of every command, it is VOXMATRIX_LOG=1."""
        if _VERBOSE in args:
            os.environ[LOG_VARIABLE] = "1"
            args = [word for word in args if word != _VERBOSE] or ["--help"]
        return list(super().parse_args(ctx, args))

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise InterruptedRunError("interrupted") from error


#: One of each panel.
_EXAMPLES = [f"voxmatrix {PLACES[name].example}" for name in ("speak", "voices", "book", "train", "doctor")]
cli = CommandGroup(
    name="voxmatrix",
    cls=Group,
    help="Speak texts, make audiobooks, and train voices, on any GPU or on the CPU.",
    epilog="\n".join(("Examples:", *_EXAMPLES, f"\n{EPILOG}")),
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

#: Raised for an invalid command line. Older releases of Typer use the class of click, newer ones a copy of it.
_COMMAND_LINE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


def _version(value: bool) -> None:
    if value:
        echo(f"voxmatrix {voxmatrix.__version__}")
        raise typer.Exit


@cli.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    config = read_config()
    settings = {key: value for key, value in config.items() if key in FOLDER_SETTINGS}
    context.default_map = dict.fromkeys(NAMES, settings)
    if is_rank_zero() and environment().get(MESSAGES_VARIABLE) != "plain":  # a job of the server, which has said it
        from voxmatrix.cli.parameters.unknown import unknown_names

        for finding in unknown_names(context.command, environment(), refused_in_dotenv(), config):
            warn(finding)
        _show_folder_settings({DOTENV_NAME: from_dotenv(), CONFIG_NAME: settings})


def _show_folder_settings(files: Mapping[str, Collection[str]]) -> None:
    """Say which files of the working directory set something: they may have come with a data set or a book."""
    used = [f"./{file} sets {', '.join(sorted(names))}" for file, names in files.items() if names]
    if used:
        echo(f"note: {'; '.join(used)}", err=True)


#: Flags of Typer, which knows the shells.
_COMPLETION = {"--install-completion", "--show-completion"}
#: Flags of commands that do nothing else.
_ONLY_SHOWN = {"-h", "--help", "--version", *_COMPLETION}


def run(words: Sequence[str], first: Callable[[], None] | None = None, check: "Check | None" = None) -> int:
    """Run a command line and return the exit code: 0, or that of an exception of `voxmatrix.errors`.

    `first` is called before the command line is parsed, `check` before a long-running command.
    """
    as_json = "--json" in words
    _print_any_name()
    try:
        for word in words:
            check_argument(quoted(word), word, is_path=True)  # whether it has to be UTF-8 depends on the option
        load_dotenv()
        check_environment()
        if words and not _ONLY_SHOWN.intersection(words):
            make_home()
        if first is not None:
            first()
        with showing_warnings():
            code = int(cli(list(words) or ["--help"], prog_name="voxmatrix", standalone_mode=False, obj=check) or 0)
        if code and _COMPLETION.intersection(words):
            raise UsageError("commands are not completed in this shell", "run it in bash, zsh, fish or PowerShell")
        return code
    except VoxmatrixError as error:
        return _report(error.problem, error.remedy, error.exit_code, as_json)
    except _COMMAND_LINE_ERROR as error:
        return _report(*_command_line_problem(error, words), UsageError.exit_code, as_json)
    except OSError as error:  # that nothing has explained better; standard output may not take JSON then
        return _report(*_system_problem(error), UnreachableError.exit_code, as_json and error.filename is not None)
    except MemoryError:
        remedy = "close other programs, or allow more memory, and run the same command again"
        return _report("out of memory", remedy, MemoryExhaustedError.exit_code, as_json)
    except (KeyboardInterrupt, typer.Abort):
        return _report("interrupted", "", InterruptedRunError.exit_code, as_json)


def _system_problem(error: OSError) -> tuple[str, str]:
    """The problem and the remedy of an error of the operating system, also of one that is about no file."""
    from voxmatrix.files import is_system_error, remedy_of

    reason = error.strerror or str(error) or type(error).__name__
    if not is_system_error(error) and not isinstance(error, BrokenPipeError):
        return f"a library failed: {reason}", "run voxmatrix doctor, and the same command again"
    if error.filename is not None:
        return f"cannot use {os.fsdecode(error.filename)}: {reason}", remedy_of(error)
    if error.errno in _OF_PROCESSES:
        return f"the system refuses to start or open more: {reason}", remedy_of(error)
    return f"cannot write standard output: {reason}", remedy_of(error)


def _print_any_name() -> None:
    """Let names of files be printed that the encoding of the terminal does not have, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


#: They are about what is open or running, not about a file that is written.
_OF_PROCESSES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.E2BIG)
#: Words of other programs.
_MEANT = {"version": "--version", "-v": "--version", "-V": "--version", "help": "--help"}


def _command_line_problem(error: Any, words: Sequence[str]) -> tuple[str, str]:
    """The problem and the remedy of an invalid command line, or of an invalid value that is set elsewhere."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    if context and parameter:
        name, source = ParameterSources(context).of(parameter.name)
        if source not in ("flag", "automatic"):
            return f"{name}: {error.message}", "correct or remove it there"
    commands = getattr(context and context.command, "commands", {})
    if words and words[0] in _MEANT:
        return error.format_message(), f"run: voxmatrix {_MEANT[words[0]]}"
    if context and commands and error.message.startswith("Missing"):
        return error.format_message(), f"run one of: {', '.join(f'{context.command_path} {name}' for name in commands)}"
    return error.format_message(), f"see: {context.command_path if context else _command_path(words)} --help"


def _command_path(words: Sequence[str]) -> str:
    """The command that these words begin with: an option without its value is an error without a context."""
    path, command = "voxmatrix", typer.main.get_command(cli)
    for word in words:
        commands = getattr(command, "commands", {})
        if word not in commands:
            break
        path, command = f"{path} {word}", commands[word]
    return path


def _report(problem: str, remedy: str, exit_code: int, as_json: bool) -> int:
    if as_json:
        print_json({"problem": problem, "remedy": remedy, "exit_code": exit_code})
    else:
        print_problem("voxmatrix", problem, remedy)
    return exit_code
