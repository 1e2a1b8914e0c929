"""Speak many texts into many files. Existing files are skipped, and failures do not stop the other texts."""

import secrets
import tempfile
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Style
from voxmatrix.progress import OnProgress
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.batch.messages import Failure, failure_of
from voxmatrix.speak.batch.processes import FATAL_CODES
from voxmatrix.speak.captions import check_captions, write_captions
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import PLAIN
from voxmatrix.voices.cast import with_voices_of
from voxmatrix.work.estimate import estimated_seconds
from voxmatrix.work.executor import (
    Executor,
    UnitFailed,
    UnitProgress,
    UnitSpoken,
    WorkerJoined,
    WorkerLeft,
    Workers,
    WorkEvent,
)
from voxmatrix.work.job import carry_out
from voxmatrix.work.place import place
from voxmatrix.work.scheduler import Scheduler
from voxmatrix.work.unit import Unit, unit_of
from voxmatrix.work.worker_load import PendingUnit

#: None: skipped, because the file exists.
TextResult = Speech | Failure | None
#: The result of texts that an interruption prevented.
INTERRUPTED = Failure(
    problem="not spoken: interrupted",
    remedy="run the same command again to continue",
    exit_code=InterruptedRunError.exit_code,
)
#: A text fails after this many workers have died while speaking it.
DEATHS_PER_TEXT = 2
_TICK_SECONDS = 0.5
_SEED_BITS = 32


@dataclass(frozen=True, kw_only=True)
class BatchOutcome:
    """The outcome of a text."""

    item: Item
    out: Path | None  # None if the text cannot be read
    result: TextResult


@dataclass(frozen=True, kw_only=True)
class _Text:
    """A text that is spoken once, and its files, which are several if the batch has it several times."""

    unit: Unit
    files: list[tuple[int, Path]] = field(default_factory=list)  # with their places in the batch

    @property
    def characters(self) -> int:
        """Those of all its files."""
        return len(self.files) * len(self.unit.text)


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
        raise UsageError(f"`format` is {extension!r}", f"choose one of: {', '.join(formats())}")


def speak_batch(
    items: Sequence[Item],
    folder: Path,
    extension: str,
    voice: VoiceCard,
    style: Style,
    *,
    output: Output,
    workers: Workers,
    on_progress: OnProgress | None = None,
    captions: str = "",
) -> list[BatchOutcome]:
    """Speak every item into `folder`/NAME.`extension`, and return the outcomes in order.

    `captions` is the extension of those that are written beside each file: srt.

    Existing files are skipped unless `output.force` is set. Ctrl-C stops the workers; texts that were not spoken then
    have the exit code of an interrupted run. `on_progress` is told the characters that are spoken.

    Raises:
        UsageError: an extension is unknown, the bit rate does not suit it, or `folder` is a file.
    """
    _check(folder, extension, output.bitrate)
    if style.seed is None:
        style = replace(style, seed=secrets.randbits(_SEED_BITS))  # another one for each batch
    outs = [folder / f"{item.name}.{extension}" if item.name else None for item in items]
    results: dict[int, TextResult] = {}
    if captions:
        check_captions(folder / f"NAME.{captions}", force=True)
    texts: dict[str, _Text] = {}
    digest = voice.digest
    for index, (item, out) in enumerate(zip(items, outs, strict=True)):
        if failure := _unspeakable(item, out):
            results[index] = failure
        elif out is not None and out.is_file() and not output.force:
            results[index] = None
        elif out is not None:
            try:
                own = with_voices_of(_style_of(style, item), item.text, voice)
            except BadInputError as error:
                results[index] = failure_of(error)
            else:
                unit = replace(unit_of(item.text, digest, own, whole=False), captions=bool(captions))
                texts.setdefault(unit.key, _Text(unit=unit)).files.append((index, out))
    if texts:
        with (
            tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as incoming,
            suppress(KeyboardInterrupt),
            workers(Path(incoming), len(texts)) as executor,
        ):
            batch = _Batch(texts, executor, output=output, results=results, on_progress=on_progress, captions=captions)
            batch.run()
    return [
        BatchOutcome(item=item, out=out, result=results.get(index, INTERRUPTED))
        for index, (item, out) in enumerate(zip(items, outs, strict=True))
    ]


def _unspeakable(item: Item, out: Path | None) -> Failure | None:
    """Why a text cannot be spoken; None if it can."""
    if item.finding is not None:
        finding = item.finding
        return Failure(problem=finding.problem, remedy=finding.remedy, exit_code=BadInputError.exit_code)
    if out is not None and out.is_dir():
        remedy = "choose another folder, or remove it"
        return Failure(problem=f"{out} is a folder", remedy=remedy, exit_code=UsageError.exit_code)
    return None


def _style_of(style: Style, item: Item) -> Style:
    return style if style.speaker else replace(style, speaker=item.speaker)


def _check(folder: Path, extension: str, bitrate: str | None) -> None:
    check_extension(extension)
    if f".{extension}" not in PLAIN:
        from voxmatrix.audio.encode import check_format

        check_format(folder / f"speech.{extension}", bitrate)  # fail before anything is computed
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and a batch is written to a folder", "choose a folder, e.g. speech")


class _Batch:
    """The texts that are to be spoken, by the key of their unit."""

    def __init__(
        self,
        texts: dict[str, _Text],
        executor: Executor,
        *,
        output: Output,
        results: dict[int, TextResult],
        on_progress: OnProgress | None,
        captions: str,
    ) -> None:
        self._texts = texts  # that have no result yet
        self._units = {key: text.unit for key, text in texts.items()}
        self._executor = executor
        self._output = output
        self._results = results
        self._on_progress = on_progress
        self._captions = captions
        self._characters = sum(text.characters for text in texts.values())
        self._spoken: Counter[str] = Counter()  # characters
        self._events: deque[WorkEvent] = deque()  # that have not been handled completely
        self._scheduler = Scheduler(executor.overhead_seconds, ahead=False, attempts=DEATHS_PER_TEXT)
        # Longest first: a long text at the end would keep one worker busy while the others are idle.
        longest_first = sorted(self._units.values(), key=lambda unit: -len(unit.text))
        self._scheduler.add(PendingUnit(unit.key, estimated_seconds(unit.text)) for unit in longest_first)

    def run(self) -> None:
        """Speak all texts."""
        try:
            while self._texts:
                carry_out(self._scheduler.decide(time.monotonic()), self._executor, self._units)
                try:
                    self._events.extend(self._executor.results(_TICK_SECONDS))
                except VoxmatrixError as error:  # no worker is left
                    self._fail_all(failure_of(error))
                    return
                while self._events:
                    self._on_event(self._events[0], time.monotonic())
                    self._events.popleft()
        except KeyboardInterrupt:
            self._keep_finished()
            raise

    def _keep_finished(self) -> None:
        """Give what the workers have finished its place, also a file whose placing was interrupted."""
        with suppress(VoxmatrixError):
            self._events.extend(self._executor.last_results())
        for event in self._events:
            if isinstance(event, UnitSpoken) and event.key in self._texts and event.path.exists():
                self._set_result(event.key, self._written(event, self._texts[event.key]))

    def _on_event(self, event: WorkEvent, now: float) -> None:
        match event:
            case WorkerJoined(worker=worker, speed=speed, at_once=at_once):
                self._scheduler.joined(worker, now, speed, at_once)
            case WorkerLeft(worker=worker, failure=failure, possible_causes=keys):
                if failure is not None:
                    self._on_death(worker, keys, failure, now)
                self._scheduler.left(worker)
            case UnitProgress(key=key, characters=characters) if key in self._texts:
                self._progress(key, characters)
            case UnitSpoken():
                self._keep(event, now)
            case UnitFailed(worker=worker, key=key, failure=failure):
                if self._scheduler.failed(worker, key, now, final=True):
                    self._end(key, failure)

    def _on_death(self, worker: str, keys: Sequence[str], failure: Failure, now: float) -> None:
        """A worker has died. Of which of several texts is not known: each is spoken alone now."""
        for key in reversed(keys):
            if self._scheduler.failed(worker, key, now, confirmed=len(keys) == 1):
                self._end(key, replace(failure, problem=f"{DEATHS_PER_TEXT} times, {failure.problem}"))

    def _keep(self, event: UnitSpoken, now: float) -> None:
        """Give the finished file its place."""
        text = self._texts.get(event.key)
        if self._scheduler.delivered(event.worker, event.key, event.wall_seconds, now) and text is not None:
            self._end(event.key, self._written(event, text))
        event.path.unlink(missing_ok=True)

    def _written(self, event: UnitSpoken, text: _Text) -> TextResult:
        try:
            for _, out in text.files:
                if self._captions:
                    write_captions(out.with_suffix(f".{self._captions}"), event.captions)
                place(event.path, out, self._output)  # the last: what is there is skipped by the next command
        except (VoxmatrixError, OSError) as error:
            return failure_of(error)
        seconds = event.samples / event.rate_hz
        return Speech(sentences=event.sentences, seconds=seconds, rate_hz=event.rate_hz, findings=event.findings)

    def _end(self, key: str, result: TextResult) -> None:
        """A text has its result. Some failures all others would have as well."""
        self._set_result(key, result)
        if isinstance(result, Failure) and result.exit_code in FATAL_CODES:
            self._fail_all(replace(result, problem=f"not started, because {result.problem}"))

    def _fail_all(self, failure: Failure) -> None:
        for key in list(self._texts):
            self._set_result(key, failure)

    def _set_result(self, key: str, result: TextResult) -> None:
        if key in self._texts:
            self._progress(key, self._texts[key].characters)
            for index, _ in self._texts[key].files:
                self._results[index] = result
            del self._texts[key]

    def _progress(self, key: str, characters: int) -> None:
        """Count what was spoken of a text."""
        # A lexicon is applied before sentences are counted, and may have made them longer than the text.
        before = self._spoken.total()
        self._spoken[key] = min(self._texts[key].characters, self._spoken[key] + characters)
        if self._on_progress and self._spoken.total() > before:
            self._on_progress(self._spoken.total(), self._characters)
