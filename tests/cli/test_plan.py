"""`voxmatrix plan`: which place spoke, the table, the JSON, and described computers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bundled import DEFAULT
from tests.machine.measured import measurement
from voxmatrix.cli import main
from voxmatrix.machine.profile import Profile, ProfiledGpu
from voxmatrix.machine.profile_store import keep, place

MACHINES = Path(__file__).parent.parent / "machines"
RTX_3060 = str(MACHINES / "rtx-3060.json")
OLDER = ("USE_GPU", "GPU_ID", "VIBEVOICE_DEVICE", "DIRECTML_DEVICE", "VOXMATRIX_DEVICE", "VOXMATRIX_GPU")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in OLDER:
        monkeypatch.delenv(name, raising=False)


def plan(capsys: pytest.CaptureFixture[str], *words: str, machine: str = RTX_3060) -> dict[str, Any]:
    assert main.run(["plan", "--machine", machine, "--json", *words]) == 0
    return dict(json.loads(capsys.readouterr().out)["settings"])


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_every_described_computer_has_a_plan(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = plan(capsys, machine=str(path))
    assert settings["effective_batch"]["value"] == 32
    assert all(set(setting) == {"value", "reason", "source"} and setting["reason"] for setting in settings.values())


@pytest.mark.parametrize(
    ("name", "precision", "tf32"),
    [
        ("gtx-1080-ti", "fp32", False),
        ("gtx-1660", "fp32", False),
        ("t4", "fp16", False),
        ("rtx-3050", "bf16", True),
        ("rtx-3060", "bf16", True),
        ("gb10-null-memory", "bf16", True),
        ("no-gpu", "fp32", False),
    ],
)
def test_a_computer_of_the_mission(name: str, precision: str, tf32: bool, capsys: pytest.CaptureFixture[str]) -> None:
    settings = plan(capsys, machine=str(MACHINES / f"{name}.json"))
    assert (settings["precision"]["value"], settings["tf32"]["value"]) == (precision, tf32)


def test_a_voice_has_as_many_processes_as_it_leaves_cpus_idle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = json.loads((MACHINES / "no-gpu.json").read_text(encoding="utf-8"))
    path = tmp_path / "much-memory.json"
    path.write_text(json.dumps(described | {"memory_mib": 65_536, "available_mib": 65_536}), encoding="utf-8")
    no_gpu = str(path)
    usual = plan(capsys, "--task", "speak", machine=no_gpu)["parallel_voices"]["value"]
    assert usual > 1
    assert plan(capsys, "--voice", DEFAULT, machine=no_gpu)["parallel_voices"]["value"] == 2 * usual
    forced = plan(capsys, "--voice", DEFAULT, "--parallel-voices", "3", machine=no_gpu)["parallel_voices"]
    assert (forced["value"], forced["source"]) == (3, "flag")


def test_a_student_is_computed_by_all_cpus_of_a_computer_with_a_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = json.loads(Path(RTX_3060).read_text(encoding="utf-8")) | {"cpus": 6}

    def processes(available_mib: int) -> int:
        path = tmp_path / f"{available_mib}.json"
        memory = {"memory_mib": available_mib, "available_mib": available_mib}
        path.write_text(json.dumps(described | memory), encoding="utf-8")
        settings = plan(capsys, "--voice", DEFAULT, machine=str(path))
        assert settings["device"]["value"] == "cpu"
        return int(settings["parallel_voices"]["value"])

    assert (processes(16_384), processes(4_096), processes(1_024)) == (6, 5, 1)


def test_the_table_has_every_setting_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["plan", "--machine", RTX_3060, "--batch-size", "8"]) == 0
    shown = capsys.readouterr().out
    assert "gradient_checkpointing" in shown
    assert "--batch-size" in shown


def test_flag_is_stronger_than_environment_and_that_than_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voxmatrix.toml").write_text("batch_size = 2\ntf32 = false\n", encoding="utf-8")
    settings = plan(capsys)
    assert settings["batch_size"] == {
        "value": 2, "reason": "set by batch_size in voxmatrix.toml", "source": "voxmatrix.toml",
    }  # fmt: skip
    assert (settings["tf32"]["value"], settings["tf32"]["source"]) == (False, "voxmatrix.toml")
    monkeypatch.setenv("VOXMATRIX_BATCH_SIZE", "4")
    assert plan(capsys)["batch_size"]["reason"] == "set by VOXMATRIX_BATCH_SIZE"
    assert plan(capsys, "--batch-size", "8")["batch_size"]["source"] == "flag"


@pytest.mark.parametrize("word", ["0", "auto"])
def test_0_and_auto_decide_whatever_the_environment_says(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOXMATRIX_BATCH_SIZE", "4")
    assert plan(capsys, "--batch-size", word)["batch_size"]["source"] == "automatic"


def test_no_workers_can_be_forced(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(capsys, "--workers", "none")["workers"] == {
        "value": 0, "reason": "set by --workers", "source": "flag",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "device", "source"),
    [
        (["--device", "cuda:0"], "cuda:0", "flag"),
        (["--gpu", "0"], "cuda:0", "flag"),
        (["--use-gpu"], "cuda:0", "flag"),
        (["--no-use-gpu"], "cpu", "flag"),
        (["--device", "auto"], "cuda:0", "automatic"),
    ],
)
def test_flags_for_the_device(words: list[str], device: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = plan(capsys, *words)["device"]
    assert (chosen["value"], chosen["source"]) == (device, source)


def test_the_variables_of_the_seeds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("USE_GPU", "no")
    assert plan(capsys)["device"]["reason"] == "requested by USE_GPU=no"
    assert plan(capsys, "--device", "cuda:0")["device"]["value"] == "cuda:0"
    assert plan(capsys, "--device", "auto")["device"]["value"] == "cuda:0"
    monkeypatch.setenv("USE_GPU", "yes")
    monkeypatch.setenv("GPU_ID", "3")
    assert plan(capsys)["device"]["value"] == "cpu"


def test_a_demand_that_cannot_be_met_has_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["plan", "--machine", RTX_3060, "--gpu", "1"]) == 4
    assert "RTX 3060" in capsys.readouterr().err
    assert main.run(["plan", "--machine", str(MACHINES / "rtx-5090-cu124.json"), "--device", "cuda:0"]) == 5
    assert main.run(["plan", "--machine", str(MACHINES / "amd-windows.json"), "--device", "directml:0"]) == 4


@pytest.mark.parametrize("words", [["--batch-size", "many"], ["--tf32", "perhaps"], ["--precision", "8"]])
def test_a_setting_that_means_nothing_is_usage_and_names_the_flag(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["plan", "--machine", RTX_3060, *words]) == 2
    assert words[0] in capsys.readouterr().err


def test_planning_for_a_described_computer_imports_no_torch() -> None:
    program = (
        "import sys; from voxmatrix.cli import main; "
        f"code = main.run(['plan', '--machine', {RTX_3060!r}, '--json']); "
        "sys.exit(code or sorted({'torch', 'lightning', 'numpy'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=MACHINES.parent.parent
    )
    assert done.returncode == 0, done.stderr


def test_directml_is_planned_for_speaking(capsys: pytest.CaptureFixture[str]) -> None:
    windows = str(MACHINES / "amd-windows.json")
    assert plan(capsys, machine=windows)["device"]["value"] == "cpu"
    assert plan(capsys, "--task", "speak", machine=windows)["device"]["value"] == "directml:0"
    assert main.run(["plan", "--machine", windows, "--task", "sing"]) == 2


def test_this_computer_has_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["effective_batch"]["value"] == 32


def test_a_profile_of_this_kind_of_gpu_is_followed_also_for_a_described_computer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "estimated" in plan(capsys)["batch_size"]["reason"]
    measured = measurement(1000, 1200, precision="bf16")
    keep(Profile(device=ProfiledGpu(name="NVIDIA GeForce RTX 3060", memory_mib=12288), measurements=(measured,)))
    batch = plan(capsys)["batch_size"]
    assert batch["value"] == 8
    assert "measured by train --tune on 2026-11-21" in batch["reason"]
    other = plan(capsys, machine=str(MACHINES / "rtx-3070.json"))
    assert "estimated" in other["batch_size"]["reason"]


def test_a_damaged_profile_is_a_warning_of_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    place("nvidia-geforce-rtx-3060-12gib").parent.mkdir()
    place("nvidia-geforce-rtx-3060-12gib").write_text("{")
    assert main.run(["plan", "--machine", RTX_3060, "--json"]) == 0
    (finding,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if "profile" in f["problem"]]
    assert finding["severity"] == "warning"
    assert "is ignored" in finding["problem"]


def test_a_described_computer_can_be_named_by_the_environment_which_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    described = Path(__file__).parents[1] / "machines" / "h100.json"
    monkeypatch.setenv("VOXMATRIX_MACHINE", str(described))
    assert main.run(["plan", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["settings"]["device"]["value"] == "cuda:0"
    assert f"read from {described}" in said.err
