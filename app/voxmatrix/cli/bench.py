"""`voxmatrix bench matmul`, `speak` and `train`: the speed of each device of this computer compared with its CPU."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.terminal.messages import echo, print_json, shown
from voxmatrix.errors import VoxmatrixError
from voxmatrix.plan.overrides import override_number

if TYPE_CHECKING:
    from voxmatrix.bench.measure import BenchSuite
    from voxmatrix.bench.report import BenchReport
    from voxmatrix.plan.device_selection import Task

group = CommandGroup(help="Benchmark the devices of this computer against its CPU.")
_COMMANDS = ("matmul", "speak", "train")

_Device = Annotated[str, options.option("--device", "NAME", "all, cpu, cuda:0 … or auto (the one that would be used).")]
_Picture = Annotated[
    str, options.option("--picture", "FILE", "Draw a chart: FILE.svg or FILE.png.", parser=options.path)
]
_Limit = Annotated[float, options.option("--limit", "SECONDS", "Time limit per device.", min=1)]
#: Generous: starting CUDA from a cold disk takes a minute, and the steps of a slow CPU several. It is for hangs.
_LIMIT_SECONDS = 600.0


@group.callback()
def _options(context: typer.Context) -> None:
    # voxmatrix.toml has a single level of keys, for subcommands too.
    context.default_map = dict.fromkeys(_COMMANDS, context.default_map or {})


@group.command("matmul")
def matmul(
    context: typer.Context,
    device: _Device = "all",
    size: Annotated[int, options.option("--size", "N", "Rows and columns of both matrices.", min=1, max=20_000)] = 2000,
    runs: Annotated[int, options.option("--runs", "N", "Timed runs.", min=1, max=10_000)] = 10,
    limit: _Limit = _LIMIT_SECONDS,
    picture: _Picture = "",
    as_json: options.AsJson = False,
) -> None:
    """Multiply two float32 matrices; on CUDA GPUs also in TF32 and in the training precision."""
    from voxmatrix.bench.benchmarks import MATMUL
    from voxmatrix.bench.matmul import MatmulBench, formats
    from voxmatrix.bench.report import make_report

    bench = _begin(context, device, picture, limit, task="speak")
    base = MatmulBench(size=size, runs=runs)
    rows = bench.run(lambda gpu: MatmulBench(size=size, runs=runs, formats=formats(gpu)))
    settings = {"size": size, "runs": runs, "warmup": base.warmup}
    report = make_report(
        MATMUL, about=base.about, settings=settings, machine=bench.machine, rows=rows, findings=bench.findings
    )
    _end(report, picture, as_json)


@group.command("speak")
def speak(
    context: typer.Context,
    voice: options.VoicePath = "",
    device: _Device = "all",
    runs: Annotated[int, options.option("--runs", "N", "Timed runs over all sentences.", min=1, max=1000)] = 5,
    limit: _Limit = _LIMIT_SECONDS,
    picture: _Picture = "",
    as_json: options.AsJson = False,
) -> None:
    """Speak sentences: compute time per second of speech."""
    from voxmatrix.bench.benchmarks import SPEAK
    from voxmatrix.bench.report import make_report
    from voxmatrix.bench.speak import SpeakBench
    from voxmatrix.voices.resolve import locate

    bench = _begin(context, device, picture, limit, task="speak")
    job = SpeakBench(voice=str(locate(voice)[1]), runs=runs)
    rows = bench.run(lambda gpu: job)
    report = make_report(
        SPEAK, about=job.about, settings=asdict(job), machine=bench.machine, rows=rows, findings=bench.findings
    )
    _end(report, picture, as_json)


@group.command("train")
def train(
    context: typer.Context,
    quality: options.QualityName = "medium",
    device: _Device = "all",
    batch_size: Annotated[str, options.automatic("--batch-size", "N", "Clips per batch (0 or auto: 8).")] = "auto",
    clip_seconds: Annotated[
        float,
        options.option("--clip-seconds", "SECONDS", "Length of all clips (use that of your longest).", min=1, max=60),
    ] = 5.0,
    steps: Annotated[int, options.option("--steps", "N", "Steps per run.", min=1, max=10_000)] = 5,
    runs: Annotated[int, options.option("--runs", "N", "Timed runs.", min=1, max=1000)] = 3,
    limit: _Limit = _LIMIT_SECONDS,
    picture: _Picture = "",
    as_json: options.AsJson = False,
) -> None:
    """Train on synthetic clips: steps per second and memory."""
    from voxmatrix.bench.benchmarks import TRAIN
    from voxmatrix.bench.report import make_report
    from voxmatrix.bench.train import TrainBench, planned_for
    from voxmatrix.tables.quality import quality as row_of

    given_size = override_number(batch_size, *ParameterSources(context).of("batch_size"))
    bench = _begin(context, device, picture, limit, task="train")
    job = TrainBench(
        quality=row_of(quality).name,
        batch_size=given_size.value if given_size else TrainBench.batch_size,
        clip_seconds=clip_seconds,
        steps=steps,
        runs=runs,
    )
    rows = bench.run(lambda gpu: planned_for(gpu, job))
    settings = {key: value for key, value in asdict(job).items() if key not in ("batch_size", "precision", "tf32")}
    report = make_report(
        TRAIN, about=job.about, settings=settings, machine=bench.machine, rows=rows, findings=bench.findings
    )
    _end(report, picture, as_json)


def _begin(context: typer.Context, device: str, picture: str, limit: float, task: "Task") -> "BenchSuite":
    from voxmatrix.bench.chart import check_picture
    from voxmatrix.bench.measure import BenchSuite, to_measure
    from voxmatrix.bench.timing import all_cpus, busy, load
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device

    if picture:
        check_picture(Path(picture))
    before = load()
    machine, notes = detect()
    option, source = ParameterSources(context).of("device")
    gpus, findings = to_measure(machine, device, task=task, source=source, option=option, saved_device=saved_device())
    return BenchSuite(
        machine=machine,
        gpus=tuple(gpus),
        findings=(*notes, *findings, *busy(before, all_cpus())),
        limit_seconds=limit,
        on_device=_show_progress,
    )


def _show_progress(what: str) -> None:
    if sys.stderr.isatty():
        echo(f"measuring {what} …", err=True)


def _end(report: "BenchReport", picture: str, as_json: bool) -> None:
    """Write the chart and show the results, even if the chart cannot be written."""
    failed = _draw(report, picture)
    if as_json:
        answer: dict[str, Any] = report.to_json() | {"picture": picture if picture and failed is None else None}
        if failed is not None:
            answer["findings"].append({"severity": "error", "problem": failed.problem, "remedy": failed.remedy})
            answer["exit_code"] = report.exit_code or failed.exit_code
        print_json(answer)
        raise typer.Exit(answer["exit_code"])
    from rich.console import Console

    from voxmatrix.bench.table import show

    show(report, Console(), shown)
    if failed is not None:
        raise failed
    if picture:
        echo(f"picture: {picture}")
    raise typer.Exit(report.exit_code)


def _draw(report: "BenchReport", picture: str) -> VoxmatrixError | None:
    from voxmatrix.bench.chart import write_picture

    try:
        if picture:
            write_picture(report, Path(picture))
    except VoxmatrixError as error:
        return error
    return None
