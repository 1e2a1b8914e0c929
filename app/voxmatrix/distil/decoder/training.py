"""Train the fast network until it is as good as it gets, or until the time is over. Every step is repeatable."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from voxmatrix.audio.pitch import pitch
from voxmatrix.distil.acceptance import f0_accuracy_of
from voxmatrix.distil.decoder.batches import Sampler, Windows
from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.distil.decoder.cuda_graph import CudaGraph
from voxmatrix.distil.decoder.losses import ComplexSTFTLoss
from voxmatrix.distil.decoder.muon import Muon
from voxmatrix.distil.decoder.network import FastDecoder
from voxmatrix.distil.trainer import MAX_GRADIENT, Trainer, long_enough

#: Frames per window and windows per step, for sentences of usual and of small length. Long windows waste less on the
#: frames around them that are only looked at; more of them learn less in the same time
#: (docs/inside/measured-by-hand.md).
WINDOWS, SHORT_WINDOWS = (128, 2), (32, 8)
#: Rates of the weights, which Muon changes, and of the biases, which Adam changes.
WEIGHT_RATE, BIAS_RATE = 1e-2, 1e-3


class DecoderTrainer(Trainer[FastDecoder]):
    """A training of the fast network."""

    format = 5

    def __init__(
        self,
        student: FastDecoder,
        *,
        train: Sequence[CorpusSentence],
        validation: Sequence[CorpusSentence],
        rate_hz: int,
        device: torch.device,
        bf16: bool = False,
    ) -> None:
        """Nothing is learned from `watched`: `evaluate` uses it. `bf16`: convolutions multiply bf16 numbers.

        With bf16, a step is 1.28 times as fast on a CPU that has instructions for it, and the curve is the same.
        """
        weights = [one for one in student.to(device).parameters() if one.ndim > 1]
        biases = [one for one in student.parameters() if one.ndim == 1]
        adam = torch.optim.Adam(biases, BIAS_RATE, betas=(0.8, 0.99), capturable=device.type == "cuda")
        super().__init__(student, (Muon(weights, WEIGHT_RATE), adam))
        self.loss = ComplexSTFTLoss(rate_hz).to(device)
        self._validation, self._device, self._rate_hz = validation, device, rate_hz
        self._bf16 = bf16
        self._pitches = [pitch(one.wave(), rate_hz) for one in validation]
        margin = student.dec.margin
        long = WINDOWS[0] + 2 * margin
        usual = 2 * sum(one.frames >= long for one in train) > len(train)
        frames, self._windows = WINDOWS if usual else SHORT_WINDOWS
        with long_enough():
            self._sampler = Sampler(train, frames, margin, device)
        # What changes from step to step, as tensors: a CUDA graph repeats what it was recorded with.
        self._rates = [torch.zeros((), device=device) for _ in self.optimizers]
        self._renewed = torch.zeros((), device=device)  # the share of the averaged weights
        self._take = CudaGraph(self._work) if device.type == "cuda" else self._work

    def step(self) -> Tensor:
        """See `Trainer`."""
        factor = self.position.rate()
        for rate, value in zip(self._rates, (WEIGHT_RATE, BIAS_RATE), strict=True):
            rate.fill_(value * factor)
        self._renewed.fill_(1 - self.ema_decay)
        loss = self._take(self._sampler.draw(self._windows, self.position.step))
        self.position.step += 1
        return loss

    def _work(self, windows: Windows) -> Tensor:
        """What a step computes on its device."""
        with torch.autocast(self._device.type, torch.bfloat16) if self._bf16 else nullcontext():
            predicted = self.student(windows.latent, windows.speaker)
        loss = self.loss(windows.inside(predicted.float()), windows.wave)
        self.student.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.student.parameters(), MAX_GRADIENT)
        for optimizer, rate in zip(self.optimizers, self._rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate
            optimizer.step()
        with torch.no_grad():
            current = self.student.state_dict()
            ema_weights = [self.ema_weights[name] for name in current]
            changes = torch._foreach_sub(list(current.values()), ema_weights)
            torch._foreach_mul_(changes, self._renewed)
            torch._foreach_add_(ema_weights, changes)
        return loss.detach()  # type: ignore[no-any-return]

    def evaluate(self) -> tuple[float, float]:
        """See `Trainer`."""
        with self.with_ema_weights() as student:
            predicted = [student.speak(one).squeeze(1) for one in self._validation]
            waves = [torch.from_numpy(one.wave()[None]).to(self._device) for one in self._validation]
            distances = [float(self.loss.mel_distance(*pair)) for pair in zip(predicted, waves, strict=True)]
        sung = [pitch(wave.squeeze(0).cpu().numpy(), self._rate_hz) for wave in predicted]
        return sum(distances) / len(distances), f0_accuracy_of(list(zip(self._pitches, sung, strict=True))) or 0.0

    def restore(self, state: dict[str, Any]) -> None:
        """See `Trainer`."""
        super().restore(state)
        for optimizer in self.optimizers:
            group = optimizer.param_groups[0]
            if "capturable" in group:  # the checkpoint may be of another device
                group["capturable"] = self._device.type == "cuda"
