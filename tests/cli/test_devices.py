"""`voxmatrix devices`: a list, and a choice that asks on a terminal and never blocks elsewhere."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from tests.machine.computers import machines
from voxmatrix.cli import main
from voxmatrix.cli.terminal.devices_table import as_rows, print_table
from voxmatrix.machine import detect
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.record import read_machine
from voxmatrix.machine.saved_device import saved_device

ROOT = Path(__file__).parent.parent.parent
MACHINES = ROOT / "tests" / "machines"
TWO = ["--machine", str(MACHINES / "two-different-gpus.json")]
PROGRAM = [sys.executable, "-c", "import sys; from voxmatrix.cli.main import run; sys.exit(run(sys.argv[1:]))"]


def test_the_table_shows_every_device(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["devices", *TWO]) == 0
    shown = capsys.readouterr().out
    for word in ("cuda:0", "cuda:1", "Blackwell", "Pascal", "12.0", "32607", "570.124.06", "cpu"):
        assert word in shown


def test_json_has_every_fact_and_null_for_what_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["devices", "--machine", str(MACHINES / "gb10-null-memory.json"), "--json"])
    gb10, cpu = json.loads(capsys.readouterr().out)["devices"]
    assert (gb10["device"], gb10["architecture"], gb10["capability"]) == ("cuda:0", "Blackwell", "12.1")
    assert (gb10["memory_mib"], gb10["unified"]) == (None, True)
    assert (cpu["device"], cpu["memory_mib"]) == ("cpu", 122570)


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_every_described_computer_is_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["devices", "--machine", str(path)]) == 0
    assert "cpu" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_eighty_columns_show_the_whole_name_of_every_device(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run(["devices", "--machine", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    start = next(line.index("name") for line in lines if "name" in line)
    names = "".join(line[start:].split("  ", maxsplit=1)[0].strip() for line in lines).replace(" ", "")
    for row in as_rows(read_machine(path)):
        assert (row["name"] or "unknown").replace(" ", "") in names


def test_the_suggested_number_of_parallel_voices_is_shown_for_every_device_that_can_speak(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["devices", *TWO]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "--parallel-voices" in line)
    assert "1 on cuda:0, cuda:1" in line and "cpu" in line  # one process on a GPU computes in batches
    main.run(["devices", "--machine", str(MACHINES / "amd.json"), "--json"])
    amd, cpu = json.loads(capsys.readouterr().out)["devices"]
    assert amd["parallel_voices"] is None and cpu["parallel_voices"] >= 1


def test_this_computer_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["devices", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["devices"][-1]["device"] == "cpu"


def test_square_brackets_in_a_name_are_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = {"platform": "linux", "cpus": 1, "gpus": [{"index": 0, "kind": "rocm", "name": "[/red] Navi [RX]"}]}
    (tmp_path / "m.json").write_text(json.dumps(described))
    assert main.run(["devices", "--machine", str(tmp_path / "m.json")]) == 0
    assert "[RX]" in capsys.readouterr().out


@given(machines())
def test_any_computer_can_be_shown(machine: Machine) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        print_table(machine)
    assert "cpu" in shown.getvalue()
    assert json.dumps(as_rows(machine))


def test_a_wrong_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.json").write_text("{}")
    assert main.run(["devices", "--machine", str(tmp_path / "m.json")]) == 3
    assert "platform" in capsys.readouterr().err


def select(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main.run(["devices", "select", *words]) == 0
    return capsys.readouterr().out


def here(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """This computer is the one of that name."""
    computer = detect.Detection(read_machine(MACHINES / f"{name}.json"), ())
    monkeypatch.setattr(detect, "detect", lambda: computer)


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch, "two-different-gpus")


@pytest.mark.usefixtures("two_gpus")
def test_a_described_computer_does_not_change_the_choice_of_this_one(capsys: pytest.CaptureFixture[str]) -> None:
    select(capsys, "1")
    described = str(MACHINES / "h100.json")
    for words in (["--machine", described], ["cpu", "--machine", described]):
        shown = select(capsys, *words)
        assert "not saved" in shown and "h100.json" in shown
    main.run(["devices", "--machine", described, "select", "cpu"])
    assert "not saved" in capsys.readouterr().out
    assert select(capsys).startswith("cuda:1 ")


@pytest.mark.usefixtures("two_gpus")
def test_without_a_terminal_the_best_is_taken_and_said_and_remembered(capsys: pytest.CaptureFixture[str]) -> None:
    said = select(capsys)
    assert said.startswith("cuda:0 (NVIDIA GeForce RTX 5090): the best device")
    assert "settings.toml" in said
    assert "selected earlier" in select(capsys)
    assert "the best device" in select(capsys, "--reconfigure")


@pytest.mark.usefixtures("two_gpus")
def test_a_number_is_taken_and_remembered_until_another_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert select(capsys, "1").startswith("cuda:1 ")
    assert select(capsys).startswith("cuda:1 ")
    assert select(capsys, "cpu").startswith("cpu: ")
    assert json.loads(select(capsys, "--json"))["device"] == "cpu"


@pytest.mark.usefixtures("two_gpus")
def test_a_device_that_is_not_there_is_exit_4_and_nothing_is_remembered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["devices", "select", "7"]) == 4
    said = capsys.readouterr().err
    assert all(name in said for name in ("cuda:0", "cuda:1", "cpu"))
    assert "the best device" in select(capsys)


@pytest.mark.usefixtures("two_gpus")
def test_a_card_that_is_gone_is_said_and_chosen_anew(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    select(capsys, "1")
    here(monkeypatch, "h100")
    main.run(["devices", "select"])
    shown = capsys.readouterr()
    assert "no longer available" in shown.err
    assert "H100" in shown.out


def test_without_a_gpu_it_is_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["devices", "select", "--machine", str(MACHINES / "no-gpu.json")]) == 0
    assert capsys.readouterr().out.startswith("cpu: no GPU was found")


#: The program with its check, on eight H100.
ON_EIGHT = f"""
import sys
from pathlib import Path
from voxmatrix.plan import preflight
from voxmatrix.machine.detect import Detection
from voxmatrix.machine.record import read_machine
from voxmatrix_entrypoint.check import check
from voxmatrix.cli.main import run
preflight.detect = lambda: Detection(read_machine(Path({str(MACHINES / "eight-h100.json")!r})), ())
sys.exit(run(sys.argv[1:], check=check))
"""


def train_on_terminal(tmp_path: Path, *answers: str) -> tuple[int, str]:
    words = ["train", str(tmp_path / "nowhere"), "--out", str(tmp_path / "run")]
    return on_terminal(*answers, program=[sys.executable, "-c", ON_EIGHT, *words])


def test_the_first_command_on_a_terminal_asks_which_gpu_and_later_ones_use_the_answer(tmp_path: Path) -> None:
    code, shown = train_on_terminal(tmp_path, "3\n")
    assert code == 3 and "nowhere" in shown  # it went on to the recordings
    assert "several GPUs" in shown and "cuda:3: saved in" in shown
    assert (saved := saved_device()) and saved.device == "cuda:3"
    code, shown = train_on_terminal(tmp_path)
    assert code == 3 and "Which device" not in shown


def test_a_command_that_names_its_device_or_has_no_terminal_is_not_asked(tmp_path: Path) -> None:
    words = [sys.executable, "-c", ON_EIGHT, "train", str(tmp_path / "nowhere"), "--out", str(tmp_path / "run")]
    assert "Which device" not in on_terminal(program=[*words, "--gpu", "1"])[1]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 3 and "Which device" not in done.stdout
    assert saved_device() is None


def on_terminal(*answers: str, program: list[str] | None = None) -> tuple[int, str]:
    """Run `devices select` on a pseudo-terminal, giving each answer when it is asked for."""
    if not hasattr(os, "openpty"):
        pytest.skip("this system has no pseudo-terminals")
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "dumb"}
    words = program or [*PROGRAM, "devices", "select", *TWO]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as program:
        os.close(theirs)
        shown, waiting = "", list(answers)
        while True:
            try:
                said = os.read(ours, 4096).decode()
            except OSError:  # the program has ended, and its terminal with it
                break
            shown += said
            if waiting and shown.count("Which device") > len(answers) - len(waiting) and shown.endswith(": "):
                os.write(ours, waiting.pop(0).encode())
    os.close(ours)
    return program.returncode, shown


def test_on_a_terminal_the_table_is_shown_and_the_answer_is_taken() -> None:
    code, shown = on_terminal("1\n")
    assert code == 0
    assert "GeForce" in shown
    assert "cuda:1 (NVIDIA GeForce GTX 1080 Ti): as requested" in shown


def test_a_wrong_answer_is_asked_again_and_an_empty_one_means_the_best() -> None:
    code, shown = on_terminal("9\n", "\n")
    assert code == 0
    assert "9: no such GPU" in shown
    assert "cuda:0 (NVIDIA GeForce RTX 5090): as requested" in shown


def test_who_leaves_the_question_has_interrupted_it() -> None:
    code, shown = on_terminal("\x04")
    assert code == 130
    assert "settings.toml" not in shown
