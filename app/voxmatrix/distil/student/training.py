"""Train a student. Every step is repeatable: it depends on its number and on what was learned before."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.pitch import pitch
from voxmatrix.distil.acceptance import f0_accuracy_of
from voxmatrix.distil.student.batches import Batcher, Excerpts, Sentences, Utterance, excerpts, sentences
from voxmatrix.distil.student.corpus import HOP, RATE_HZ
from voxmatrix.distil.student.losses import MultiResolutionSTFTLoss, filter_loss
from voxmatrix.distil.student.network import AcousticModel, ProsodyModel, Sizes, spread
from voxmatrix.distil.student.waves import pulses, rendered
from voxmatrix.distil.trainer import MAX_GRADIENT, Trainer

#: Sentences of a step for the rhythm; excerpts of a step for the sound, and their frames.
RHYTHM_BATCH, BATCH, FRAMES = 8, 6, 100
#: Of so many steps, the last is one for the rhythm.
TURNS = 5
RHYTHM_RATE, RATE = 1.5e-3, 1.1e-3
#: Of a sound that begins with the weights of another student.
ADAPTING_RATE = 3.3e-4
#: With filters to learn, samples count from where the rate has fallen to this.
_FINISH = 0.35
#: At the ends of an excerpt, windows lack what is outside: frames whose samples are not compared.
_MARGIN = 3


class Student(nn.Module):
    """Both networks."""

    def __init__(self, sizes: Sizes, speakers: int = 1) -> None:
        super().__init__()
        self.rhythm, self.sound = ProsodyModel(sizes, speakers), AcousticModel(sizes, speakers)

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of a student of the same sizes with one speaker: all speakers are like that one."""
        for name in self.load_state_dict(dict(weights), strict=False).missing_keys:  # the embeddings of speakers
            nn.init.zeros_(self.get_parameter(name))


class StudentTrainer(Trainer[Student]):
    """A training of both networks, on the CPU."""

    format = 3

    def __init__(
        self,
        student: Student,
        *,
        train: Sequence[Utterance],
        validation: Sequence[Utterance],
        rate: float = RATE,
        threads: int = 1,
        bf16: bool = False,
    ) -> None:
        """Nothing is learned from `watched`: `evaluate` uses it. `rate` is that of the sound.

        With `bf16`, layers multiply bf16 numbers. Each of the threads computes a part of a batch: the layers are too
        small for several threads inside them.

        Raises:
            ValueError: no sentence is long enough to learn from.
        """
        self._networks = (student.sound, rate), (student.rhythm, RHYTHM_RATE)
        super().__init__(
            student,
            [torch.optim.AdamW(one.parameters(), highest, (0.8, 0.99), fused=True) for one, highest in self._networks],
        )
        self.loss = MultiResolutionSTFTLoss()
        self._batcher, self._validation, self._bf16 = Batcher(train, FRAMES), validation, bf16
        self._pitches = [pitch(one.speech.wave(), RATE_HZ) for one in validation]
        self._pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        self._threads = threads

    def step(self) -> Tensor:
        """See `Trainer`."""
        step, factor = self.position.step, self.position.rate()
        of_rhythm = step % TURNS == TURNS - 1
        network, rate = self._networks[of_rhythm]
        if of_rhythm:
            loss = self._backward(network, self._batcher.sentences(RHYTHM_BATCH, step), self._prosody_loss)
        else:
            drawn = self._batcher.excerpts(BATCH, step)
            loss = self._backward(network, drawn, partial(self._sound_loss, factor))
        optimizer = self.optimizers[of_rhythm]
        nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
        optimizer.param_groups[0]["lr"] = rate * factor
        optimizer.step()
        self._average(network, "rhythm." if of_rhythm else "sound.", self.ema_decay)
        self.position.step += 1
        return loss

    def _backward(self, network: nn.Module, drawn: Sequence[Any], loss_of: Callable[[Sequence[Any]], Tensor]) -> Tensor:
        """Set the gradients of a network to those of the mean loss of what was drawn, which is returned."""
        weights = list(network.parameters())

        def part(number: int) -> tuple[Tensor, ...]:
            own = drawn[number :: self._threads]
            with torch.autocast("cpu", torch.bfloat16) if self._bf16 else nullcontext():
                loss = loss_of(own) * (len(own) / len(drawn))
            return loss.detach(), *torch.autograd.grad(loss, weights)

        parts = self._pool.map(part, range(min(self._threads, len(drawn))))
        (loss, *gradients), *others = parts
        for other, *theirs in others:
            loss += other
            torch._foreach_add_(gradients, theirs)
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient
        return loss

    def _prosody_loss(self, drawn: Sequence[Utterance]) -> Tensor:
        return prosody_loss(self.student.rhythm, sentences(drawn))

    def _sound_loss(self, factor: float, drawn: Sequence[tuple[Utterance, int]]) -> Tensor:
        batch = excerpts(drawn, FRAMES)
        predicted = sound_of(self.student.sound, batch)
        with torch.autocast("cpu", enabled=False):
            predicted, losses = predicted.float(), []
            if batch.filters is not None:
                voiced = batch.sentences.curves[..., 1].gather(1, batch.frames)[..., None]
                losses.append(filter_loss(predicted, batch.filters, voiced))
            falling = self.position.decay_start and self.position.step > self.position.decay_start
            if batch.filters is None or (falling and factor < _FINISH):
                inner = slice(_MARGIN * HOP, -_MARGIN * HOP)
                losses.append(self.loss(wave_of(predicted, batch)[:, inner], batch.samples[:, inner], batch.noise))
            return torch.stack(losses).sum()

    def _average(self, network: nn.Module, prefix: str, kept: float) -> None:
        with torch.no_grad():
            current = network.state_dict(prefix=prefix)
            torch._foreach_lerp_([self.ema_weights[name] for name in current], list(current.values()), 1 - kept)

    def evaluate(self) -> tuple[float, float]:
        """The mel distance and the share of frames in tune, with averaged weights, on sentences not learned from.

        Their durations and curves are the teacher's.
        """
        distances, both = [], []
        with self.with_ema_weights() as student:
            for one, target in zip(self._validation, self._pitches, strict=True):
                batch = excerpts([(one, 0)], one.speech.frames)
                wave = wave_of(sound_of(student.sound, batch), batch)
                distances.append(float(self.loss.mel_distance(wave, batch.samples, batch.noise)))
                both.append((target, pitch(wave[0].numpy(), RATE_HZ)))
        return sum(distances) / len(distances), f0_accuracy_of(both) or 0.0


def sound_of(sound: AcousticModel, batch: Excerpts) -> Tensor:
    """The filters of excerpts (b, n, 4, BINS), with the teacher's durations and curves."""
    whole, frames = batch.sentences, batch.frames
    text = sound.text(whole.ids, whole.speakers, whole.absent)
    known = spread(text, whole.durations, whole.symbols)
    return sound(*(one.gather(1, frames[..., None].expand(-1, -1, one.shape[2])) for one in (known, whole.curves)))  # type: ignore[no-any-return]


def wave_of(filters: Tensor, batch: Excerpts) -> Tensor:
    """The samples of excerpts (b, n * HOP), with the teacher's pitch."""
    rows = pulses(batch.hz)
    return rendered(filters, rows.gather(1, batch.frames[..., None].expand(-1, -1, HOP)).flatten(1))


def prosody_loss(rhythm: ProsodyModel, batch: Sentences) -> Tensor:
    """How far durations and curves are from those of whole sentences."""
    text = rhythm.text(batch.ids, batch.speakers, batch.absent)
    there = (~batch.absent).float()
    wrong = (rhythm.durations(text).float() - torch.log1p(batch.durations.float())).square()
    pitch_, voicing, energy = rhythm.curves(spread(text, batch.durations, batch.symbols)).float().unbind(-1)
    pitch_target, voiced, energy_target = batch.curves.unbind(-1)
    frames = batch.present.float()
    doubt = functional.binary_cross_entropy_with_logits(voicing, voiced, reduction="none")
    return (
        _mean(wrong, there)
        + _mean((pitch_ - pitch_target).abs(), voiced * frames)
        + _mean(doubt, frames)
        + _mean((energy - energy_target).abs(), frames)
    )


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp_min(1.0)
