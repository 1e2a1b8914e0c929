"""Run the app in this process or, in an image, another program such as `bash`."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType

from voxmatrix.cli import commands
from voxmatrix.cli import main as cli
from voxmatrix.config import IMAGE_VARIABLE
from voxmatrix.errors import InterruptedRunError
from voxmatrix.train.stop import REPEAT_SECONDS
from voxmatrix_entrypoint import check, log, patches, processor

_CANNOT_START = 126


class _InterruptedError(KeyboardInterrupt):
    """A signal. Python ends by SIGINT after a plain KeyboardInterrupt in `exec("…")`, even if it was caught."""


#: All commands of voxmatrix.
COMMANDS = (*commands.NAMES, "patches")
commands.PLACES["patches"] = commands.Place(
    module="listing", package="voxmatrix_entrypoint", panel="Computers", example="patches", epilog=None
)


def launch(words: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run the command line and return its exit code. Another program replaces this process instead."""
    environment = os.environ if environment is None else environment
    if IMAGE_VARIABLE in environment:
        os.umask(0o002)  # any user may run an image, and those of one folder share its group
    program = other_program(words, environment)
    if program is not None:
        return _exec(program, words)
    _handle_signals()
    _let_threads_sleep()
    code = cli.run(words, first=_prepare, check=check.check)
    if code == InterruptedRunError.exit_code:
        _ignore_signals()
    return code


def _prepare() -> None:
    processor.check_processor()
    patches.install()


def _let_threads_sleep() -> None:
    """Let threads of OpenMP that wait for each other sleep after some 40 µs. Read when torch is loaded.

    While they spin, they hold the CPU that the last one needs as soon as another program runs beside them: a training
    on two CPUs takes 2 to 9 times as long. If they sleep at once, they are woken late in a virtual machine, and the
    second of two CPUs gains nothing (docs/inside/measured-by-hand.md).

    Those of OpenBLAS, which numpy starts when it is imported, sleep after 2^4 cycles instead of 2^26: to speak, nobody
    needs them.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")


def other_program(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The path of the program that the first word names in an image; None for a command line of voxmatrix."""
    if not words or words[0].startswith("-") or words[0] in COMMANDS or IMAGE_VARIABLE not in environment:
        return None
    return shutil.which(words[0])


def _exec(program: str, words: Sequence[str]) -> int:
    """Replace this process by a program. Returns only if it cannot be started, with the exit code that shells use."""
    try:
        os.execv(program, list(words))
    except OSError as error:
        log.write(f"{program} cannot be started: {error.strerror}\n  → see: voxmatrix --help")
        return _CANNOT_START


def _handle_signals() -> None:
    """Interrupt a command on SIGTERM as on Ctrl-C, so that it keeps its results and stops its child processes.

    The kernel ignores an unhandled SIGTERM for process 1 (a container without tini), and `docker stop` would wait ten
    seconds before it kills the process.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    interrupt = _interrupt_once()
    for number, default in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) is default:
            signal.signal(number, interrupt)


def _interrupt_once() -> Callable[[int, FrameType | None], None]:
    """A handler that raises KeyboardInterrupt, unless it did so in the last seconds: the command is ending."""
    last = -REPEAT_SECONDS

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last >= REPEAT_SECONDS:
            last = time.monotonic()
            raise _InterruptedError

    return interrupt


def _ignore_signals() -> None:
    """Let the command end undisturbed, by its exit code: a repeated signal would interrupt it once more."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
