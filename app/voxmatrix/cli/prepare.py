"""`voxmatrix prepare DATA`: check recordings, report every problem, fill the cache."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.tables.quality import quality

if TYPE_CHECKING:
    from voxmatrix.dataset.prepared import PreparedSet, PrepareSettings
    from voxmatrix.transcripts.problem import Problem

#: So many recordings are named of those that share a warning; --json and --report name all.
_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class PrepareOptions(options.RecordingOptions):
    """The options of this command."""

    report: Annotated[
        str, options.option("--report", "Write one self-contained HTML page with table and pictures.")
    ] = ""
    prepare_workers: options.ReadingWorkers = 0


@expand
def command(data: options.Data, given: PrepareOptions, as_json: options.AsJson = False) -> None:
    """Check recordings, report every problem, fill the cache."""
    settings, report = prepare_settings(given, given.prepare_workers), given.report
    try:
        prepared = prepare_with_progress(data, settings, quiet=as_json)
    except BadInputError as error:
        failed = getattr(error, "prepared", None)
        if failed is None:
            raise
        _write_report(failed, report)
        if as_json:
            typer.echo(json.dumps({**_summary(failed), "exit_code": error.exit_code, "problem": error.problem}))
            raise typer.Exit(error.exit_code) from error
        show(failed)
        raise
    _write_report(prepared, report)
    if as_json:
        typer.echo(json.dumps(_summary(prepared)))
    else:
        show(prepared)
        if report:
            typer.echo(f"report: {report}")


def prepare_settings(given: options.RecordingOptions, workers: int) -> "PrepareSettings":
    """The settings of a preparation; 0 workers and `auto` phonemes become what this machine has."""
    from voxmatrix.dataset.prepared import PrepareSettings
    from voxmatrix.machine.probes.limits import cpus

    return PrepareSettings(
        quality=quality(given.quality).name,
        language=given.language,
        phoneme_type=_phoneme_type(given.phonemes),
        cache=home() / "cache",
        workers=workers or min(cpus(), 16),
        max_seconds=given.max_seconds,
        profile=given.profile or None,
        prompt_list=given.prompt_list or None,
    )


def _phoneme_type(asked: str) -> str:
    """`auto` is espeak where espeak-ng is installed, else text with a notice: such voices are not interchangeable."""
    from voxmatrix.text.phonemes.espeak import espeak_version, outdated

    if asked not in ("espeak", "text", "auto"):
        raise UsageError(f"--phonemes is {asked!r}", "set it to espeak, text or auto")
    if asked == "text":
        return asked
    version = espeak_version()
    if version is None and asked == "auto":
        typer.echo("espeak-ng is not installed: the voice learns from letters (--phonemes text)", err=True)
        return "text"
    if version is not None and (finding := outdated(version)):
        warn(finding)
    return "espeak"


def prepare_with_progress(data: Path, settings: "PrepareSettings", quiet: bool) -> "PreparedSet":
    """Prepare, drawing progress on standard error.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM; what was checked until then stays in the cache.
    """
    from voxmatrix.dataset.prepare import prepare

    try:
        with progress("checking recordings", quiet) as on_progress:
            return prepare(data, settings, on_progress)
    except KeyboardInterrupt as error:
        raise InterruptedRunError(
            f"interrupted while recordings were checked; what is done is kept in {settings.cache}",
            "the same command goes on with the others",
        ) from error


def show(prepared: "PreparedSet") -> None:
    """Every recording that was left out, one a line; warnings by kind; then what remains."""
    left_out = [problem for problem in prepared.problems if problem.severity == "error"]
    for problem in left_out:
        place = f" ({problem.place})" if problem.place else ""
        typer.echo(f"left out: {problem.id}{place}: {problem.problem}\n  → {problem.remedy}")
    warnings: dict[str, list[Problem]] = {}
    for problem in prepared.problems:
        if problem.severity == "warning":
            warnings.setdefault(problem.kind, []).append(problem)
    for alike in warnings.values():
        named = ", ".join(problem.id for problem in alike[:_NAMED])
        more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
        typer.echo(f"used, but: {named}{more}: {alike[0].problem}\n  → {alike[0].remedy}")
    minutes, seconds = divmod(round(prepared.seconds), 60)
    speakers = f", {len(prepared.speakers)} speakers" if prepared.speakers else ""
    lost = len({problem.id for problem in left_out})
    typer.echo(f"{len(prepared.clips)} recordings ready ({minutes} min {seconds} s{speakers}), {lost} left out")


def _summary(prepared: "PreparedSet") -> dict[str, Any]:
    return {
        "clips": len(prepared.clips),
        "seconds": round(prepared.seconds, 3),
        "speakers": list(prepared.speakers),
        "quality": prepared.quality,
        "language": prepared.language,
        "phonemes": prepared.phoneme_type,
        "digest": prepared.digest,
        "problems": [
            {
                "id": problem.id,
                "kind": problem.kind,
                "severity": problem.severity,
                "problem": problem.problem,
                "remedy": problem.remedy,
                "path": problem.path,
                "place": problem.place,
            }
            for problem in prepared.problems
        ],
    }


def _write_report(prepared: "PreparedSet", report: str) -> None:
    if report:
        from voxmatrix.dataset.report import write_report

        write_report(prepared, Path(report))
