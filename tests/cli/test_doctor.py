"""`voxmatrix doctor`: on this computer, on a described one, and with a broken operation."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from voxmatrix.cli import main
from voxmatrix.machine.record import read_machine

pytestmark = pytest.mark.usefixtures("forked_programs")

MACHINES = Path(__file__).parents[1] / "machines"


def test_a_broken_operation_is_named_and_the_exit_code_is_5(
    capsys: pytest.CaptureFixture[str], break_children: Callable[[str], None]
) -> None:
    break_children("conv_transpose1d=wrong")
    assert main.run(["doctor", "--device", "cpu", "--json"]) == 5
    answer = json.loads(capsys.readouterr().out)
    assert [row["op"] for row in answer["smoke"] if not row["ok"]] == ["conv_transpose1d"]
    assert answer["exit_code"] == 5
    assert any("conv_transpose1d" in finding["problem"] for finding in answer["findings"])


def test_this_computer_passes_and_its_second_report_is_remembered(
    capsys: pytest.CaptureFixture[str], break_children: Callable[[str], None]
) -> None:
    assert main.run(["doctor", "--device", "cpu"]) == 0
    assert "operations passed" in capsys.readouterr().out
    break_children("matmul=wrong")
    assert main.run(["doctor", "--device", "cpu"]) == 0
    assert main.run(["doctor", "--device", "cpu", "--fresh"]) == 5


def test_a_torch_that_cannot_be_imported_is_something_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libc10.so: cannot open shared object file')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main.run(["doctor", "--device", "cpu", "--json"]) == 7
    assert "libc10.so" in capsys.readouterr().out


def test_everything_that_a_command_needs_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor", "--no-smoke", "--device", "cpu"]) == 0
    shown = capsys.readouterr().out
    for word in ("Phonemes", "ffmpeg", "Disk", "/dev/shm", "GiB free"):
        assert word in shown


def test_what_a_command_needs_and_is_not_there_is_found_with_its_remedy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voxmatrix.text.phonemes.espeak.espeak_version", lambda: None)
    monkeypatch.setattr("voxmatrix.doctor.report.espeak_version", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    full = shutil.disk_usage("/")._replace(free=1024**3)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: full)
    main.run(["doctor", "--no-smoke", "--device", "cpu", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    for problem, remedy in (("espeak-ng", "pip install"), ("ffmpeg", "imageio-ffmpeg"), ("1.0 GiB", "VOXMATRIX_HOME")):
        (found,) = [finding for finding in findings if problem in finding["problem"]]
        assert remedy in found["remedy"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o500)
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    main.run(["doctor", "--no-smoke", "--device", "cpu", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert any(str(tmp_path) in finding["problem"] for finding in findings)


def test_a_recorded_computer_can_be_described_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    assert main.run(["doctor", "--no-smoke", "--device", "cpu", "--record", str(path)]) == 0
    assert read_machine(path).cpus >= 1
    assert main.run(["doctor", "--machine", str(path), "--device", "cpu"]) == 0
    capsys.readouterr()


def test_a_described_computer_is_judged_without_torch(tmp_path: Path) -> None:
    words = ["doctor", "--machine", str(MACHINES / "rtx-5090-cu124.json"), "--json"]
    code = (
        "import sys; from voxmatrix.cli import main; code = main.run(sys.argv[1:]); "
        "assert not {'torch', 'lightning', 'rich.console'} & set(sys.modules); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 5, done.stderr
    assert json.loads(done.stdout)["gpus"][0]["image"] == "blackwell"


def test_a_demanded_device_that_is_not_there_is_exit_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor", "--machine", str(MACHINES / "no-gpu.json"), "--device", "cuda:1"]) == 4
    assert "cuda:1" in capsys.readouterr().err


def test_recording_a_described_computer_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor", "--machine", "a.json", "--record", "b.json"]) == 2
    assert "--record" in capsys.readouterr().err
