"""The report as text: the computer, its GPUs, the smoke test, the findings."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from voxmatrix.doctor.findings import advice, of_gpu
from voxmatrix.doctor.report import DoctorReport
from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.verdict import Assessment
from voxmatrix.wording import plain, pluralise

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {"native": "green", "ptx-jit": "yellow", "unsupported": "red", "driver-too-old": "red", None: "yellow"}


def show(report: DoctorReport, console: "Console", say: Callable[[str], str] = plain) -> None:
    """Print the report for people, in colour on a terminal. `say` names the settings in its messages."""
    for line in (*_computer(report.machine), *_gpus(report), *_smoke(report), *_needs(report), *_findings(report)):
        console.print(say(line), highlight=False, soft_wrap=True)


def _computer(machine: Machine) -> list[str]:
    system = " ".join([machine.platform, *([machine.architecture] if machine.architecture else [])])
    inside = [*(["WSL2"] if machine.wsl else []), *(["in a container"] if machine.container else [])]
    memory = f"{machine.memory_mib} MiB of memory" if machine.memory_mib is not None else "memory unknown"
    torch = "no torch" if machine.torch is None else f"torch {machine.torch.version}"
    kernels = f" with {' '.join(machine.torch.kernels)}" if machine.torch and machine.torch.kernels else ""
    return [
        f"[bold]This computer[/]: {_escaped(', '.join([system, *inside]))}",
        f"  {pluralise(machine.cpus, 'CPU')} ({_escaped(machine.cpu or 'name unknown')}), {memory}",
        f"  {_escaped(torch + kernels)}{_escaped(f'; image {machine.image}' if machine.image else '')}",
    ]


def _gpus(report: DoctorReport) -> list[str]:
    if not report.assessments:
        return [f"[bold]GPU[/]: none{'' if report.exit_code else ', the CPU is used'}"]
    pairs = zip(report.machine.gpus, report.assessments, strict=True)
    return [
        line
        for gpu, assessment in pairs
        for line in (*_gpu(gpu, assessment), *(f"  {_escaped(advised)}" for advised in advice(gpu, report.machine)))
    ]


def _gpu(gpu: Gpu, assessment: Assessment) -> list[str]:
    facts = [
        *([f"capability {gpu.capability}"] if gpu.capability else []),
        *([gpu.target] if gpu.target else []),
        *([f"{gpu.memory_mib} MiB"] if gpu.memory_mib is not None else []),
        *([f"driver {gpu.driver}"] if gpu.driver else []),
        *(["a MIG slice"] if gpu.mig else []),
        *(["shares the computer's memory"] if gpu.unified else []),
    ]
    colour, verdict = _COLOURS[assessment.verdict], assessment.verdict or "no verdict"
    described = f" ({', '.join(facts)})" if facts else ""
    lines = [
        f"[bold]GPU {gpu.index}[/]: {_escaped((gpu.name or 'unnamed') + described)}: "
        f"[{colour}]{verdict}[/]: {_escaped(assessment.reason)}"
    ]
    return lines + ([f"  → {_escaped(assessment.remedy)}"] if assessment.remedy else [])


def _smoke(report: DoctorReport) -> list[str]:
    if not report.results:
        return ["[bold]Smoke test[/]: not run", *_flash(report)]
    lines = []
    for gpu in dict.fromkeys(result.gpu for result in report.results):
        results = [result for result in report.results if result.gpu == gpu]
        device = "the CPU" if gpu is None else f"GPU {gpu}"
        passed = sum(result.ok for result in results)
        colour = "green" if passed == len(results) else "red"
        lines.append(f"[bold]Smoke test[/] on {device}: [{colour}]{passed} of {len(results)} operations passed[/]")
        lines += [_result(result) for result in results]
    return [*lines, *_flash(report)]


def _flash(report: DoctorReport) -> list[str]:
    """The result of the test of flash-attn. What is not installed stands with the GPUs."""
    if report.machine.gpus and not report.flash.installed:
        return []
    return [f"[bold]flash-attn[/]: {_escaped(report.flash.reason)}"]


def _result(result: OperationResult) -> str:
    name = f"{result.op} {result.dtype}"
    if not result.ok:
        return f"  [red]✗ {_escaped(name)}: {_escaped(result.problem)}[/]"
    return f"  ✓ {_escaped(name)}: error {result.max_abs_error:.1e}, {result.milliseconds:.1f} ms"


def _needs(report: DoctorReport) -> list[str]:
    shm_mib = report.machine.shm_mib
    shared = [f"[bold]/dev/shm[/]: {shm_mib} MiB free"] if report.needs and shm_mib is not None else []
    return [*(f"[bold]{need.name}[/]: {_escaped(need.found)}" for need in report.needs), *shared]


def _findings(report: DoctorReport) -> list[str]:
    if not report.findings:
        return ["[green]No problems found.[/]"]
    pairs = zip(report.machine.gpus, report.assessments, strict=True)
    already_shown = {of_gpu(gpu, assessment, None).problem for gpu, assessment in pairs}  # in the lines of the GPUs
    lines = []
    for finding in report.findings:
        if finding.problem in already_shown:
            continue
        colour = "red" if finding.severity == "error" else "yellow"
        lines.append(f"[{colour}]{finding.severity}[/]: {_escaped(finding.problem)}")
        if finding.remedy:
            lines.append(f"  → {_escaped(finding.remedy)}")
    return lines


def _escaped(text: str) -> str:
    """Escape markup: names come from drivers and files."""
    from rich.markup import escape

    return escape(text)
