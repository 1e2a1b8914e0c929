"""`voxmatrix plan`: every automatic setting with its reason, for this computer or a described one."""

import json
from pathlib import Path
from typing import Annotated, get_args

import typer

from app.cli import options
from app.cli.sources import Words
from app.cli.wish import asked_device
from app.errors import UsageError
from app.plan.asked import asked_number, asked_precision, asked_switch
from app.plan.fitness import Task
from app.plan.plan import Asked, make_plan
from app.plan.show import plan_to_json, print_plan

_MachineFile = Annotated[
    Path | None, typer.Option("--machine", help="Plan for the computer that this file describes, not for this one.")
]
_AUTO = "auto"
_Number = "0 or auto decides."


def command(
    context: typer.Context,
    quality: options.QualityName = "medium",
    machine: _MachineFile = None,
    task: Annotated[str, options.option("--task", "What the device is for: train or speak.")] = "train",
    device: options.Device = _AUTO,
    gpu: options.GpuNumber = "",
    use_gpu: options.UseGpu = None,
    precision: Annotated[str, options.option("--precision", "fp32, bf16, fp16 or auto.")] = _AUTO,
    tf32: Annotated[str, options.option("--tf32", "on, off or auto.")] = _AUTO,
    cudnn_benchmark: Annotated[str, options.option("--cudnn-benchmark", "on, off or auto.")] = _AUTO,
    batch_size: Annotated[str, options.option("--batch-size", f"Recordings a batch; {_Number}")] = _AUTO,
    accumulation: Annotated[str, options.option("--accumulation", f"Batches a step; {_Number}")] = _AUTO,
    gradient_checkpointing: Annotated[str, options.option("--gradient-checkpointing", "on, off or auto.")] = _AUTO,
    compile: Annotated[str, options.option("--compile", "on, off or auto.")] = _AUTO,
    workers: Annotated[str, options.option("--workers", f"DataLoader processes, or none; {_Number}")] = _AUTO,
    prepare_workers: Annotated[
        str, options.option("--prepare-workers", f"Processes that check recordings; {_Number}")
    ] = _AUTO,
    parallel_voices: Annotated[
        str, options.option("--parallel-voices", f"Voices that speak side by side; {_Number}")
    ] = _AUTO,
    as_json: options.AsJson = False,
) -> None:
    """Show every automatic setting with its reason; nothing is started and nothing changed."""
    said, purpose = Words(context), _task(task)
    asked = Asked(
        device=asked_device(said, device, gpu, use_gpu),
        precision=asked_precision(precision, *said.of("precision")),
        tf32=asked_switch(tf32, *said.of("tf32")),
        cudnn_benchmark=asked_switch(cudnn_benchmark, *said.of("cudnn_benchmark")),
        batch_size=asked_number(batch_size, *said.of("batch_size")),
        accumulation=asked_number(accumulation, *said.of("accumulation")),
        gradient_checkpointing=asked_switch(gradient_checkpointing, *said.of("gradient_checkpointing")),
        compile=asked_switch(compile, *said.of("compile")),
        workers=asked_number(workers, *said.of("workers"), none=True),
        prepare_workers=asked_number(prepare_workers, *said.of("prepare_workers")),
        parallel_voices=asked_number(parallel_voices, *said.of("parallel_voices")),
    )
    if machine is None:
        from app.machine.detect import detect
        from app.machine.remembered import remembered

        plan = make_plan(detect().machine, quality, asked, task=purpose, remembered=remembered())
    else:
        from app.machine.record import read_machine

        # What is remembered is about this computer.
        plan = make_plan(read_machine(machine), quality, asked, task=purpose)
    if as_json:
        typer.echo(json.dumps(plan_to_json(plan), ensure_ascii=False))
    else:
        print_plan(plan)


def _task(text: str) -> Task:
    for task in get_args(Task):
        if text == task:
            return task  # type: ignore[no-any-return]
    raise UsageError(f"--task is {text!r}", f"set it to {' or '.join(get_args(Task))}")
