"""Many texts to many files: what is there already is skipped, what fails is named, all others are written."""

import hashlib
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.progress import OnProgress
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.batch.messages import Failure, Opening, SpeakJob, WorkerStart
from voxmatrix.speak.batch.pool import WorkerPool
from voxmatrix.speak.batch.worker import opened_voice
from voxmatrix.speak.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.output import PLAIN, Speech
from voxmatrix.speak.voice_files import find_voice

#: None: the file was there already.
TextResult = Speech | Failure | None
#: Of texts that were not spoken because somebody asked to stop.
INTERRUPTED = Failure(
    problem="not spoken: interrupted",
    remedy="the same command goes on with what is missing",
    exit_code=InterruptedRunError.exit_code,
)
_SEED_BYTES = 4  # onnxruntime looks at no more


@dataclass(frozen=True, kw_only=True)
class BatchOutcome:
    """What became of one text."""

    item: Item
    out: Path | None  # None where a text cannot even be read
    result: TextResult


def formats() -> tuple[str, ...]:
    """Every ending that files of a batch may have, without the dot."""
    from voxmatrix.audio.encode import FORMATS

    return tuple(dict.fromkeys([*(ending.removeprefix(".") for ending in PLAIN), *FORMATS]))


def speak_batch(
    items: Sequence[Item],
    folder: Path,
    ending: str,
    voice: Path,
    settings: SpeakSettings,
    *,
    workers: int,
    devices: Sequence[SpeakDevice] = (CPU,),
    on_progress: OnProgress | None = None,
    warn: Warn = python_warning,
    opening: Opening = opened_voice,
) -> list[BatchOutcome]:
    """Speak every item into `folder`/NAME.`ending`, by so many processes side by side; outcomes in their order.

    Files that are there are skipped, unless `settings.force`. Ctrl-C ends the workers; texts
    that were not spoken have the exit code of an interrupted run.

    Raises:
        UsageError: the ending is unknown or does not go with the bit rate, or `folder` is a file.
        BadInputError: there is no such voice.
    """
    _check(folder, ending, settings.bitrate)
    found = find_voice(voice)
    outs = [folder / f"{item.name}.{ending}" if item.name else None for item in items]
    jobs, results = _planned(items, outs, settings)
    count = max(1, min(workers, len(jobs)))
    shared = replace(settings, threads=settings.threads or _threads(found, settings.seed, count))
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as scratch:
        starts = [
            WorkerStart(voice=found, settings=shared, scratch=Path(scratch), opening=opening, device=device)
            for device in islice(cycle(devices), count)
        ]
        results |= _run(jobs, starts, on_progress, warn)
    return [
        BatchOutcome(item=item, out=out, result=results[index] if index in results else _unheard(out, settings.force))
        for index, (item, out) in enumerate(zip(items, outs, strict=True))
    ]


def settings_of(settings: SpeakSettings, index: int, speaker: str | None) -> SpeakSettings:
    """How one text is spoken: by its own speaker when none was asked for, and with a seed of its own.

    Seeds of neighbours are far apart: each sentence of a text takes the next number.
    """
    seed = settings.seed
    if seed is not None:
        seed = int.from_bytes(hashlib.sha256(f"{seed} {index}".encode()).digest()[:_SEED_BYTES])
    return replace(settings, seed=seed, speaker=settings.speaker or speaker)


def _check(folder: Path, ending: str, bitrate: str | None) -> None:
    if ending not in formats():
        raise UsageError(f"--format is {ending!r}", f"choose one of: {', '.join(formats())}")
    if f".{ending}" not in PLAIN:
        from voxmatrix.audio.encode import check_format

        check_format(folder / f"speech.{ending}", bitrate)  # before an hour of speech is computed for nothing
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and a batch is many", "name a folder with --out, e.g. --out speech")


def _threads(voice: Path, seed: int | None, workers: int) -> int:
    """CPU threads of each worker. torch adds up in another order with more, and a seed promises the same sound."""
    return 1 if seed is not None and voice.suffix != ".onnx" else max(1, cpus() // workers)


def _planned(
    items: Sequence[Item], outs: Sequence[Path | None], settings: SpeakSettings
) -> tuple[list[SpeakJob], dict[int, TextResult]]:
    """What is to be spoken, and by place in the batch what is known already."""
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
    """Results of the jobs by their place in the batch; those that an interruption kept back are missing."""
    results: dict[int, TextResult] = {}
    letters = _Letters(jobs, on_progress)

    def ended(job: SpeakJob, result: Speech | Failure) -> None:
        results[job.index] = result
        letters.finish(job)

    with suppress(KeyboardInterrupt):
        WorkerPool(starts, jobs, ended, letters.add, warn).run()
    return results


def _unheard(out: Path | None, force: bool) -> TextResult:
    """Of a text whose worker was ended: it may have put the file in its place and not have said so."""
    return None if out is not None and out.is_file() and not force else INTERRUPTED


class _Letters:
    """How many letters are done, counted sentence by sentence."""

    def __init__(self, jobs: Sequence[SpeakJob], on_progress: OnProgress | None) -> None:
        self._done = {job.index: 0 for job in jobs}
        self._sum = 0
        self._total = sum(len(job.text) for job in jobs)
        self._on_progress = on_progress

    def add(self, job: SpeakJob, count: int) -> None:
        """So many more of this text."""
        # Sentences are counted as they are spoken: with numbers in words they can be longer than the text.
        self._set(job, min(len(job.text), self._done[job.index] + count))

    def finish(self, job: SpeakJob) -> None:
        """All of it, whatever became of it."""
        self._set(job, len(job.text))

    def _set(self, job: SpeakJob, count: int) -> None:
        if count == self._done[job.index]:
            return
        self._sum += count - self._done[job.index]
        self._done[job.index] = count
        if self._on_progress:
            self._on_progress(self._sum, self._total)
