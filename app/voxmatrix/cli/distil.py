"""`voxmatrix distil TEACHER --out FAST.onnx`: a fast voice of Piper's from any voice that may teach, or recordings."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.parameters.synthesis import selected_devices
from voxmatrix.cli.parameters.workers import cluster_workers, own_processes
from voxmatrix.cli.prepare import prepare_settings, prepare_with_progress, show_recordings
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.config import bundled_folders
from voxmatrix.errors import Finding, UsageError, VoxmatrixError
from voxmatrix.files import check_not_folder

if TYPE_CHECKING:
    import torch

    from voxmatrix.distil.result import Distilled
    from voxmatrix.distil.session import Show
    from voxmatrix.distil.student.teacher import Teacher
    from voxmatrix.distil.texts import Texts
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.progress import Activity, OnProgress

#: Of the bundled voices, the student with whose weights others begin.
_START = "en_US-heart-student.onnx"
#: Steps between two evaluations of what is learned from recordings, until it is good.
_EVALUATE_EVERY = 250
_Voices = Annotated[
    list[Path],
    typer.Argument(
        metavar="VOICE...",
        help="Name, NAME.onnx, checkpoint or folder of a run, several: one voice of all. Or a folder of recordings.",
    ),
]
_Out = Annotated[Path, options.option("--out", "FILE", "NAME.onnx; NAME.onnx.json is written next to it.")]


@dataclass(frozen=True, kw_only=True)
class DistilOptions(options.DeviceOptions, options.ThreadOptions, options.ClusterOptions, options.ListeningOptions):
    """The options of this command."""

    text: Annotated[
        Path | None, options.option("--text", "FILE", "Sentences in the language of the voice (default: bundled ones).")
    ] = None
    minutes: Annotated[
        float,
        options.automatic(
            "--minutes", "N", "Learn for N minutes; of recordings, N at most (0: until it is good).", "Training", min=0
        ),
    ] = 0
    language: Annotated[str, options.option("--language", "TAG", "Of recordings, e.g. sv-SE or de (en-us).")] = ""
    steps: Annotated[int, options.automatic("--steps", "N", "Learn for N steps instead.", "Training", min=0)] = 0
    report: Annotated[
        Path | None, options.option("--report", "FILE", "Write an HTML page to compare both voices.", panel="Output")
    ] = None
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what an earlier command has learned.")] = False
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite --out, and write a fast voice that sounds different.")
    ] = False


def folders(parameters: Mapping[str, Any]) -> list[Path]:
    """The folders that the command writes to: of the voice, and of the report."""
    files = parameters["out"], parameters["report"]
    return [Path(file).parent for file in files if file is not None]


@expand
def command(
    context: typer.Context, voices: _Voices, out: _Out, given: DistilOptions, as_json: options.AsJson = False
) -> None:
    """Make a small, fast voice from any voice, or from recordings; one of Piper's keeps its words, rhythm and pitch."""
    from voxmatrix.distil.result import GatesError

    for path in filter(None, (out, given.report)):
        check_not_folder(path)
    try:
        distilled = _make(context, voices, out, given, as_json=as_json)
    except GatesError as error:
        try:
            write_page(error.distilled, given.report)
        except VoxmatrixError as unwritten:
            warn(Finding(problem=unwritten.problem, remedy=unwritten.remedy, severity="warning"))
        raise
    if as_json:
        print_json(distilled.to_json())
    else:
        show_result(distilled, voices[0])
    if finding := distilled.warning():
        warn(finding)
    write_page(distilled, given.report)


def _make(context: typer.Context, voices: list[Path], out: Path, given: DistilOptions, *, as_json: bool) -> "Distilled":
    """The way that suits what is given: recordings, a Piper voice, or any other voices."""
    from voxmatrix.voices.families import families
    from voxmatrix.voices.resolve import locate

    show = partial(show_progress, as_json=as_json)
    if len(voices) == 1 and voices[0].is_dir() and not any(family.owns(voices[0]) for family in families()):
        return _teach_recorded(voices[0], out, given, show, as_json=as_json)
    if given.language:
        raise UsageError("--language is for recordings; a voice has its own", "omit --language")
    located = [locate(voice) for voice in voices]
    originals = [original for _, original in located]
    if out.resolve() in [original.resolve() for original in originals]:
        raise UsageError(
            f"--out {out} is the voice itself, which would be lost", "choose another name for the fast voice"
        )
    if len(located) == 1 and located[0][0].trainable:
        return _distil(context, originals[0], out, given, show)
    return _teach(context, originals, out, given, show, as_json=as_json)


def _distil(context: typer.Context, voice: Path, out: Path, given: DistilOptions, show: "Show") -> "Distilled":
    """Another decoder behind the networks of a Piper voice."""
    if given.cluster:
        raise UsageError(
            "the workers of a cluster do not deliver what the networks of a Piper voice compute, which is learned from",
            "omit --cluster",
        )
    from voxmatrix.distil.decoder.run import DistilSettings, distil
    from voxmatrix.distil.trainer import Limits
    from voxmatrix.machine.probes.limits import cpus

    device, preflight = _device(context), context.obj
    settings = DistilSettings(
        voice=voice,
        out=out,
        text=given.text,
        limits=Limits(steps=given.steps, minutes=given.minutes),
        threads=given.threads or cpus(),
        device=device,
        bf16=preflight is not None and _computes_bf16(preflight),
        force=given.force,
        fresh=given.fresh,
    )
    return distil(settings, show)


def _teach(
    context: typer.Context, voices: list[Path], out: Path, given: DistilOptions, show: "Show", *, as_json: bool
) -> "Distilled":
    """A student of what other voices say: on the device, or over a cluster."""
    from voxmatrix.distil.student.teacher import STYLE, VoiceTeacher
    from voxmatrix.voices.resolve import resolve

    cards, preflight = list(map(resolve, voices)), context.obj
    if given.cluster:
        workers = cluster_workers(cards[0], given)
    else:
        request = requested_device(ParameterSources(context), given.device, given.gpu, given.use_gpu)
        devices = selected_devices(cards[0], request, preflight).devices
        workers = own_processes(cards[0], STYLE, devices, None, threads=given.threads)
    return learn(VoiceTeacher(cards, workers), None, out, given, show, as_json=as_json)


def _teach_recorded(data: Path, out: Path, given: DistilOptions, show: "Show", *, as_json: bool) -> "Distilled":
    """A student of somebody's recordings."""
    from voxmatrix.distil.student.recordings import RecordedTeacher

    for option, value in (("--text", given.text), ("--cluster", given.cluster)):
        if value:
            raise UsageError(f"{option} is for voices, and {data} has recordings", f"omit {option}")
    recordings = options.RecordingOptions(language=given.language or "en-us", ears=given.ears)
    prepared = prepare_with_progress(
        data, prepare_settings(recordings, 0), as_json=as_json, force=given.force, judge=given.judge
    )
    if not as_json:
        show_recordings(prepared)
    teacher = RecordedTeacher(data.resolve().name, prepared)
    return learn(teacher, teacher.texts, out, given, show, as_json=as_json)


def learn(
    teacher: "Teacher", texts: "Texts | None", out: Path, given: DistilOptions, show: "Show", *, as_json: bool
) -> "Distilled":
    """A student, on the CPU. What is to be known on the way is told on standard error; its curve, to programs only."""
    from voxmatrix.distil.student.lesson import GOOD_MEL_DISTANCE
    from voxmatrix.distil.student.run import TeachSettings, teach
    from voxmatrix.distil.trainer import Limits
    from voxmatrix.machine.probes.limits import cpus
    from voxmatrix.machine.probes.system import read_cpu_bf16

    limits = Limits(steps=given.steps, minutes=given.minutes)
    if teacher.is_person:
        limits = replace(limits, good=GOOD_MEL_DISTANCE, evaluate_every=_EVALUATE_EVERY)
    settings = TeachSettings(
        teacher=teacher,
        out=out,
        text=given.text,
        texts=texts,
        start=next((path for folder in bundled_folders() if (path := folder / _START).is_file()), None),
        limits=limits,
        threads=given.threads or cpus(),
        bf16=bool(read_cpu_bf16()),
        force=given.force,
        fresh=given.fresh,
    )
    return teach(settings, show, partial(echo, err=True), _print_evaluation if as_json else None)


def _print_evaluation(step: int, mel_distance: float, in_tune: float) -> None:
    metrics = {"step": step, "validation_mel": round(mel_distance, 6), "in_tune": round(in_tune, 4)}
    print_json({"metrics": metrics})


def show_result(distilled: "Distilled", voice: Path) -> None:
    """Print which conditions hold, and how to speak with the voice."""
    for gate in distilled.gates:
        echo(f"{'✓' if gate.ok else '✗'} {gate.name}: {gate.value:.6g} ({gate.wanted})")
    if distilled.times_as_fast is not None:
        echo(f"{distilled.out} speaks {distilled.times_as_fast:.1f} times as fast as {voice}")
    echo(f'  → voxmatrix speak --voice {distilled.out} --text "Hello" --out hello.wav')


def show_progress(
    activity: "Activity", title: str, note: Callable[[], str], begun: int, *, as_json: bool
) -> "AbstractContextManager[OnProgress]":
    """A progress bar, as learning wants it."""
    return progress(activity, title, note=note, as_json=as_json, begun=begun)


def _device(context: typer.Context) -> "torch.device":
    import torch

    from voxmatrix.compute.device import prepare_environment, set_tf32, torch_device

    preflight = context.obj
    if preflight is None:
        return torch.device("cpu")
    prepare_environment()
    set_tf32(False)  # spectra are sums of loud and quiet waves
    return torch_device(preflight.selected.gpu, preflight.machine)


def _computes_bf16(preflight: "Preflight") -> bool:
    from voxmatrix.plan.precision import choose_precision

    gpu = preflight.selected.gpu
    return bool(preflight.machine.cpu_bf16) if gpu is None else choose_precision(gpu, None).value == "bf16"


def write_page(distilled: "Distilled", path: Path | None) -> None:
    """Write the page to compare both voices, if it is wanted."""
    if path is None:
        return
    from voxmatrix.distil.report import report_page
    from voxmatrix.files import write_text

    write_text(path, report_page(distilled))
    echo(f"report: {path}", err=True)
