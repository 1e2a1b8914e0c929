"""Child processes answer line by line, end in time and with their parent, and how they ended is said."""

import ast
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import voxmatrix
import voxmatrix_entrypoint
from voxmatrix.child_environment import for_program
from voxmatrix.processes import (
    EndedError,
    LineProcess,
    delaying_signals,
    describe_exit,
    ignoring_ctrl_c,
    join_or_kill,
    kill_group,
    run,
)

SPAWN = multiprocessing.get_context("spawn")
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "exited with code 0"),
        (3, "exited with code 3"),
        (None, "exited with code None"),
        (-11, "was terminated by SIGSEGV"),
        (-99, "was terminated by signal 99"),
    ],
)
@posix
def test_how_a_process_ended_is_said_with_the_name_of_its_signal(code: int | None, words: str) -> None:
    assert describe_exit(code) == words


def test_ctrl_c_in_a_block_that_delays_it_takes_effect_at_its_end() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), delaying_signals():
        signal.raise_signal(signal.SIGINT)
        done = True
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ends_in_time_is_not_killed_and_who_does_not_is() -> None:
    quick, slow = SPAWN.Process(target=time.sleep, args=(0.1,)), SPAWN.Process(target=time.sleep, args=(600,))
    for process in (quick, slow):
        process.start()
    quick.join(60)
    started = time.monotonic()
    join_or_kill([quick, slow], 0.5)
    assert time.monotonic() - started < 30
    assert quick.exitcode == 0
    assert slow.exitcode not in (0, None)


@posix
def test_a_group_is_killed_with_its_children() -> None:
    words = "import subprocess; p = subprocess.Popen(['sleep', '600']); print(p.pid, flush=True); p.wait()"
    leader = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE, start_new_session=True)
    assert leader.stdout is not None
    child = int(leader.stdout.readline())
    kill_group(leader.pid)
    assert leader.wait(60) == -signal.SIGKILL
    assert leader.stdout.read() == b""  # the child held the pipe
    leader.stdout.close()
    assert child != leader.pid
    kill_group(leader.pid)  # once more: there is nobody


@posix
def test_processes_ignore_ctrl_c_only_if_they_are_started_in_the_block() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ignoring_ctrl_c():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before


@posix
def test_threads_may_start_processes_too() -> None:
    seen: list[object] = []

    def start() -> None:
        with ignoring_ctrl_c():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


@posix
def test_a_child_is_gone_with_its_parent() -> None:
    words = """
import multiprocessing, os, time
from voxmatrix.child_environment import for_program
from voxmatrix.processes import die_with_parent
def child():
    die_with_parent()
    print(os.getpid(), flush=True)
    time.sleep(600)
if __name__ == "__main__":
    multiprocessing.get_context("fork").Process(target=child).start()
    time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert int(parent.stdout.readline()) != parent.pid
    parent.kill()
    parent.wait()
    assert parent.stdout.read() == b""  # closed by the end of the child
    parent.stdout.close()


UPPER = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


@pytest.fixture
def upper() -> Iterator[LineProcess]:
    process = LineProcess([sys.executable, "-c", UPPER], environment=for_program())
    yield process
    process.kill()


def test_each_line_is_answered(upper: LineProcess) -> None:
    for word in ("one", "two", "three"):
        upper.write(word.encode())
        assert upper.read(30) == f"{word.upper()}{os.linesep}".encode()


def test_a_silent_process_is_given_up(upper: LineProcess) -> None:
    with pytest.raises(EndedError):
        upper.read(0.05)


def test_the_end_is_seen_again_and_again() -> None:
    process = LineProcess([sys.executable, "-c", "print('last words')"], environment=for_program())
    assert process.read(30).strip() == b"last words"
    for _ in range(3):
        with pytest.raises(EndedError):
            process.read(30)
    process.kill()


def test_half_a_line_is_no_answer() -> None:
    process = LineProcess([sys.executable, "-c", "print('half a', end='')"], environment=for_program())
    for _ in range(2):
        with pytest.raises(EndedError):
            process.read(30)
    process.kill()


def test_nobody_writes_to_the_dead(upper: LineProcess) -> None:
    upper.kill()
    with pytest.raises(EndedError):
        upper.write(b"hello")


def test_lines_are_read_until_the_end() -> None:
    process = LineProcess(
        [sys.executable, "-c", "print('one'); print('two'); raise SystemExit(3)"], environment=for_program()
    )
    assert [line.strip() for line in process.lines()] == [b"one", b"two"]
    assert process.wait() == 3


@posix
def test_a_process_that_does_not_end_in_time_is_killed_with_its_children() -> None:
    words = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "600"])
print("ready", flush=True)
time.sleep(600)
"""
    process = LineProcess([sys.executable, "-c", words], environment=for_program())
    assert process.read(60).strip() == b"ready"
    process.end(0.5)
    process.end(600)  # once more changes nothing
    assert list(process.lines()) == []  # the child held the pipe
    assert process.wait() == -signal.SIGKILL


STARTERS = re.compile(r"Popen|run|call|check_\w+|get(status)?output")
OTHER_STARTERS = re.compile(r"system|popen|fork\w*|exec\w+|posix_spawn\w*|spawn\w*|startfile|create_subprocess_\w+")
#: Where a program may be started: in `start`, and in an image that runs another program in place of voxmatrix.
ALLOWED = {("voxmatrix/processes.py", "Popen"), ("voxmatrix_entrypoint/launch.py", "execv")}
FOLDERS = [Path(package.__file__ or "").parent for package in (voxmatrix, voxmatrix_entrypoint)]
#: The code of engines runs in their processes.
SOURCES = [(path, folder) for folder in FOLDERS for path in folder.rglob("*.py") if "packs" not in path.parts]
_ALL = r"(os\.environ|environment\(\))"
COPY = re.compile(rf"(\*\*|dict\(|copy\()\s*{_ALL}|{_ALL}(\.copy\(|\.items\(\)|\s*\|)")


def _starts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="subprocess"), attr=name)) if STARTERS.fullmatch(name):
                yield name
            case ast.Attribute(value=ast.Name(id="os" | "asyncio" | "pty"), attr=name):
                if OTHER_STARTERS.fullmatch(name):
                    yield name
            case ast.ImportFrom(module="subprocess" | "pty", names=names):
                yield from (alias.name for alias in names)


def test_every_program_is_started_by_start() -> None:
    found = {
        (path.relative_to(folder.parent).as_posix(), name)
        for path, folder in SOURCES
        for name in _starts(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == ALLOWED


def test_no_child_gets_a_copy_of_the_environment() -> None:
    copied = [path.name for path, _ in SOURCES if COPY.search(path.read_text(encoding="utf-8"))]
    assert copied == []


def test_a_program_gets_the_environment_that_it_is_given_and_an_empty_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "a secret")
    words = "import os, sys; print(sorted({*os.environ} & {'HF_TOKEN', 'PATH'}), sys.stdin.read())"
    done = run([sys.executable, "-c", words], environment=for_program())
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [b"['PATH']"], b"")


def test_a_program_that_takes_too_long_is_killed() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run([sys.executable, "-c", "import time; time.sleep(600)"], environment=for_program(), timeout_seconds=0.5)


@posix
def test_a_program_that_nobody_wants_any_more_is_killed_with_its_children(tmp_path: Path) -> None:
    unwanted, started = threading.Event(), tmp_path / "started"
    os.mkfifo(started)
    watch = threading.Thread(target=lambda: (started.read_text(), unwanted.set()))  # type: ignore[func-returns-value]
    watch.start()
    alive, held = os.pipe()
    with pytest.raises(EndedError):
        command = ["sh", "-c", f"sleep 600 & echo > {started}; wait"]
        run(command, environment=os.environ, unwanted=unwanted.is_set, start_new_session=True, pass_fds=[held])
    watch.join()
    os.close(held)
    assert os.read(alive, 1) == b""  # nobody has the other end any more: the child is gone, too
    os.close(alive)
