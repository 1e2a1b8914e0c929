"""The plan: all settings of a training on a computer, each with its reason; as a table and as JSON. Pure; no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profile_store import LoadedProfiles, ProfileOf, no_profile
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.batch import SMALLEST_ON_A_CPU, SMALLEST_ON_A_GPU, Batching, choose_batching
from voxmatrix.plan.budget import Budget, MemoryLine, Need, measured_lines, memory_budget
from voxmatrix.plan.device_request import AUTO, DeviceRequest
from voxmatrix.plan.device_selection import Assess, SelectedDevice, Task, select_device
from voxmatrix.plan.parallelism import choose_devices, choose_parallel_voices, choose_prepare_workers, choose_workers
from voxmatrix.plan.precision import choose_precision, choose_scaler, choose_tf32, precision_findings
from voxmatrix.plan.torch_options import (
    choose_allocator,
    choose_compile,
    choose_cudnn_benchmark,
    choose_graphs,
    compile_findings,
)
from voxmatrix.plan.verdict import assess
from voxmatrix.settings import Setting
from voxmatrix.tables.quality import Quality, quality
from voxmatrix.tables.training import Precision, memory_table
from voxmatrix.wording import plain, printable

#: Default for the longest recording: sentences read aloud are seldom longer.
USUAL_SECONDS = 10.0
_BYTES_A_SAMPLE = 4  # float32


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """Forced settings with their sources; None is automatic."""

    device: DeviceRequest = AUTO
    precision: Setting[Precision] | None = None
    tf32: Setting[bool] | None = None
    cudnn_benchmark: Setting[bool] | None = None
    batch_size: Setting[int] | None = None
    accumulation: Setting[int] | None = None
    workers: Setting[int] | None = None
    prepare_workers: Setting[int] | None = None
    gradient_checkpointing: Setting[bool] | None = None
    compile: Setting[bool] | None = None
    graphs: Setting[bool] | None = None
    parallel_voices: Setting[int] | None = None
    devices: Setting[int] | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The settings in display order, and the warnings."""

    device: Setting[str]
    devices: Setting[int]
    precision: Setting[Precision]
    scaler: Setting[bool]
    tf32: Setting[bool]
    cudnn_benchmark: Setting[bool]
    batch_size: Setting[int]
    accumulation: Setting[int]
    effective_batch: Setting[int]
    gradient_checkpointing: Setting[bool]
    compile: Setting[bool]
    graphs: Setting[bool]
    allocator: Setting[str]
    workers: Setting[int]
    prepare_workers: Setting[int]
    parallel_voices: Setting[int]
    voice: Mapping[str, Setting[Any]] = field(default_factory=dict)  # how an engine computes it
    findings: tuple[Finding, ...] = ()

    @property
    def settings(self) -> dict[str, Setting[object]]:
        """All settings by name."""
        own = [each.name for each in fields(self) if each.name not in ("voice", "findings")]
        return {
            **{name: getattr(self, name) for name in own},
            **{f"voice_{name}": one for name, one in self.voice.items()},
        }


def make_plan(
    machine: Machine,
    quality_name: str,
    overrides: Overrides,
    *,
    task: Task = "train",
    saved_device: SavedDevice | None = None,
    longest_seconds: float = USUAL_SECONDS,
    profile: ProfileOf = no_profile,
    assess: Assess = assess,
) -> Plan:
    """Make the plan for a computer. `profile` looks up what was measured on the selected device, for training only.

    Raises:
        UsageError: there is no such quality.
        NoDeviceError: the requested device is not available or cannot do this task.
        NoKernelsError: this torch has no kernels for the requested GPU.
    """
    selected = select_device(machine, overrides.device, task=task, saved_device=saved_device, assess=assess)
    return plan_on(
        selected, machine, quality_name, overrides, task=task, longest_seconds=longest_seconds, profile=profile
    )


def plan_on(
    selected: SelectedDevice,
    machine: Machine,
    quality_name: str,
    overrides: Overrides,
    *,
    task: Task = "train",
    longest_seconds: float = USUAL_SECONDS,
    profile: ProfileOf = no_profile,
) -> Plan:
    """Make the plan for a device that is already selected.

    Raises:
        UsageError: there is no such quality.
    """
    row, gpu = quality(quality_name), selected.gpu
    precision = choose_precision(gpu, overrides.precision, cpu_bf16=machine.cpu_bf16)
    tf32 = choose_tf32(gpu, overrides.tf32)
    compiled = choose_compile(gpu, overrides.compile)
    devices = choose_devices(gpu, machine, overrides.devices)
    budget = memory_budget(gpu, machine)
    measured = profile(gpu, machine) if task == "train" else LoadedProfiles()
    lines = measured_lines(measured.one, row.name, precision.value, machine)
    need = _need(row, longest_seconds, precision.value, devices.value, lines)
    batching = _batching(gpu, budget, need, overrides)
    batch_bytes = int(batching.batch_size.value * longest_seconds * row.rate_hz) * _BYTES_A_SAMPLE
    return Plan(
        device=selected.device,
        devices=devices,
        precision=precision,
        scaler=choose_scaler(precision),
        tf32=tf32,
        cudnn_benchmark=choose_cudnn_benchmark(gpu, overrides.cudnn_benchmark),
        batch_size=batching.batch_size,
        accumulation=batching.accumulation,
        effective_batch=batching.effective_batch,
        gradient_checkpointing=batching.checkpointing,
        compile=compiled,
        graphs=choose_graphs(gpu, compiled, batching.checkpointing, overrides.graphs),
        allocator=choose_allocator(gpu, machine),
        workers=choose_workers(machine, batch_bytes, selected.device.value.partition(":")[0], overrides.workers),
        prepare_workers=choose_prepare_workers(machine, overrides.prepare_workers),
        parallel_voices=choose_parallel_voices(gpu, machine, budget, overrides.parallel_voices),
        findings=(
            *selected.findings,
            *precision_findings(gpu, precision, tf32, cpu_bf16=machine.cpu_bf16),
            *compile_findings(gpu, compiled),
            *measured.findings,
            *(batching.findings if task == "train" else ()),
        ),
    )


def _need(row: Quality, seconds: float, precision: Precision, devices: int, lines: Mapping[bool, MemoryLine]) -> Need:
    table = memory_table()
    return Need(
        row=table.qualities[row.name],
        table=table,
        seconds=seconds,
        half=precision != "fp32",
        devices=devices,
        lines=lines,
    )


def _batching(gpu: Gpu | None, budget: Budget, need: Need, overrides: Overrides) -> Batching:
    return choose_batching(
        budget,
        need,
        smallest=SMALLEST_ON_A_CPU if gpu is None else SMALLEST_ON_A_GPU,
        batch_size=overrides.batch_size,
        accumulation=overrides.accumulation,
        checkpointing=overrides.gradient_checkpointing,
    )


#: In characters; only the allocator's value is longer, and is folded.
_VALUE_WIDTH = 12


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The object of `plan --json`."""
    return {
        "settings": {
            name: {"value": setting.value, "reason": setting.reason, "source": setting.source}
            for name, setting in plan.settings.items()
        },
        "findings": [
            {"severity": finding.severity, "problem": finding.problem, "remedy": finding.remedy}
            for finding in plan.findings
        ],
    }


def print_plan(plan: Plan, say: Callable[[str], str] = plain) -> None:
    """Print a table of the settings, then the warnings. `say` names the settings in them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, pad_edge=False)
    table.add_column("setting", style="bold", no_wrap=True)
    table.add_column("value", overflow="fold", max_width=_VALUE_WIDTH)
    table.add_column("reason", ratio=1)
    table.add_column("source", no_wrap=True)
    for name, setting in plan.settings.items():
        table.add_row(name, Text(printable(format_value(setting))), Text(say(setting.reason)), setting.source)
    console.print(table)
    for finding in plan.findings:
        console.print(Text(say(f"\n{finding.severity}: {finding.problem}\n  → {finding.remedy}")))


def format_value(setting: Setting[Any]) -> str:
    """A value as it is typed on the command line."""
    match setting.value:
        case True:
            return "on"
        case False:
            return "off"
        case "":
            return "-"
        case value:
            return str(value)
