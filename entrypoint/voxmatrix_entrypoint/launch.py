"""Run the app in this process or, in an image, another program such as `bash`."""

import os
import shutil
import signal
import threading
from collections.abc import Mapping, Sequence

from voxmatrix.cli import main as cli
from voxmatrix_entrypoint import check, listing, log, patches

#: Set in every image. Elsewhere, an unknown command is an error, not a program to run.
IN_IMAGE = "VOXMATRIX_IMAGE"

_CANNOT_START = 126

cli.cli.command("patches")(listing.command)
#: All commands of voxmatrix.
COMMANDS = (*cli.COMMANDS, "patches")


def launch(words: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run the command line and return its exit code. Another program replaces this process instead."""
    environment = os.environ if environment is None else environment
    program = other_program(words, environment)
    if program is not None:
        return _exec(program, words)
    _handle_sigterm()
    return cli.run(words, first=patches.install, check=check.check)


def other_program(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The path of the program that the first word names; None if the command line is one of voxmatrix."""
    if not words or words[0].startswith("-") or words[0] in COMMANDS or IN_IMAGE not in environment:
        return None
    return shutil.which(words[0])


def _exec(program: str, words: Sequence[str]) -> int:
    """Replace this process by a program. Returns only if it cannot be started, with the exit code that shells use."""
    try:
        os.execv(program, list(words))
    except OSError as error:
        log.write(f"{program} cannot be started: {error.strerror}\n  → see: voxmatrix --help")
        return _CANNOT_START


def _handle_sigterm() -> None:
    """Handle SIGTERM like Ctrl-C, so that commands keep their results and stop their child processes.

    The kernel ignores an unhandled SIGTERM for process 1 (a container without tini), and `docker stop` would wait ten
    seconds before it kills the process.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
