"""`voxmatrix speak --batch`: many texts, and the outcome of each."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.parameters.speak_flags import STANDARD, check_sound
from voxmatrix.cli.parameters.speak_options import SpeakTask
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import InterruptedRunError, UsageError
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.models.device import DeviceSelection, SpeakDevice
    from voxmatrix.speak.batch.messages import Failure
    from voxmatrix.work.batch import BatchOutcome

#: Texts listed per failure; --json lists all of them.
_NAMED = 5


def speak_batch(task: SpeakTask, source: str, batch: Path, select: "Callable[[], DeviceSelection]") -> None:
    """Speak a batch and show the outcomes in input order.

    Raises:
        UsageError: options exclude each other.
        typer.Exit: a text was not spoken; the exit code is that of the first failure.
    """
    from voxmatrix.cli.parameters.workers import cluster_workers, own_processes
    from voxmatrix.plan.overrides import override_number
    from voxmatrix.speak.batch.items import read_items
    from voxmatrix.speak.batch.telemetry import batch_telemetry
    from voxmatrix.work import batch as work_batch

    given, sources, style = task.options, task.sources, task.style
    captions = _checked_captions(task, source)
    forced = override_number(given.parallel_voices, *sources.of("parallel_voices"))
    if given.cluster:
        devices: Sequence[SpeakDevice] = ()
        workers = cluster_workers(task.voice, given)
    else:
        devices = select().devices
        seeded = style.seed is not None
        workers = own_processes(task.voice, style, devices, forced, threads=given.threads, reproducible=seeded)
    items = read_items(batch)
    with (
        batch_telemetry(devices, warn) as telemetry,
        progress("speak", "characters spoken", quiet=task.as_json, note=telemetry.load) as on_progress,
    ):

        def spoken(done: int, total: int) -> None:
            telemetry.check()
            on_progress(done, total)

        outcomes = work_batch.speak_batch(
            items,
            Path(given.out),
            task.extension,
            task.voice,
            style,
            output=task.output,
            workers=workers,
            on_progress=spoken,
            captions=captions,
        )
    failures = failures_of(outcomes)
    if task.as_json:
        print_json(to_json(given.out, outcomes))
    else:
        show(given.out, outcomes)
    if failures:
        raise typer.Exit(failures[0].exit_code)


def _checked_captions(task: SpeakTask, source: str) -> str:
    """The format of the captions, "" for none, of options that go together.

    Raises:
        UsageError: options exclude each other.
    """
    from voxmatrix.speak.captions import FORMATS

    given, sources = task.options, task.sources
    if source or given.text is not None or given.file is not None:
        raise UsageError("--batch was given together with one text", "remove --batch, or remove --text, --file and -")
    if not sources.is_set("out") or given.out == STANDARD:
        raise UsageError("--batch requires an output folder", "set one, e.g. --out speech")
    check_sound(sources, task.extension)
    captions = str(given.captions or "").removeprefix(".")
    if captions and captions not in FORMATS:
        raise UsageError(f"--captions is {captions}", f"choose for all texts one of: {', '.join(FORMATS)}")
    if captions and given.cluster:
        raise UsageError("the workers of a cluster make no captions", "omit --captions, or --cluster")
    return captions


def failures_of(outcomes: Sequence["BatchOutcome"]) -> list["Failure"]:
    """Failures in input order, but interruptions first: the rest of the batch depends on them."""
    from voxmatrix.speak.batch.messages import Failure

    found = [outcome.result for outcome in outcomes if isinstance(outcome.result, Failure)]
    return sorted(found, key=lambda failure: not _is_interrupted(failure))


def _is_interrupted(failure: "Failure") -> bool:
    return failure.exit_code == InterruptedRunError.exit_code


def to_json(folder: str, outcomes: Sequence["BatchOutcome"]) -> dict[str, Any]:
    """The batch as JSON: counts, every text in input order and, after failures, the keys of an error."""
    from voxmatrix.speak.output import Speech

    spoken = [outcome.result for outcome in outcomes if isinstance(outcome.result, Speech)]
    failures = failures_of(outcomes)
    interrupted = sum(map(_is_interrupted, failures))
    answer: dict[str, Any] = {
        "out": folder,
        "spoken": len(spoken),
        "skipped": sum(outcome.result is None for outcome in outcomes),
        "failed": len(failures) - interrupted,
        "interrupted": interrupted,
        "seconds": sum((speech.seconds for speech in spoken), 0.0),
        "items": [_item(outcome) for outcome in outcomes],
    }
    if failures:
        first = failures[0]
        answer |= {"problem": first.problem, "remedy": first.remedy, "exit_code": first.exit_code}
    return answer


def _item(outcome: "BatchOutcome") -> dict[str, Any]:
    from voxmatrix.speak.output import Speech

    result = outcome.result
    item = {"id": outcome.item.id, "out": None if outcome.out is None else str(outcome.out)}
    if isinstance(result, Speech):
        left_out = [finding.problem for finding in result.findings]
        return {**item, "seconds": result.seconds, "sentences": result.sentences, "left_out": left_out}
    if result is None:
        return {**item, "skipped": True}
    return {**item, "problem": result.problem, "remedy": result.remedy, "exit_code": result.exit_code}


def show(folder: str, outcomes: Sequence["BatchOutcome"]) -> None:
    """Print every file that was written, then failures with equal ones grouped, then a summary."""
    from voxmatrix.speak.batch.messages import Failure
    from voxmatrix.speak.output import Speech

    failed: dict[Failure, list[str]] = {}
    spoken, skipped = [], 0
    for outcome in outcomes:
        match outcome.result:
            case Speech() as speech:
                spoken.append(speech)
                echo(f"{outcome.out}: {speech.seconds:.1f} s of speech, {pluralise(speech.sentences, 'sentence')}")
                for finding in speech.findings:
                    print_problem(f"left out of {outcome.item.id}", finding.problem, finding.remedy)
            case Failure() as failure:
                failed.setdefault(failure, []).append(outcome.item.id)
            case None:
                skipped += 1
    for failure, ids in failed.items():
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        what = "interrupted" if _is_interrupted(failure) else "failed"
        print_problem(f"{what}: {', '.join(ids[:_NAMED])}{more}", failure.problem, failure.remedy)
    existing = f", {skipped} skipped because their files exist (--force overwrites them)" if skipped else ""
    lost = "".join(
        f", {number} {what}"
        for what, number in (
            ("failed", sum(len(ids) for failure, ids in failed.items() if not _is_interrupted(failure))),
            ("interrupted", sum(len(ids) for failure, ids in failed.items() if _is_interrupted(failure))),
        )
        if number
    )
    seconds = sum(speech.seconds for speech in spoken)
    echo(f"{folder}: {len(spoken)} of {len(outcomes)} texts spoken, {seconds:.1f} s{existing}{lost}")
