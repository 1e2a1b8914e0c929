"""`voxmatrix prepare DATA`: check recordings, report every problem and fill the cache."""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.terminal.messages import echo, print_json, print_problem, warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.files import check_not_folder
from voxmatrix.tables.quality import quality
from voxmatrix.tables.training import MIN_SECONDS, amount_of
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from voxmatrix.audio.waves import Samples
    from voxmatrix.dataset.listening import Listeners
    from voxmatrix.dataset.prepared import PreparedSet, PrepareSettings
    from voxmatrix.judge.hearing import Recogniser
    from voxmatrix.judge.likeness import SpeakerEncoder
    from voxmatrix.transcripts.lines import Problem

#: Recordings listed for the same reason; --json and --report list all of them.
_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class PrepareOptions(options.RecordingOptions):
    """The options of this command."""

    report: Annotated[str, options.option("--report", "FILE", "Write an HTML report.", parser=options.path)] = ""
    prepare_workers: options.ReadingWorkers = 0


@expand
def command(data: options.Data, given: PrepareOptions, as_json: options.AsJson = False) -> None:
    """Check recordings, report every problem and fill the cache."""
    settings, report = prepare_settings(given, given.prepare_workers), given.report
    if report:
        check_not_folder(Path(report))
    try:
        prepared = prepare_with_progress(data, settings, as_json=as_json, force=given.force, judge=given.judge)
    except BadInputError as error:
        failed = getattr(error, "prepared", None)
        if failed is None:
            raise
        _write_report(failed, report)
        if as_json:
            end = {"exit_code": error.exit_code, "problem": error.problem, "remedy": error.remedy}
            print_json({**_summary(failed), **end})
            raise typer.Exit(error.exit_code) from error
        raise
    _write_report(prepared, report)
    if as_json:
        print_json(_summary(prepared))
    else:
        show(prepared, data)
        if report:
            echo(f"report: {report}")


def prepare_settings(given: options.RecordingOptions, workers: int) -> "PrepareSettings":
    """The settings of a preparation. 0 and `auto` are replaced by automatic values."""
    from voxmatrix.dataset.prepared import MAX_SECONDS, PrepareSettings
    from voxmatrix.machine.probes.limits import cpus

    return PrepareSettings(
        quality=quality(given.quality).name,
        language=given.language.replace("_", "-"),  # en_US, as in the names of voices
        phoneme_type=_phoneme_type(given.phonemes),
        cache=home() / "cache",
        workers=workers or min(cpus(), 16),
        max_seconds=given.max_seconds or MAX_SECONDS,
        profile=given.profile or None,
        prompt_list=given.prompt_list or None,
        ears=given.ears,
    )


def _phoneme_type(value: str) -> str:
    """`auto` means espeak if espeak-ng is installed, else text with a message: the voices are not compatible."""
    from voxmatrix.text.phonemes.espeak import espeak_version, outdated

    if value not in ("espeak", "text", "auto"):
        raise UsageError(f"--phonemes is {value!r}", "set it to espeak, text or auto")
    if value == "text":
        return value
    version = espeak_version()
    if version is None and value == "auto":
        echo("espeak-ng is not installed: training on characters instead of phonemes (--phonemes text)", err=True)
        return "text"
    if version is not None and (finding := outdated(version)):
        warn(finding)
    return "espeak"


def prepare_with_progress(
    data: Path, settings: "PrepareSettings", *, as_json: bool, force: bool, quiet: bool = False, judge: str = ""
) -> "PreparedSet":
    """Prepare, with progress. `force` accepts less than a minute of speech; `judge` is the model that hears words.

    Raises:
        MissingProgramError: there is a `judge`, and faster-whisper is not installed.
        TooFewRecordingsError: too little is usable; unless `quiet` or `as_json`, all problems have been printed.
        InterruptedRunError: Ctrl-C or SIGTERM; the cache keeps what is done.
    """
    from voxmatrix.dataset.prepare import check_amount, prepare
    from voxmatrix.dataset.prepared import TooFewRecordingsError

    listeners = _listeners(settings, judge)
    try:
        with progress("prepare", "checking recordings", quiet, as_json=as_json) as on_progress:
            prepared = prepare(data, settings, on_progress, listeners)
        if not force:
            check_amount(data, prepared)
        return prepared
    except TooFewRecordingsError as error:
        if not (quiet or as_json):
            show(error.prepared, data)
        raise
    except KeyboardInterrupt as error:
        raise InterruptedRunError(
            f"interrupted while checking recordings; what is done is kept in {settings.cache}",
            "run the same command again to continue",
        ) from error


def _listeners(settings: "PrepareSettings", judge: str) -> "Listeners":
    """Who hears the words, if there is a `judge`, and tells speakers apart, if the package for that is installed."""
    from voxmatrix.dataset.listening import Listeners

    with_speakers = settings.ears and find_spec("resemblyzer") is not None
    likeness = _likeness if with_speakers else None
    return Listeners(recogniser=_recogniser(judge, settings.language) if judge else None, likeness=likeness)


def _recogniser(judge: str, language: str) -> "Recogniser":
    from voxmatrix.judge.hearing import Recogniser  # loads the tables of the language

    return Recogniser(judge, language)


def _likeness(samples: "Samples", rate_hz: int) -> "NDArray[np.float32]":
    """The voice of a clip. The network is loaded for the first one that is not known."""
    return _encoder().embedding(samples, rate_hz)


@cache
def _encoder() -> "SpeakerEncoder":
    from voxmatrix.judge.likeness import SpeakerEncoder

    return SpeakerEncoder()


def show(prepared: "PreparedSet", data: Path) -> None:
    """Print what is to be known of the recordings, and what to expect of a training with them."""
    show_recordings(prepared)
    amount, better = amount_of(prepared.seconds)
    echo(f"expect: {amount.expect}")
    if better is not None:
        echo(f"  → with {better.duration}: {better.expect}")
    if prepared.seconds >= MIN_SECONDS and not prepared.speakers:
        echo(f"without a GPU, a smaller voice in an evening: voxmatrix voices make {data} --out NAME")


def show_recordings(prepared: "PreparedSet") -> None:
    """Print recordings that were left out, one per line, then warnings by kind, and a summary."""
    left_out: dict[tuple[str, str], list[Problem]] = {}
    for problem in prepared.problems:
        if problem.severity == "error":
            left_out.setdefault((problem.kind, problem.remedy.replace(problem.id, "")), []).append(problem)
    for alike in left_out.values():
        for problem in alike[:_NAMED]:
            place = f" ({problem.place})" if problem.place else ""
            print_problem(f"left out: {problem.id}{place}", problem.problem, problem.remedy, err=False)
        if len(alike) > _NAMED:
            remedy = "`voxmatrix prepare` lists all of them with --json or --report FILE"
            print_problem("left out", f"{len(alike) - _NAMED} more for the same reason", remedy, err=False)
    _show_warnings(prepared)
    minutes, seconds = divmod(round(prepared.seconds), 60)
    speakers = f", {len(prepared.speakers)} speakers" if prepared.speakers else ""
    lost = len(prepared.left_out)
    ready = pluralise(len(prepared.clips), "recording")
    echo(f"{ready} ready ({minutes} min {seconds} s{speakers}), {lost} left out")


def _show_warnings(prepared: "PreparedSet") -> None:
    """Print what is wrong with used recordings: each once, and those with the same problem together."""
    by_kind: dict[str, dict[str, list[Problem]]] = {}
    for problem in prepared.problems:
        if problem.severity == "warning" and problem.recording not in prepared.left_out:
            by_kind.setdefault(problem.kind, {}).setdefault(problem.problem, []).append(problem)
    for by_problem in by_kind.values():
        groups = list(by_problem.values())
        for alike in groups[:_NAMED]:
            named = ", ".join(problem.id for problem in alike[:_NAMED])
            more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
            print_problem(f"used, but: {named}{more}", alike[0].problem, alike[0].remedy, err=False)
        if len(groups) > _NAMED:
            others = [problem.id for alike in groups[_NAMED:] for problem in alike]
            what = f"{', '.join(others[:_NAMED])}{', …' if len(others) > _NAMED else ''}, {len(others)} in all"
            remedy = "`voxmatrix prepare` lists all of them with --json or --report FILE"
            print_problem("used, but more of this kind", what, remedy, err=False)


def _summary(prepared: "PreparedSet") -> dict[str, Any]:
    from voxmatrix.dataset.charts import duration_histogram, pace_histogram

    amount, _ = amount_of(prepared.seconds)
    return {
        "clips": len(prepared.clips),
        "seconds": round(prepared.seconds, 3),
        "level": amount.name,
        "expect": amount.expect,
        "speakers": list(prepared.speakers),
        "quality": prepared.quality,
        "language": prepared.language,
        "phonemes": prepared.phoneme_type,
        "digest": prepared.digest,
        "durations": duration_histogram(prepared.measured).to_json(),
        "paces": pace_histogram(prepared.measured).to_json(),
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
