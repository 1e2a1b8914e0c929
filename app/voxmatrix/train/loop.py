"""The training loop: take steps, and regularly report, validate, speak a sample and save. Counts optimiser steps."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.tables.quality import HOP
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.duration import steps_left
from voxmatrix.train.interval import CHECKPOINT_EVERY, VALIDATE_EVERY, Interval
from voxmatrix.train.monitor.metrics import Meter, Metrics, TensorBoard
from voxmatrix.train.monitor.progress import Progress, StepReport, Validation
from voxmatrix.train.monitor.samples import SampleSpeaker
from voxmatrix.train.monitor.telemetry import Telemetry, make_telemetry
from voxmatrix.train.monitor.validation import validation_batches, validation_mel
from voxmatrix.train.monitor.words import WordCheck, heard_clips
from voxmatrix.train.run import Run
from voxmatrix.train.step.stepper import Stepper, epochs_limit
from voxmatrix.train.stop import StopRequest
from voxmatrix.wording import pluralise

#: Step of the first validation, the baseline for later ones; before it, the weights are still nearly random.
FIRST_VALIDATION = 10
#: Validations without a better one after which it is told, if they do not end the training.
TOLD_AFTER = 10


@dataclass(kw_only=True)
class Loop:
    """A run in progress."""

    run: Run
    progress: Progress
    stop: StopRequest
    stepper: Stepper
    metrics: Metrics
    board: TensorBoard
    telemetry: Telemetry
    sampler: SampleSpeaker
    validation: list[Batch]
    total_steps: int
    validations: Interval
    checkpoints: Interval
    words: WordCheck | None
    hearings: Interval
    meter: Meter = field(default_factory=Meter)
    losses: dict[str, float] = field(default_factory=dict)
    saved_step: int = -1
    validated_step: int = -1
    saved_at: float = field(default_factory=time.monotonic)

    def train(self) -> None:
        """Train until the requested steps or epochs are done, or a stop is requested.

        Raises:
            InterruptedRunError: a stop was requested; the run is saved, and the message names the file.
        """
        position = self.run.state.position
        if self.stepper.finished():
            return
        if self.stepper.has_stalled():
            self.progress.warned(f"{self.stalled()}: a larger `patience` goes on")
            return
        self.stepper.set_rate()
        first = position.step + 1
        for plan, batches in self.run.loader.steps_from(position.epoch, position.index):
            losses = self.stepper.take(plan, batches)
            self.meter.add(losses, sum(batch.whole_size.n_frames for batch in batches) * HOP)
            if self.stepper.finished():
                break
            self.after_step()
            if position.step == first:  # it starts the data loader and is not representative of the others
                self.meter.restart_clock()
            elif self.progress.due():
                self.show()
            stalled = self.stepper.has_stalled()
            if self.run.distributed.any(stalled or self.stop.requested):
                if not stalled:
                    raise self.interrupted()
                self.progress.warned(f"{self.stalled()}: this ends the training, as `patience` says")
                break
        self.finish()

    def stalled(self) -> str:
        """Since when the voice has not become better, in words."""
        position = self.run.state.position
        count = pluralise(position.since_best, "validation")
        return f"no better since step {position.best_step}, of which best.ckpt is, in {count}"

    def after_step(self) -> None:
        """Report, validate and save if due."""
        settings, step = self.run.settings, self.run.state.position.step
        if step % settings.log_every == 0:
            self.report()
        if step == FIRST_VALIDATION or self.validations.is_due(step):
            with self.validations.timed():
                self.validate()
        if self.checkpoints.is_due(step):
            with self.checkpoints.timed():
                self.save(keep=True)
        elif time.monotonic() - self.saved_at > settings.save_minutes * 60:
            self.save()

    def report(self) -> None:
        """Report and record losses and speed since the last report."""
        losses = self.meter.losses()
        if not losses:
            return
        self.check_finite(losses)
        self.losses = losses
        reading = self.telemetry.report(self.run.state.position.step, self.meter.steps_per_second())
        report = self._step_report(losses, reading)
        self.meter.reset()
        self.progress.reported(report)
        self.record(
            {
                "epoch": report.epoch,
                "learning_rate": report.learning_rate,
                **losses,
                "steps_per_second": report.steps_per_second,
                "audio_seconds_per_second": report.audio_seconds_per_second,
            }
        )

    def show(self) -> None:
        """Show losses and speed so far, between two reports."""
        if losses := self.meter.losses():
            self.progress.reported(self._step_report(losses, self.telemetry.latest()))

    def _step_report(self, losses: Mapping[str, float], reading: Reading | None) -> StepReport:
        state, position, speed = self.run.state, self.run.state.position, self.meter.steps_per_second()
        return StepReport(
            step=position.step,
            epoch=position.epoch,
            losses=losses,
            learning_rate=state.optimisers.generator.param_groups[0]["lr"],
            steps_per_second=speed,
            audio_seconds_per_second=self.meter.samples_per_second() / state.recipe.rate_hz,
            seconds_left=steps_left(state.recipe, position.step, self.total_steps) / speed,
            reading=reading,
        )

    def record(self, row: Mapping[str, float | int]) -> None:
        """Add a row to metrics.csv and a point to each TensorBoard curve."""
        step = self.run.state.position.step
        self.metrics.write({"step": step, **row})
        self.board.numbers(row, step)

    def validate(self, *, last: bool = False) -> None:
        """Evaluate on the validation clips, speak a sample, and save the checkpoint if it is the best."""
        state, position = self.run.state, self.run.state.position
        mel = validation_mel(state.networks, self.validation, self.run.autocast, state.recipe.seed)
        self.check_finite({**self.meter.losses(), "validation_mel": mel})  # the sampler fails on broken weights
        best = mel < position.best_mel
        words = self.words_wrong(last=last)
        best_step = position.step if best else position.best_step
        self.progress.validated(
            Validation(step=position.step, mel=mel, best=best, best_step=best_step, words_wrong=words)
        )
        heard = {} if words is None else {"words_wrong": words}
        self.record({"epoch": position.epoch, "validation_mel": mel, **heard})
        self.sampler(state.networks, position.step, self.board)
        self.validated_step = position.step
        with self.stop.lock:
            position.since_best = 0 if best else position.since_best + 1
            if best:  # written last, so that a run resumed from this file already has its row and its sample
                position.best_mel, position.best_step = mel, position.step
                checkpoint_files.write(self.run.out / checkpoint_files.BEST, state.content())
        if position.since_best == TOLD_AFTER and self.run.settings.patience is None:
            self.progress.warned(f"{self.stalled()}: `patience` would end the training by itself")

    def words_wrong(self, *, last: bool) -> float | None:
        """The share of words that are not heard, if somebody hears them and it is time to."""
        step = self.run.state.position.step
        if self.words is None or not (last or self.hearings.is_due(step)):
            return None
        with self.hearings.timed():
            wrong = self.run.state.position.words_wrong = self.words(self.run.state.networks)
        return wrong

    def save(self, *, keep: bool = False) -> Path:
        """Write last.ckpt; with `keep`, also under the name of its step."""
        last, step = self.run.out / checkpoint_files.LAST, self.run.state.position.step
        self.check_finite(self.meter.losses())
        with self.stop.lock:
            if keep:
                kept = self.run.out / checkpoint_files.step_name(step)
                checkpoint_files.write(kept, self.run.state.content())
                checkpoint_files.same_file(kept, last)
                checkpoint_files.keep_newest(self.run.out, self.run.settings.keep)
            elif self.saved_step != step:
                checkpoint_files.write(last, self.run.state.content())
            self.saved_step, self.saved_at = step, time.monotonic()
        self.progress.saved(last, step)
        return last

    def interrupted(self) -> InterruptedRunError:
        """Save, and return an error that names the file."""
        with self.stop.lock:
            self.stop.acknowledge()
            last = self.save()
        step = self.run.state.position.step
        return InterruptedRunError(
            f"stopped after step {step}; saved {last}", "run the same command again to resume from there"
        )

    def finish(self) -> None:
        """Report, validate and save, due or not."""
        self.report()
        if self.validated_step != self.run.state.position.step:
            self.validate(last=True)
        self.save(keep=self.checkpoints.is_due(self.run.state.position.step))

    def check_finite(self, losses: Mapping[str, float]) -> None:
        """Raise if the training diverged, so that broken weights never overwrite good ones."""
        bad = [name for name, value in losses.items() if not math.isfinite(value)]
        if not bad:
            return
        last = self.run.out / checkpoint_files.LAST
        saved = f"{last} was saved before that" if last.is_file() else "nothing was saved yet"
        raise BadInputError(
            f"training diverged at step {self.run.state.position.step}: {', '.join(bad)} is not finite; {saved}",
            "start again in another `out` with a lower `learning_rate`"
            + (f" and `from={last}`" if last.is_file() else "")
            + ("" if self.run.plan.precision.value == "fp32" else ", or add `precision=fp32`"),
        )


def make_loop(run: Run, progress: Progress, stop: StopRequest, sampler_folder: Path) -> Loop:
    """Open the logs of a run and copy the validation clips to the device."""
    state = run.state
    step = state.position.step
    collate = run.loader.collate
    board = TensorBoard(run.out / "tensorboard", step)
    first = 0  # always the same sentence, so that samples are comparable
    return Loop(
        run=run,
        progress=progress,
        stop=stop,
        stepper=Stepper(run=run, progress=progress, stop=stop),
        metrics=Metrics(run.out / "metrics.csv", step),
        board=board,
        sampler=SampleSpeaker(
            clip=run.validation.clips[first],
            batch=collate([run.validation[first]]).to(run.device),
            rate_hz=state.recipe.rate_hz,
            folder=sampler_folder,
            own=tuple(torch.tensor(ids, device=run.device) for ids in run.sample_sentences),
        ),
        validation=validation_batches(run.validation, collate, state.recipe.batch_size, run.device),
        total_steps=total_steps(run),
        validations=Interval(run.settings.validate_every, VALIDATE_EVERY),
        checkpoints=Interval(run.settings.checkpoint_every, CHECKPOINT_EVERY),
        words=_word_check(run) if run.settings.judge else None,
        hearings=Interval(None, run.settings.validate_every or VALIDATE_EVERY),
        telemetry=make_telemetry(run, progress, board),  # last: its thread starts here
    )


def _word_check(run: Run) -> WordCheck:
    rate_hz, language = run.state.recipe.rate_hz, run.state.config.espeak_voice
    return WordCheck(
        clips=heard_clips(run.validation.clips, run.loader.dataset.clips, rate_hz),
        collate=run.loader.collate,
        device=run.device,
        rate_hz=rate_hz,
        language=language,
        recogniser=Recogniser(run.settings.judge, language, run.threads),
    )


def total_steps(run: Run) -> int:
    """The step at which this training ends; an estimate if only epochs are given and batches are limited by length."""
    settings = run.settings
    epochs = epochs_limit(settings.max_steps, settings.epochs)
    by_epochs = None if epochs is None else epochs * len(run.loader.schedule.epoch(0))
    return min(limit for limit in (settings.max_steps, by_epochs) if limit is not None)
