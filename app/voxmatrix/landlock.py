"""What a program may read and write, limited by Landlock, where the kernel has it (Linux 5.13 and newer).

A program inherits the limits of the thread that starts it. So a thread limits itself, starts the program and ends: this
process stays as it is, and nothing runs between fork and exec, which is unsafe in a process with threads.
"""

import ctypes
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

# The numbers are those of linux/landlock.h and linux/prctl.h; the system calls have the same number on every processor.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
#: What root loses: with it, Linux 6.18 shows the environments of all processes, whatever Landlock says. CAP_SYS_PTRACE,
#: CAP_SYS_ADMIN and, in the second half of the numbers, CAP_PERFMON.
_DROPPED = (1 << 19 | 1 << 21, 1 << (38 - 32))
_CAPABILITY_VERSION, _CAPABILITY_SETS = 0x20080522, ("effective", "permitted", "inheritable")
_GET_VERSION, _PATH_BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ALL_OF_THE_FIRST = (1 << 13) - 1
#: Since version 2: to move a file to another folder. Since 3: to truncate one.
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
#: Since version 4: to open and to accept TCP connections. Since 6: to reach abstract sockets, and to signal processes.
_TCP, _SCOPES = 0b11, 0b11

#: What belongs to the system, in every distribution. Not /run and /var, where secrets and services are.
_SYSTEM = (
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/etc", "/proc", "/sys",
    "/nix/store", "/gnu/store", "/run/current-system", "/run/opengl-driver", "/var/cache/fontconfig",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
#: Devices of GPUs, and memory that processes share.
_MORE_DEVICES = ("/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/dxg", "/dev/accel", "/dev/shm", "/tmp/nvidia-mps")
#: A path that is not there, or may not be opened: without a rule, it cannot be used either.
_UNUSABLE = (FileNotFoundError, NotADirectoryError, PermissionError)
#: Folders beside the `bin` of a program that belong to it.
_BESIDE_BIN = ("lib", "lib32", "lib64", "libexec", "share", "etc")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a program may use beyond the system, its own files and the libraries in LD_LIBRARY_PATH."""

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()  # folders, and files that exist
    devices: bool = False  # those of GPUs, and memory that its processes share
    network: bool = False  # TCP


@cache
def landlock_version() -> int:
    """The version of Landlock in this kernel; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    with suppress(OSError, AttributeError):
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)
    return 0


def limited(start: Callable[[], T], program: str, limits: Limits) -> T:
    """Call `start`, which starts a program, so that it is limited. Where that cannot be, it is started all the same.

    `program` is its path, or its name. One that gains rights when it starts (setuid, snap) could not start with limits.

    Raises:
        What `start` raises.
    """
    found = shutil.which(program) or program
    version = landlock_version()
    if not version or _gains_rights(found):
        return start()
    result: list[T] = []
    failure: list[BaseException] = []
    allowed = [*_rights(version, program_files(found), limits)]

    def run() -> None:
        try:
            _limit_this_thread(version, allowed, network=limits.network)
            result.append(start())
        except BaseException as error:  # raised again in the thread that waits
            failure.append(error)

    thread = threading.Thread(target=run, name="limited")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]


def _gains_rights(program: str) -> bool:
    resolved = Path(program).resolve()
    with suppress(OSError):
        return bool(resolved.stat().st_mode & (stat.S_ISUID | stat.S_ISGID)) or resolved.name == "snap"
    return False


def program_files(program: str) -> Iterator[Path]:
    """The files and folders of a program at this path, as it is named and as links lead to it."""
    user = _user_home()
    for path in {Path(program).absolute(), Path(program).resolve()}:
        yield path
        folder = path.parent
        if not user.is_relative_to(folder):  # else it would be all files of the user
            yield folder
        if folder.name == "bin":
            yield from (folder.parent / name for name in _BESIDE_BIN)
    yield from map(Path, filter(os.path.isabs, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)))


def _user_home() -> Path:
    with suppress(RuntimeError):  # a user without a name or a home
        return Path.home()
    return Path("/")


def python_folders() -> tuple[Path, ...]:
    """The folders of this Python and of all that it can import, for a child that runs it."""
    given = (sys.prefix, sys.base_prefix, *sys.path, str(Path(__file__).parent))
    return tuple(Path(folder).absolute() for folder in given if folder)


def _rights(version: int, own: Iterable[Path], limits: Limits) -> Iterator[tuple[Path, int]]:
    """The paths that may be used, and how."""
    for path in (*map(Path, _SYSTEM), *own, *limits.reads):
        yield path, _READ
    devices = [Path(name) for name in _DEVICES]
    if limits.devices:
        root = Path("/")
        devices += [path for name in _MORE_DEVICES for path in sorted(root.glob(name.removeprefix("/")))]
    for path in (*devices, *limits.writes):
        yield path, _handled(version) & ~_EXECUTE


def _handled(version: int) -> int:
    """The rights to files that are forbidden unless they are allowed."""
    return _ALL_OF_THE_FIRST | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)


class _Ruleset(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scopes"))


class _Capabilities(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in _CAPABILITY_SETS)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # what _pack_ means in every Python; 3.14 warns if it is not said
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _limit_this_thread(version: int, allowed: Iterable[tuple[Path, int]], *, network: bool) -> None:
    """Forbid this thread, and what it starts, all that is not allowed, unless the kernel refuses what it promises.

    Raises:
        OSError: a path cannot be opened now (too many files, a disk that is away): the program would be without it.
    """
    try:
        _apply(version, allowed, network=network)
    except OSError as error:
        if _is_of_a_path(error):
            raise


def _is_of_a_path(error: OSError) -> bool:
    """Whether a path could not be opened. What the kernel refuses is about no path."""
    return error.filename is not None and not isinstance(error, _UNUSABLE)


def _apply(version: int, allowed: Iterable[tuple[Path, int]], *, network: bool) -> None:
    ruleset = _Ruleset(files=_handled(version), network=0 if network else _TCP, scopes=_SCOPES)
    size = 8 * (1 + (version >= 4) + (version >= 6))  # older versions know fewer fields
    rules = _call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    try:
        for path, rights in allowed:
            try:
                _allow(rules, path, rights)
            except OSError as error:
                if _is_of_a_path(error):
                    raise
        _check(_libc().prctl(_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))))
        _call(_RESTRICT_SELF, rules, 0)
        _drop_capabilities()
    finally:
        os.close(rules)


def _drop_capabilities() -> None:
    """Drop those of _DROPPED, if this thread has any. A program that it starts cannot get them back."""
    header, capabilities = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (_Capabilities * 2)()
    _check(_libc().capget(header, capabilities))
    for half, dropped in zip(capabilities, _DROPPED, strict=True):
        for name in _CAPABILITY_SETS:
            setattr(half, name, getattr(half, name) & ~dropped)
    _check(_libc().capset(header, capabilities))


def _allow(rules: int, path: Path, rights: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _OF_FILES
        _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(_Rule(allowed=rights, parent=parent)), 0)
    finally:
        os.close(parent)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    return _check(_libc().syscall(ctypes.c_long(number), *arguments))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
