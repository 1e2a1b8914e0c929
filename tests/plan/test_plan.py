"""Whole plans: the computers of the mission."""

import json
from typing import Any

import pytest

from tests.plan.computers import ARC, RTX_3060, T4, assess, gpu, machine
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.machine.facts import Gpu
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.plan import Overrides, Plan, make_plan, plan_to_json, print_plan
from voxmatrix.settings import Setting

#: That design.md promises.
PROMISED = {
    "device", "precision", "tf32", "cudnn_benchmark", "batch_size", "accumulation", "effective_batch", "workers",
    "prepare_workers", "gradient_checkpointing", "compile", "graphs", "parallel_voices",
}  # fmt: skip
GB10 = gpu("NVIDIA GB10", "12.1", None, unified=True)


def plan(*gpus: Gpu, quality: str = "medium", asked: Overrides | None = None, **facts: Any) -> Plan:
    return make_plan(machine(*gpus, **facts), quality, asked or Overrides(), assess=assess)


def test_every_promised_setting_is_there_with_value_reason_and_source() -> None:
    settings = plan(RTX_3060).settings
    assert set(settings) >= PROMISED
    assert all(setting.reason and setting.source == "automatic" for setting in settings.values())


@pytest.mark.parametrize(
    ("row", "precision", "scaler", "tf32"),
    [
        (gpu("NVIDIA GeForce GTX 1080 Ti", "6.1", 11264), "fp32", False, False),
        (gpu("NVIDIA GeForce GTX 1660", "7.5", 6144), "fp32", False, False),
        (T4, "fp16", True, False),
        (gpu("Tesla V100", "7.0", 16384), "fp16", True, False),
        (gpu("NVIDIA GeForce RTX 3050", "8.6", 8192), "bf16", False, True),
        (RTX_3060, "bf16", False, True),
        (gpu("NVIDIA RTX 6000 Ada Generation", "8.9", 49140), "bf16", False, True),
        (gpu("NVIDIA GeForce RTX 5090", "12.0", 32607), "bf16", False, True),
        (GB10, "bf16", False, True),
    ],
    ids=lambda value: value.name if isinstance(value, Gpu) else None,
)
def test_a_gpu_of_the_mission(row: Gpu, precision: str, scaler: bool, tf32: bool) -> None:
    made = plan(row)
    assert (made.device.value, made.precision.value) == ("cuda:0", precision)
    assert (made.scaler.value, made.tf32.value) == (scaler, tf32)
    assert made.effective_batch.value == 32
    assert row.name in made.precision.reason


def test_a_gb10_plans_with_half_of_what_the_computer_has_available() -> None:
    made = plan(GB10, memory_mib=131072, available_mib=100000)
    assert made.batch_size.value == 32
    assert "100000 MiB" in made.batch_size.reason
    assert "50%" in made.batch_size.reason
    assert made.allocator.value == ""
    tight = plan(GB10, available_mib=4000)
    assert tight.batch_size.value < 32


def test_a_gb10_is_known_by_its_capability_too() -> None:
    assert "60000 MiB" in plan(gpu("NVIDIA GB10", "12.1", None)).batch_size.reason


def test_a_gpu_of_its_own_whose_memory_could_not_be_read_gets_a_small_batch() -> None:
    made = plan(gpu("NVIDIA GeForce RTX 3060", "8.6", None))
    assert (made.batch_size.value, made.effective_batch.value) == (4, 32)
    assert "could not be read" in made.batch_size.reason


def test_two_cpus_of_64() -> None:
    made = plan(RTX_3060, cpus=2)
    assert (made.workers.value, made.prepare_workers.value) == (1, 2)
    assert "2 CPU" in made.workers.reason
    assert "2 CPU" in made.prepare_workers.reason


def test_64_cpus_are_not_all_used_for_reading() -> None:
    made = plan(RTX_3060, cpus=64)
    assert (made.workers.value, made.prepare_workers.value) == (4, 16)


def test_64_mb_of_shared_memory_limits_the_workers_and_names_the_mend() -> None:
    made = plan(RTX_3060, shm_mib=64)
    assert made.workers.value < 4
    assert "64 MiB" in made.workers.reason
    assert "--shm-size" in made.workers.reason
    assert plan(RTX_3060, shm_mib=0).workers.value == 0


def test_no_gpu_trains_on_the_cpu_in_fp32_and_says_so() -> None:
    made = plan()
    assert (made.device.value, made.precision.value, made.tf32.value, made.workers.value) == ("cpu", "fp32", False, 0)
    assert "no GPU was found" in made.findings[0].problem


def test_windows_with_directml_trains_on_the_cpu() -> None:
    made = plan(ARC, platform="windows", shm_mib=None)
    assert made.device.value == "cpu"
    with pytest.raises(NoDeviceError, match="AMP"):
        plan(ARC, platform="windows", asked=Overrides(device=parse_device("directml:0", "flag", "--device directml:0")))


@pytest.mark.parametrize(
    ("facts", "allocator"),
    [({}, "expandable_segments:True"), ({"wsl": True}, ""), ({"platform": "windows"}, ""), ({"platform": "macos"}, "")],
)
def test_expandable_segments_only_on_native_linux(facts: dict[str, Any], allocator: str) -> None:
    assert plan(RTX_3060, **facts).allocator.value == allocator


def test_expandable_segments_are_not_for_jetsons() -> None:
    assert plan(gpu("Orin", "8.7", 30000)).allocator.value == ""


def test_a_slice_of_a_gpu_counts_with_its_own_memory() -> None:
    whole = plan(gpu("NVIDIA A100-SXM4-40GB", "8.0", 40960), quality="high")
    part = plan(gpu("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0", 4864, mig=True), quality="high")
    assert part.batch_size.value < whole.batch_size.value
    assert part.effective_batch.value == whole.effective_batch.value == 32


def test_larger_voices_need_smaller_batches() -> None:
    sizes = [plan(gpu("x", "8.6", 6144), quality=name).batch_size.value for name in ("tiny", "medium", "high")]
    assert sizes == sorted(sizes, reverse=True)


def test_parallel_voices_follow_memory_and_cores() -> None:
    assert plan(gpu("x", "8.6", 2048)).parallel_voices.value == 1
    assert plan(gpu("x", "8.6", 8192)).parallel_voices.value > 1
    assert plan(cpus=8).parallel_voices.value == 4
    assert plan(cpus=1).parallel_voices.value == 1


def test_a_gpu_without_capability_computes_in_fp32() -> None:
    made = plan(gpu("x", None, 8192))
    assert made.precision.value == "fp32"
    assert "could not be read" in made.precision.reason


@pytest.mark.parametrize(
    ("row", "forced"),
    [
        (gpu("NVIDIA GeForce GTX 1660", "7.5", 6144), {"precision": "fp16"}),
        (gpu("NVIDIA GeForce GTX 1080 Ti", "6.1", 11264), {"compile": True}),
        (T4, {"precision": "bf16"}),
        (T4, {"tf32": True}),
    ],
)
def test_what_is_forced_against_better_knowledge_stays_and_is_warned_of(row: Gpu, forced: dict[str, Any]) -> None:
    settings = {name: Setting(value=value, reason=f"--{name}", source="flag") for name, value in forced.items()}
    made = plan(row, asked=Overrides(**settings))  # type: ignore[arg-type]
    assert made.settings[next(iter(forced))] == settings[next(iter(forced))]
    assert made.findings


def test_a_forced_fp16_brings_its_scaler() -> None:
    made = plan(RTX_3060, asked=Overrides(precision=Setting(value="fp16", reason="--precision fp16", source="flag")))
    assert made.scaler.value


def test_an_unknown_quality_is_usage() -> None:
    with pytest.raises(UsageError, match="huge"):
        plan(quality="huge")


def test_json_has_value_reason_and_source_of_every_setting() -> None:
    plan = make_plan(machine(RTX_3060), "medium", Overrides(), assess=assess)
    said = json.loads(json.dumps(plan_to_json(plan)))
    assert set(said["settings"]) == set(plan.settings)
    assert said["settings"]["tf32"]["value"] is True
    assert said["findings"] == []


def test_the_table_shows_the_settings_and_then_the_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan(make_plan(machine(), "medium", Overrides(), assess=assess))
    shown = capsys.readouterr().out
    assert shown.index("effective_batch") < shown.index("warning: no GPU was found")


def test_brackets_in_a_name_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    print_plan(make_plan(machine(replace(RTX_3060, name="[bold]x[/nothing]")), "tiny", Overrides(), assess=assess))
    assert "[bold]" in capsys.readouterr().out
