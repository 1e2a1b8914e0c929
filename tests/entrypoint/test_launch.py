"""Words of ours run in this process; in an image, other words are programs."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from voxmatrix.config import IMAGE_VARIABLE
from voxmatrix_entrypoint import launch

ROOT = Path(__file__).parents[2]
IN_IMAGE = {IMAGE_VARIABLE: "cpu"}
INTERRUPTED = 130


def voxmatrix(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more}
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120, env=environment)


def test_a_foreign_word_in_an_image_is_a_program() -> None:
    assert launch.other_program(["sh", "-c", "true"], IN_IMAGE)


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["train", "x"], ["patches"], ["no-such-program-anywhere"], [""], ["ö"]]
)
def test_our_words_flags_and_nonsense_are_ours_to_answer(words: list[str]) -> None:
    assert launch.other_program(words, IN_IMAGE) is None


def test_outside_an_image_a_foreign_word_is_a_mistake() -> None:
    assert launch.other_program(["sh"], {}) is None


def test_every_command_of_the_program_is_ours() -> None:
    listed = voxmatrix("--help").stdout
    assert all(f" {word} " in listed for word in launch.COMMANDS)


def test_the_module_is_the_program() -> None:
    answer = voxmatrix("--version")
    assert answer.returncode == 0
    assert answer.stdout.startswith("voxmatrix ")


def test_in_an_image_another_user_of_the_group_may_go_on_with_the_files(tmp_path: Path) -> None:
    in_image: dict[str, str] = IN_IMAGE
    for environment, mode in ((in_image, 0o664), ({}, 0o644)):
        words = ("doctor", "--no-smoke", "--device", "cpu", "--record", str(tmp_path / "machine.json"))
        umask = os.umask(0o022)
        try:
            assert voxmatrix(*words, **environment).returncode == 0
        finally:
            os.umask(umask)
        assert (tmp_path / "machine.json").stat().st_mode & 0o777 == mode


def test_no_word_prints_the_help() -> None:
    answer = voxmatrix()
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "Usage: voxmatrix" in answer.stdout


@pytest.mark.parametrize("image", [{}, IN_IMAGE])
def test_a_slip_of_the_finger_is_answered_with_the_nearest_command(image: dict[str, str]) -> None:
    answer = voxmatrix("trian", "x", **image)
    assert answer.returncode == 2
    assert "Did you mean 'train'?" in answer.stderr


def test_a_patch_that_nobody_knows_is_usage() -> None:
    answer = voxmatrix("patches", VOXMATRIX_PATCHES="torchaudio-cup")
    assert answer.returncode == 2
    assert "did you mean torchaudio-cpu?" in answer.stderr


def test_a_foreign_program_takes_this_process_with_its_words_and_its_exit_code() -> None:
    answer = voxmatrix("sh", "-c", 'echo "$1 $PPID"; exit 42', "sh", "ä b", **IN_IMAGE)
    assert answer.returncode == 42
    assert answer.stdout == f"ä b {os.getpid()}\n"


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    script = tmp_path / "no-interpreter"
    script.write_bytes(b"\0\0\0\0 no program")
    script.chmod(0o755)
    answer = voxmatrix(str(script), **IN_IMAGE)
    assert answer.returncode == 126
    assert str(script) in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_report_imports_no_torch() -> None:
    code = (
        "import sys; from voxmatrix_entrypoint import launch; code = launch.launch(sys.argv[1:])\n"
        "sys.exit(code or sum(name in sys.modules for name in ('torch', 'torchaudio', 'lightning', 'onnxruntime')))"
    )
    machine = str(ROOT / "tests" / "machines" / "h100.json")
    words = [sys.executable, "-c", code, "doctor", "--machine", machine]
    done = subprocess.run(words, capture_output=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("policy", "spins"), [(None, "2000"), ("active", "None")])
def test_threads_sleep_soon_unless_the_user_says_otherwise(policy: str | None, spins: str) -> None:
    code = "import os; from voxmatrix_entrypoint import launch; launch.launch([]); print(os.getenv('GOMP_SPINCOUNT'))"
    ours = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    if policy:
        environment["OMP_WAIT_POLICY"] = policy
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, text=True, check=True)
    assert done.stdout.splitlines()[-1] == spins


#: Its command says the number of its process, and waits: for ever, or this many seconds.
WAITS = """
import os, sys, threading
from voxmatrix.cli import main
from voxmatrix_entrypoint import launch
def command(*words, **more):
    print(os.getpid(), flush=True)
    threading.Event().wait(*map(float, sys.argv[1:]))
main.cli = command
sys.exit(launch.launch(["devices"]))
"""
IGNORES = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


def _waiting(words: list[str], cwd: Path | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program hears")
def test_sigterm_ends_any_command_as_ctrl_c_does() -> None:
    with _waiting([sys.executable, "-c", WAITS]) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == f"{command.pid}\n"
        command.terminate()
        _, said = command.communicate(timeout=60)
    assert command.returncode == INTERRUPTED
    assert said == "voxmatrix: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program hears")
def test_an_interrupted_command_does_not_wait_for_its_threads() -> None:
    starts_a_thread = "import threading; threading.Thread(target=threading.Event().wait).start()\n"
    waits = WAITS.replace(
        'sys.exit(launch.launch(["devices"]))', "from voxmatrix_entrypoint.__main__ import main; main()"
    )
    with _waiting([sys.executable, "-c", starts_a_thread + waits]) as command:
        try:
            assert command.stdout is not None
            assert command.stdout.readline() == f"{command.pid}\n"
            command.terminate()
            _, said = command.communicate(timeout=60)
        finally:
            command.kill()
    assert (command.returncode, said) == (INTERRUPTED, "voxmatrix: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program hears")
def test_a_signal_within_exec_does_not_end_the_process_by_a_signal(tmp_path: Path) -> None:
    """Python remembers a KeyboardInterrupt that left `exec("...")`, and would end `python -m` by SIGINT."""
    (tmp_path / "waits.py").write_text(WAITS.replace("threading.Event().wait(", "exec('while 1: pass') or float("))
    with _waiting([sys.executable, "-m", "waits"], cwd=tmp_path) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == f"{command.pid}\n"
        command.terminate()
        _, said = command.communicate(timeout=60)
    assert (command.returncode, said) == (INTERRUPTED, "voxmatrix: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a program hears")
def test_who_ignores_sigterm_goes_on_ignoring_it() -> None:
    with _waiting([sys.executable, "-c", IGNORES + WAITS, "3"]) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == f"{command.pid}\n"
        command.terminate()
        assert command.wait(timeout=60) == 0


def _own_numbers() -> list[str]:
    """The words before a command that make it process 1 of a name space of its own."""
    return ["unshare", "--pid", "--fork", "--kill-child"]


def _cannot_unshare() -> bool:
    if shutil.which("unshare") is None:
        return True
    return subprocess.run([*_own_numbers(), "true"], capture_output=True, check=False).returncode != 0


@pytest.mark.skipif(_cannot_unshare(), reason="this user may not number processes anew (unshare)")
def test_as_process_1_it_ends_when_it_is_told_to() -> None:
    """Without tini: the kernel kills no process 1 that has not said what SIGTERM means to it."""
    with _waiting([*_own_numbers(), sys.executable, "-c", WAITS]) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "1\n"
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text(encoding="ascii").split()
        os.kill(int(children[0]), signal.SIGTERM)
        assert parent.wait(timeout=60) == INTERRUPTED
