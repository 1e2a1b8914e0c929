"""Hand over to the app in this process, or, in an image, to a foreign command such as `bash`."""

import os
import shutil
import signal
import threading
from collections.abc import Mapping, Sequence

from voxmatrix.cli import main as cli
from voxmatrix_entrypoint import check, listing, log, patches

#: Set in every image. Outside an image a foreign word is a mistake, not a program to run.
IN_IMAGE = "VOXMATRIX_IMAGE"

_CANNOT_START = 126

cli.cli.command("patches")(listing.command)
#: Every word that is ours.
COMMANDS = (*cli.COMMANDS, "patches")


def launch(words: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run the command line and return its exit code; a foreign command takes this process's place instead."""
    environment = os.environ if environment is None else environment
    program = foreign_program(words, environment)
    if program is not None:
        return _take_over(program, words)
    _hear_docker_stop()
    return cli.run(words, first=patches.install, check=check.check)


def foreign_program(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The path of the program that the first word names, when that is what was meant."""
    if not words or words[0].startswith("-") or words[0] in COMMANDS or IN_IMAGE not in environment:
        return None
    return shutil.which(words[0])


def _take_over(program: str, words: Sequence[str]) -> int:
    """Become this program. Returns only when it cannot be started, with the exit code of a shell."""
    try:
        os.execv(program, list(words))
    except OSError as error:
        log.say(f"{program} cannot be started: {error.strerror}\n  → see: voxmatrix --help")
        return _CANNOT_START


def _hear_docker_stop() -> None:
    """SIGTERM ends a command as Ctrl-C does: what was done is kept, and the processes that it started end with it.

    For process 1, without tini, the kernel has no default, and `docker stop` would wait ten seconds to kill.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
