"""Speak many texts into many files. Existing files are skipped, and failures do not stop the other texts."""

import hashlib
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.piper.files import find_voice
from voxmatrix.progress import OnProgress
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.batch.messages import Failure, Opening, SpeakJob, WorkerStart
from voxmatrix.speak.batch.pool import WorkerPool
from voxmatrix.speak.batch.worker import opened_voice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import PLAIN

#: None: skipped, because the file exists.
TextResult = Speech | Failure | None
#: The result of texts that an interruption prevented.
INTERRUPTED = Failure(
    problem="not spoken: interrupted",
    remedy="run the same command again to continue",
    exit_code=InterruptedRunError.exit_code,
)
_SEED_BYTES = 4  # onnxruntime uses no more


@dataclass(frozen=True, kw_only=True)
class BatchOutcome:
    """The outcome of a text."""

    item: Item
    out: Path | None  # None if the text cannot be read
    result: TextResult


def formats() -> tuple[str, ...]:
    """The extensions that files of a batch can have, without the dot."""
    from voxmatrix.audio.encode import FORMATS

    return tuple(dict.fromkeys([*(extension.removeprefix(".") for extension in PLAIN), *FORMATS]))


def check_extension(extension: str) -> None:
    """Check that files of a batch can have this extension.

    Raises:
        UsageError: it is unknown.
    """
    if extension not in formats():
        raise UsageError(f"--format is {extension!r}", f"choose one of: {', '.join(formats())}")


def speak_batch(
    items: Sequence[Item],
    folder: Path,
    extension: str,
    voice: Path,
    settings: SpeakSettings,
    *,
    workers: int,
    devices: Sequence[SpeakDevice] = (CPU,),
    on_progress: OnProgress | None = None,
    warn: Warn = python_warning,
    opening: Opening = opened_voice,
) -> list[BatchOutcome]:
    """Speak every item into `folder`/NAME.`extension` in parallel processes, and return the outcomes in order.

    Existing files are skipped unless `settings.force` is set. Ctrl-C stops the workers; texts that were not spoken
    then have the exit code of an interrupted run.

    Raises:
        UsageError: the extension is unknown, the bit rate does not suit it, or `folder` is a file.
        BadInputError: there is no such voice.
    """
    _check(folder, extension, settings.bitrate)
    voice = find_voice(voice)
    outs = [folder / f"{item.name}.{extension}" if item.name else None for item in items]
    jobs, results = _planned(items, outs, settings)
    count = max(1, min(workers, len(jobs)))
    shared = replace(settings, threads=settings.threads or threads_per_worker(voice, settings.seed, count))
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as scratch:
        starts = [
            WorkerStart(voice=voice, settings=shared, scratch=Path(scratch), opening=opening, device=device)
            for device in islice(cycle(devices), count)
        ]
        results |= _run(jobs, starts, on_progress, warn)
    return [
        BatchOutcome(
            item=item, out=out, result=results[index] if index in results else _unreported(out, settings.force)
        )
        for index, (item, out) in enumerate(zip(items, outs, strict=True))
    ]


def settings_of(settings: SpeakSettings, index: int, speaker: str | None) -> SpeakSettings:
    """The settings of one text: its own speaker unless `settings` has one, and its own seed.

    Seeds of neighbouring texts are far apart, because every sentence of a text uses the next integer.
    """
    seed = settings.seed
    if seed is not None:
        seed = int.from_bytes(hashlib.sha256(f"{seed} {index}".encode()).digest()[:_SEED_BYTES])
    return replace(settings, seed=seed, speaker=settings.speaker or speaker)


def _check(folder: Path, extension: str, bitrate: str | None) -> None:
    check_extension(extension)
    if f".{extension}" not in PLAIN:
        from voxmatrix.audio.encode import check_format

        check_format(folder / f"speech.{extension}", bitrate)  # fail before anything is computed
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and --batch requires a folder", "set a folder, e.g. --out speech")


def threads_per_worker(voice: Path, seed: int | None, workers: int) -> int:
    """CPU threads per worker: one for a seed in torch, whose sums depend on the number of threads."""
    return 1 if seed is not None and voice.suffix != ".onnx" else max(1, cpus() // workers)


def _planned(
    items: Sequence[Item], outs: Sequence[Path | None], settings: SpeakSettings
) -> tuple[list[SpeakJob], dict[int, TextResult]]:
    """The texts to speak, and the results that are known already, by index in the batch."""
    jobs: list[SpeakJob] = []
    results: dict[int, TextResult] = {}
    for index, (item, out) in enumerate(zip(items, outs, strict=True)):
        if item.finding is not None:
            results[index] = Failure(
                problem=item.finding.problem, remedy=item.finding.remedy, exit_code=BadInputError.exit_code
            )
        elif out is not None and out.is_dir():
            remedy = "choose another --out, or remove it"
            results[index] = Failure(problem=f"{out} is a folder", remedy=remedy, exit_code=UsageError.exit_code)
        elif out is not None and out.is_file() and not settings.force:
            results[index] = None
        elif out is not None:
            jobs.append(
                SpeakJob(index=index, text=item.text, out=out, settings=settings_of(settings, index, item.speaker))
            )
    return jobs, results


def _run(
    jobs: Sequence[SpeakJob], starts: Sequence[WorkerStart], on_progress: OnProgress | None, warn: Warn
) -> dict[int, TextResult]:
    """The results of the jobs by index in the batch, except those that an interruption prevented."""
    results: dict[int, TextResult] = {}
    progress = _Progress(jobs, on_progress)

    def on_result(job: SpeakJob, result: Speech | Failure) -> None:
        results[job.index] = result
        progress.finish(job)

    with suppress(KeyboardInterrupt):
        WorkerPool(starts, jobs, on_result, progress.add, warn).run()
    return results


def _unreported(out: Path | None, force: bool) -> TextResult:
    """The result of a text whose worker was stopped, possibly after it had written the file."""
    return None if out is not None and out.is_file() and not force else INTERRUPTED


class _Progress:
    """Characters spoken, counted sentence by sentence."""

    def __init__(self, jobs: Sequence[SpeakJob], on_progress: OnProgress | None) -> None:
        self._done = {job.index: 0 for job in jobs}
        self._sum = 0
        self._total = sum(len(job.text) for job in jobs)
        self._on_progress = on_progress

    def add(self, job: SpeakJob, count: int) -> None:
        """Add `count` characters of this text."""
        # A lexicon is applied before sentences are counted, and may have made them longer than the text.
        self._set(job, min(len(job.text), self._done[job.index] + count))

    def finish(self, job: SpeakJob) -> None:
        """Count the text as done, whatever its result."""
        self._set(job, len(job.text))

    def _set(self, job: SpeakJob, count: int) -> None:
        if count == self._done[job.index]:
            return
        self._sum += count - self._done[job.index]
        self._done[job.index] = count
        if self._on_progress:
            self._on_progress(self._sum, self._total)
