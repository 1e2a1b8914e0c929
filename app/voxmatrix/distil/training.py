"""Train the fast network until it is as good as it gets, or until the time is over. Every step is repeatable."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from voxmatrix.audio.pitch import pitch
from voxmatrix.distil.acceptance import share_in_tune
from voxmatrix.distil.batches import Sampler, Windows
from voxmatrix.distil.corpus import CorpusSentence
from voxmatrix.distil.cuda_graph import CudaGraph
from voxmatrix.distil.losses import SpectralLoss
from voxmatrix.distil.muon import Muon
from voxmatrix.distil.student import Student
from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.train.checkpoint.files import write as write_checkpoint
from voxmatrix.train.stop import StopRequest

#: Frames per window and windows per step, for sentences of usual and of small length. Long windows waste less on the
#: frames around them that are only looked at; more of them learn less in the same time (docs/measured-by-hand.md).
WINDOWS, SHORT_WINDOWS = (128, 2), (32, 8)
#: Rates of the weights, which Muon changes, and of the biases, which Adam changes.
WEIGHT_RATE, BIAS_RATE = 1e-2, 1e-3
#: The rate rises at first and falls at the end, in this share of all steps.
WARM_STEPS, FALLING_SHARE, LAST_RATE = 100, 0.5, 0.0
MAX_GRADIENT = 5.0
AVERAGED = 0.998
EVALUATE_EVERY = 1250
#: The curve is flat when the best of this many evaluations is not better than those before by this share.
FLAT_EVALUATIONS, FLAT_SHARE = 4, 0.01
USUAL_STEPS, MAX_STEPS = 25_000, 100_000
SAVE_SECONDS = 30.0
#: The loss is read once in this many steps: reading it waits for a GPU.
READ_EVERY = 10
_FORMAT = 5


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to end: after steps, after minutes, or (both 0) when the curve is flat."""

    steps: int = 0
    minutes: float = 0.0


@dataclass(kw_only=True)
class Position:
    """Progress of a training."""

    step: int = 0
    began: int = 0  # the step at which the limits began to count
    seconds: float = 0.0  # since then
    falls_from: int = 0  # the step after which the rate falls; 0: not decided yet
    ends_at: int = 0
    mels: list[float] = field(default_factory=list)  # distances, of the evaluations
    in_tune: float = 0.0  # the share of frames at the last evaluation
    rejected: bool = False  # at its end, the voice did not sound like its original

    def decide(self, limits: Limits) -> None:
        """Let the rate fall from now on if it is time."""
        done = self.step - self.began
        if limits.steps:
            self.falls_from = self.began + max(1, round(limits.steps * (1 - FALLING_SHARE)))
            self.ends_at = self.began + limits.steps
        elif self.falls_from:
            return
        elif limits.minutes:
            if self.seconds >= limits.minutes * 60 * (1 - FALLING_SHARE):
                left = max(0.0, limits.minutes * 60 - self.seconds)
                self.fall(round(left * done / max(self.seconds, 1e-9)))
        elif _flat(self.mels) or done >= MAX_STEPS * (1 - FALLING_SHARE):
            self.fall(round(done * FALLING_SHARE / (1 - FALLING_SHARE)))

    def fall(self, steps: int) -> None:
        """Steps in which the rate falls; then the training ends."""
        self.falls_from, self.ends_at = max(1, self.step), self.step + max(1, steps)

    def go_on(self) -> None:
        """Learn on after the end, by the same limits again."""
        self.began, self.seconds, self.falls_from, self.ends_at, self.mels = self.step, 0.0, 0, 0, []
        self.rejected = False

    def rate(self) -> float:
        """The factor of the rate for the next step."""
        rising = min(1.0, (self.step + 1) / WARM_STEPS)
        if not self.falls_from or self.step < self.falls_from:
            return rising
        share = (self.step - self.falls_from) / max(1, self.ends_at - self.falls_from)
        return rising * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(1.0, share))))

    def finished(self) -> bool:
        """Whether all steps are done."""
        return bool(self.ends_at) and self.step >= self.ends_at

    def expected_steps(self, limits: Limits) -> int:
        """The number of all steps, an estimate while the end is not decided."""
        if self.ends_at:
            return self.ends_at
        done = self.step - self.began
        if limits.minutes and self.seconds > 1:
            return self.began + max(done + 1, round(done * limits.minutes * 60 / self.seconds))
        return self.began + max(done + 1, USUAL_STEPS)


class Learner(Protocol):
    """A training in memory, of any network."""

    position: Position

    def step(self) -> Tensor:
        """Take one step. Returns its loss ()."""
        ...

    def evaluate(self) -> tuple[float, float]:
        """The mel distance and the share of frames in tune on sentences not learned from."""
        ...

    def state(self) -> dict[str, Any]:
        """The content of a checkpoint."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint.

        Raises:
            KeyError, ValueError, RuntimeError, TypeError: it is of another network, or damaged.
        """
        ...


class Training:
    """A training in memory. `state` and `restore` are its checkpoint."""

    def __init__(
        self,
        student: Student,
        *,
        learned: Sequence[CorpusSentence],
        watched: Sequence[CorpusSentence],
        rate_hz: int,
        device: torch.device,
        bf16: bool = False,
    ) -> None:
        """Nothing is learned from `watched`: `evaluate` uses it. `bf16`: convolutions multiply bf16 numbers.

        With bf16, a step is 1.28 times as fast on a CPU that has instructions for it, and the curve is the same.
        """
        self.student = student.to(device)
        self.position = Position()
        self.loss = SpectralLoss(rate_hz).to(device)
        self._watched, self._device, self._rate_hz = watched, device, rate_hz
        self._bf16 = bf16
        self._pitches = [pitch(one.wave(), rate_hz) for one in watched]
        margin = student.dec.margin
        long = WINDOWS[0] + 2 * margin
        usual = 2 * sum(one.frames >= long for one in learned) > len(learned)
        frames, self._windows = WINDOWS if usual else SHORT_WINDOWS
        self._sampler = _sampler(learned, frames, margin, device)
        on_cuda = device.type == "cuda"
        weights = [one for one in student.parameters() if one.ndim > 1]
        biases = [one for one in student.parameters() if one.ndim == 1]
        adam = torch.optim.Adam(biases, BIAS_RATE, betas=(0.8, 0.99), capturable=on_cuda)
        self._optimizers = Muon(weights, WEIGHT_RATE), adam
        # What changes from step to step, as tensors: a CUDA graph repeats what it was recorded with.
        self._rates = [torch.zeros((), device=device) for _ in self._optimizers]
        self._renewed = torch.zeros((), device=device)  # the share of the averaged weights
        self._take = CudaGraph(self._work) if on_cuda else self._work
        self.averaged = {name: value.detach().clone() for name, value in student.state_dict().items()}

    def step(self) -> Tensor:
        """Take one step. Returns its loss (), without waiting for a GPU; the next step changes it."""
        factor, step = self.position.rate(), self.position.step
        for rate, value in zip(self._rates, (WEIGHT_RATE, BIAS_RATE), strict=True):
            rate.fill_(value * factor)
        self._renewed.fill_(1 - min(AVERAGED, (1 + step) / (10 + step)))
        loss = self._take(self._sampler.draw(self._windows, step))
        self.position.step += 1
        return loss

    def _work(self, windows: Windows) -> Tensor:
        """What a step computes on its device."""
        with torch.autocast(self._device.type, torch.bfloat16) if self._bf16 else nullcontext():
            made = self.student(windows.latent, windows.speaker)
        loss = self.loss(windows.inside(made.float()), windows.wave)
        self.student.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.student.parameters(), MAX_GRADIENT)
        for optimizer, rate in zip(self._optimizers, self._rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate
            optimizer.step()
        with torch.no_grad():
            current = self.student.state_dict()
            averaged = [self.averaged[name] for name in current]
            changes = torch._foreach_sub(list(current.values()), averaged)
            torch._foreach_mul_(changes, self._renewed)
            torch._foreach_add_(averaged, changes)
        return loss.detach()  # type: ignore[no-any-return]

    def evaluate(self) -> tuple[float, float]:
        """The mel distance and the share of frames in tune, with averaged weights, on sentences not learned from."""
        current = {name: value.clone() for name, value in self.student.state_dict().items()}
        self.student.load_state_dict(self.averaged)
        try:
            with torch.inference_mode():
                made = [self.student.speak(one).squeeze(1) for one in self._watched]
                waves = [torch.from_numpy(one.wave()[None]).to(self._device) for one in self._watched]
                distances = [float(self.loss.mel_distance(*pair)) for pair in zip(made, waves, strict=True)]
        finally:
            self.student.load_state_dict(current)
        sung = [pitch(wave.squeeze(0).cpu().numpy(), self._rate_hz) for wave in made]
        return sum(distances) / len(distances), share_in_tune(list(zip(self._pitches, sung, strict=True))) or 0.0

    def state(self) -> dict[str, Any]:
        """The content of a checkpoint."""
        return {
            "format": _FORMAT,
            "student": self.student.state_dict(),
            "averaged": self.averaged,
            "optimizers": [one.state_dict() for one in self._optimizers],
            "position": asdict(self.position),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint.

        Raises:
            KeyError, ValueError, RuntimeError, TypeError: it is of another network, or damaged.
        """
        if state["format"] != _FORMAT:
            raise ValueError("another format")
        self.student.load_state_dict(state["student"])
        self.averaged = {name: value.to(self._device) for name, value in state["averaged"].items()}
        for optimizer, content in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(content)
            if "capturable" in content["param_groups"][0]:  # the checkpoint may be of another device
                optimizer.param_groups[0]["capturable"] = self._device.type == "cuda"
        self.position = Position(**state["position"])


def train(
    training: Learner,
    limits: Limits,
    checkpoint: Path,
    report: Callable[[Position, float], None],
) -> None:
    """Train to the end, saving from time to time. `report` is called after every few steps with the loss of the last.

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
            position.decide(limits)
            if position.step % READ_EVERY == 0 or position.finished():
                report(position, _finite(loss, position.step))
            if position.step % EVALUATE_EVERY == 0:
                mel_distance, position.in_tune = training.evaluate()
                position.mels.append(mel_distance)
            if stop.requested:
                raise saved_when_interrupted()
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


def _sampler(material: Sequence[CorpusSentence], frames: int, margin: int, device: torch.device) -> Sampler:
    try:
        return Sampler(material, frames, margin, device)
    except ValueError as error:
        raise BadInputError(
            f"the sentences are too short to learn from: {error}", "give longer sentences with `text=FILE`"
        ) from error


def _flat(mels: Sequence[float]) -> bool:
    if len(mels) <= FLAT_EVALUATIONS:
        return False
    return min(mels[-FLAT_EVALUATIONS:]) > min(mels[:-FLAT_EVALUATIONS]) * (1 - FLAT_SHARE)
