"""Speak many texts into many files. Existing files are skipped, and failures do not stop the other texts."""

import secrets
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError, VoxmatrixError
from voxmatrix.files import replacing
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Style
from voxmatrix.progress import OnProgress
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.batch.messages import Failure, failure_of
from voxmatrix.speak.batch.processes import FATAL_CODES
from voxmatrix.speak.captions import check_captions, write_captions
from voxmatrix.speak.output import Speech
from voxmatrix.speak.wav import HEADER_BYTES, PLAIN
from voxmatrix.voices.cast import with_voices_of
from voxmatrix.work.executor import (
    Executor,
    UnitFailed,
    UnitProgress,
    UnitSpoken,
    WorkerJoined,
    WorkerLeft,
    Workers,
)
from voxmatrix.work.unit import Unit, unit_of

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
    batch = _Batch(output, results, on_progress, captions)
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
                unit = unit_of(item.text, digest, own, whole=False)
                batch.add(index, out, replace(unit, captions=bool(captions)))
    if batch.waiting:
        with (
            tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as incoming,
            suppress(KeyboardInterrupt),
            workers(Path(incoming), len(batch.waiting)) as executor,
        ):
            batch.run(executor)
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
    """The texts that are to be spoken, by the key of their unit: equal ones are spoken once."""

    def __init__(
        self, output: Output, results: dict[int, TextResult], on_progress: OnProgress | None, captions: str
    ) -> None:
        self.waiting: deque[Unit] = deque()
        self._captions = captions
        self._output = output
        self._results = results
        self._on_progress = on_progress
        self._files: dict[str, list[tuple[int, Path]]] = {}
        self._held: dict[str, dict[str, Unit]] = {}  # by worker and key
        self._at_once: dict[str, int] = {}
        self._suspects: set[str] = set()  # keys of those that were spoken when a worker died
        self._deaths: Counter[str] = Counter()
        self._spoken: Counter[str] = Counter()  # characters
        self._lengths: dict[str, int] = {}

    def add(self, index: int, out: Path, unit: Unit) -> None:
        """Another text of the batch."""
        if unit.key not in self._files:
            self.waiting.append(unit)
        self._files.setdefault(unit.key, []).append((index, out))
        self._lengths[unit.key] = len(self._files[unit.key]) * len(unit.text)

    def run(self, executor: Executor) -> None:
        """Speak all texts."""
        # Longest first: a long text at the end would keep one worker busy while the others are idle.
        self.waiting = deque(sorted(self.waiting, key=lambda unit: -len(unit.text)))
        try:
            while self._files:
                try:
                    events = executor.results(_TICK_SECONDS)
                except VoxmatrixError as error:  # no worker is left
                    self._fail_all(failure_of(error))
                    return
                for event in events:
                    self._on_event(event, executor)
        except KeyboardInterrupt:
            for event in executor.results(0.0):  # what is written already
                if isinstance(event, UnitSpoken):
                    self._keep(event)
            raise

    def _on_event(self, event: object, executor: Executor) -> None:
        match event:
            case WorkerJoined(worker=worker, at_once=at_once):
                self._take_back(worker, None)
                self._at_once[worker] = at_once
                self._give(worker, executor)
            case WorkerLeft(worker=worker, failure=failure):
                self._take_back(worker, failure)
            case UnitProgress(key=key, characters=characters):
                self._progress(key, characters)
            case UnitSpoken(worker=worker, key=key):
                self._held.get(worker, {}).pop(key, None)
                self._keep(event)
                self._give(worker, executor)
            case UnitFailed(worker=worker, key=key, failure=failure):
                self._held.get(worker, {}).pop(key, None)
                self._end(key, failure)
                self._give(worker, executor)

    def _give(self, worker: str, executor: Executor) -> None:
        """Give a worker its next texts, if there are any. It has only those that it speaks: texts may be long."""
        held = self._held.setdefault(worker, {})
        units: list[Unit] = []
        while self.waiting and len(held) < self._at_once[worker]:
            if held and not self._suspects.isdisjoint({self.waiting[0].key, *held}):
                break  # one that may have killed a worker is spoken alone
            units.append(self.waiting.popleft())
            held[units[-1].key] = units[-1]
        if units:
            executor.submit(worker, units)

    def _take_back(self, worker: str, failure: Failure | None) -> None:
        """What a worker had goes to another one, except a text that has killed several."""
        units = [unit for unit in self._held.pop(worker, {}).values() if unit.key in self._files]
        for unit in reversed(units):
            if failure is not None:
                self._suspects.add(unit.key)
                self._deaths[unit.key] += len(units) == 1
            if failure is not None and self._deaths[unit.key] >= DEATHS_PER_TEXT:
                self._end(unit.key, replace(failure, problem=f"{DEATHS_PER_TEXT} times, {failure.problem}"))
            else:
                self.waiting.appendleft(unit)

    def _keep(self, event: UnitSpoken) -> None:
        """Give the finished file its place."""
        seconds = event.samples / event.rate_hz
        result: TextResult = Speech(
            sentences=event.sentences, seconds=seconds, rate_hz=event.rate_hz, findings=event.findings
        )
        try:
            for _, out in self._files.get(event.key, ()):
                if self._captions:
                    write_captions(out.with_suffix(f".{self._captions}"), event.captions)
                _place(event.path, out, self._output)  # the last: what is there is skipped by the next command
        except (VoxmatrixError, OSError) as error:
            result = failure_of(error)
        event.path.unlink(missing_ok=True)
        self._end(event.key, result)

    def _end(self, key: str, result: TextResult) -> None:
        """A text has its result. Some failures all others would have as well."""
        for index, _ in self._files.pop(key, ()):
            self._results[index] = result
        self._progress(key, self._lengths[key])
        if isinstance(result, Failure) and result.exit_code in FATAL_CODES:
            self._fail_all(replace(result, problem=f"not started, because {result.problem}"))

    def _fail_all(self, failure: Failure) -> None:
        self.waiting.clear()
        files, self._files = self._files, {}
        for key, copies in files.items():
            for index, _ in copies:
                self._results[index] = failure
            self._progress(key, self._lengths[key])

    def _progress(self, key: str, characters: int) -> None:
        # A lexicon is applied before sentences are counted, and may have made them longer than the text.
        before = self._spoken.total()
        self._spoken[key] = min(self._lengths[key], self._spoken[key] + characters)
        if self._on_progress and self._spoken.total() > before:
            self._on_progress(self._spoken.total(), sum(self._lengths.values()))


def _place(wav: Path, out: Path, output: Output) -> None:
    """Copy or encode a finished file.

    Raises:
        UnreachableError: the disk is full, or `out` cannot be written.
    """
    extension = out.suffix.lower()
    if extension in PLAIN:
        with replacing(out) as file, wav.open("rb") as opened:
            opened.seek(HEADER_BYTES if output.raw or PLAIN[extension] else 0)
            shutil.copyfileobj(opened, file)
    else:
        from voxmatrix.audio.encode import encode

        encode(wav, out, bitrate=output.bitrate, force=True)
