"""What all trainings of students share: when they end, averaged weights, checkpoints, and the loop."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.train.checkpoint.files import write as write_checkpoint
from voxmatrix.train.stop import StopRequest

#: The rate rises at first and falls at the end, in this share of all steps.
WARMUP_STEPS, DECAY_SHARE, FINAL_LR_RATIO = 100, 0.5, 0.0
MAX_GRADIENT = 5.0
EMA_DECAY = 0.998
EVALUATE_EVERY = 1250
#: The curve is flat when none of so many evaluations was better than the best one before by this share.
FLAT_EVALUATIONS, FLAT_SHARE = 4, 0.01
USUAL_STEPS, MAX_STEPS = 25_000, 100_000
SAVE_SECONDS = 30.0
#: Between two previews.
PREVIEW_SECONDS = 300.0
#: Steps until a voice is good, from the quickest to the slowest teaching that is known (docs/inside/teaching.md).
GOOD_STEPS = 5000, 15_000
#: The loss is read once in this many steps: reading it waits for a GPU.
READ_EVERY = 10
#: Steps after which the rate falls whatever the curve does.
_MOST = MAX_STEPS * (1 - DECAY_SHARE)
#: What checkpoints of earlier versions call it.
_FORMER = {"falls_from": "decay_start", "in_tune": "f0_accuracy"}

Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to end: after steps, after minutes, or (both 0) when the curve is flat.

    With a mel distance that is `good`, the rate falls as soon as an evaluation is as near, and `minutes` are the most
    that it may take.
    """

    steps: int = 0
    minutes: float = 0.0
    good: float = 0.0
    evaluate_every: int = EVALUATE_EVERY


@dataclass(kw_only=True)
class TrainerState:
    """Progress of a training."""

    step: int = 0
    began: int = 0  # the step at which the limits began to count
    seconds: float = 0.0  # since then
    decay_start: int = 0  # the step after which the rate falls; 0: not decided yet
    ends_at: int = 0
    mels: list[float] = field(default_factory=list)  # distances, of the evaluations
    best: float = math.inf  # the distance of the last evaluation that was better, and its step
    best_step: int = 0
    unimproved: int = 0  # evaluations since then
    previewed: float = 0.0  # the `seconds` at the last preview
    f0_accuracy: float = 0.0  # the share of frames at the last evaluation
    rejected: bool = False  # at its end, the voice did not sound like its original

    def decide(self, limits: Limits) -> None:
        """Let the rate fall from now on if it is time."""
        done = self.step - self.began
        if limits.steps:
            self.decay_start = self.began + max(1, round(limits.steps * (1 - DECAY_SHARE)))
            self.ends_at = self.began + limits.steps
        elif self.decay_start:
            return
        elif limits.minutes and self.seconds >= limits.minutes * 60 * (1 - DECAY_SHARE):
            left = max(0.0, limits.minutes * 60 - self.seconds)
            self.fall(round(left * done / max(self.seconds, 1e-9)))
        elif (limits.good or not limits.minutes) and (self.is_good(limits) or self.is_flat() or done >= _MOST):
            self.fall(round(done * DECAY_SHARE / (1 - DECAY_SHARE)))

    def evaluated(self, mel_distance: float, f0_accuracy: float) -> None:
        """Take note of an evaluation at this step."""
        self.f0_accuracy = f0_accuracy
        self.mels.append(mel_distance)
        self.unimproved += 1
        if mel_distance < self.best * (1 - FLAT_SHARE):
            self.best, self.best_step, self.unimproved = mel_distance, self.step, 0

    def is_good(self, limits: Limits) -> bool:
        """Whether an evaluation was as near as is wanted. Who learns on has been so: then the curve decides."""
        return not self.began and bool(self.mels) and min(self.mels) <= limits.good

    def is_flat(self) -> bool:
        """Whether there was no better evaluation for long."""
        return self.unimproved >= FLAT_EVALUATIONS

    def fall(self, steps: int) -> None:
        """Steps in which the rate falls; then the training ends."""
        self.decay_start, self.ends_at = max(1, self.step), self.step + max(1, steps)

    def go_on(self) -> None:
        """Learn on after the end, by the same limits again."""
        self.began, self.seconds, self.decay_start, self.ends_at, self.mels = self.step, 0.0, 0, 0, []
        self.best, self.best_step, self.unimproved = math.inf, self.step, 0
        self.previewed, self.rejected = 0.0, False

    def rate(self) -> float:
        """The factor of the rate for the next step."""
        rising = min(1.0, (self.step + 1) / WARMUP_STEPS)
        if not self.decay_start or self.step < self.decay_start:
            return rising
        share = (self.step - self.decay_start) / max(1, self.ends_at - self.decay_start)
        return rising * (FINAL_LR_RATIO + (1 - FINAL_LR_RATIO) * 0.5 * (1 + math.cos(math.pi * min(1.0, share))))

    def finished(self) -> bool:
        """Whether all steps are done."""
        return bool(self.ends_at) and self.step >= self.ends_at

    def expected_steps(self, limits: Limits) -> int:
        """The number of all steps, an estimate while the end is not decided."""
        if self.ends_at:
            return self.ends_at
        done = self.step - self.began
        usual = self.began + max(done + 1, GOOD_STEPS[1] if limits.good else USUAL_STEPS)
        if limits.minutes and self.seconds > 1:
            within = self.began + max(done + 1, round(done * limits.minutes * 60 / self.seconds))
            return min(usual, within) if limits.good else within
        return usual


class Trainer(ABC, Generic[Network]):
    """A training in memory. `state` and `restore` are its checkpoint."""

    #: Of its checkpoints.
    format: int

    def __init__(self, student: Network, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        self.student, self.optimizers, self.position = student, optimizers, TrainerState()
        self.ema_weights = {name: value.detach().clone() for name, value in student.state_dict().items()}

    @abstractmethod
    def step(self) -> Tensor:
        """Take one step. Returns its loss (), without waiting for a GPU; the next step may change it."""

    @abstractmethod
    def evaluate(self) -> tuple[float, float]:
        """The mel distance and the share of frames in tune, with averaged weights, on sentences not learned from."""

    @property
    def ema_decay(self) -> float:
        """How much of the averaged weights is kept at this step."""
        return min(EMA_DECAY, (1 + self.position.step) / (10 + self.position.step))

    @contextmanager
    def with_ema_weights(self) -> Iterator[Network]:
        """The student with averaged weights, for inference."""
        current = {name: value.clone() for name, value in self.student.state_dict().items()}
        self.student.load_state_dict(self.ema_weights)
        try:
            with torch.inference_mode():
                yield self.student
        finally:
            self.student.load_state_dict(current)

    def state(self) -> dict[str, Any]:
        """The content of a checkpoint."""
        return {
            "format": self.format,
            "student": self.student.state_dict(),
            "averaged": self.ema_weights,
            "optimizers": [one.state_dict() for one in self.optimizers],
            "position": asdict(self.position),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint, perhaps of another device.

        Raises:
            KeyError, ValueError, RuntimeError, TypeError: it is of another network, or damaged.
        """
        if state["format"] != self.format:
            raise ValueError("another format")
        self.student.load_state_dict(state["student"])
        self.ema_weights = {name: value.to(self.ema_weights[name].device) for name, value in state["averaged"].items()}
        for optimizer, content in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(content)
        self.position = TrainerState(**{_FORMER.get(name, name): value for name, value in state["position"].items()})


@contextmanager
def long_enough(*, is_person: bool = False) -> Iterator[None]:
    """Turn the ValueError of material without a sentence that is long enough into one that says what to do."""
    try:
        yield
    except ValueError as error:
        raise BadInputError(
            f"the sentences are too short to learn from: {error}",
            "record longer sentences" if is_person else "give longer sentences with `text=FILE`",
        ) from error


def train(
    training: Trainer[Any],
    limits: Limits,
    checkpoint: Path,
    report: Callable[[TrainerState, float], None],
    preview: Callable[[], None] | None = None,
) -> None:
    """Train to the end, saving from time to time. `report` is called after every few steps with the loss of the last.

    Every five minutes there is a `preview`, which leaves the training as it is.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM; the training is saved.
        UnreachableError: the disk is full; the last good checkpoint is unchanged.
        BadInputError: the losses are no longer finite.
    """
    position, stop = training.position, StopRequest()
    began, before = time.monotonic(), position.seconds
    saved_at = began

    def save() -> None:
        write_checkpoint(checkpoint, training.state())

    def saved_when_interrupted() -> InterruptedRunError:
        with stop.lock:
            save()
            stop.acknowledge()
        return InterruptedRunError(
            f"interrupted after {position.step} steps; they are saved in {checkpoint.parent}",
            "run the same command again to continue",
        )

    with stop.listening(lambda: saved_when_interrupted().exit_code):
        position.decide(limits)
        while not position.finished():
            with stop.lock:
                loss = training.step()
            position.seconds = before + time.monotonic() - began
            if position.step % limits.evaluate_every == 0:
                position.evaluated(*training.evaluate())
            position.decide(limits)
            if position.step % READ_EVERY == 0 or position.finished():
                report(position, _finite(loss, position.step))
            if stop.requested:
                raise saved_when_interrupted()
            if preview and position.seconds - position.previewed >= PREVIEW_SECONDS and not position.finished():
                position.previewed = position.seconds
                save()
                preview()
            if time.monotonic() - saved_at > SAVE_SECONDS:
                save()
                saved_at = time.monotonic()
        save()


def _finite(loss: Tensor, step: int) -> float:
    value = float(loss)
    if not math.isfinite(value):
        raise BadInputError(
            f"the losses are not finite after {step} steps",
            "check the voice with `voxmatrix speak`, or start again with `fresh`",
        )
    return value
