"""Run every quality on CUDA tensors without values or a GPU, and print what came out, as JSON.

Runs inside a CUDA image: torch without CUDA cannot copy or index such tensors. The backward pass needs a driver. An
operation that mixes devices or reads a value back is an error; the program also plants both, to show that they are.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import HOP, Quality, qualities
from voxmatrix.train.step.step import Networks, mel_distance
from voxmatrix.vits import synthesizer
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence
from voxmatrix_entrypoint import patches

CUDA = torch.device("cuda")
CLIPS, SYMBOLS, FRAMES, SPEAKERS = 2, 12, 40, 3
AUTOCAST = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}
PLANTS: dict[str, Callable[[Tensor], object]] = {
    "item": lambda x: x * x.sum().item(),
    "CPU tensor": lambda x: x + torch.ones(x.shape, device="cpu"),
}


def main() -> None:
    """Print a result per quality and precision, and the error of each plant."""
    patches.install()
    results: dict[str, Any] = {"torch": torch.__version__, "plants": {}}
    with patch.object(synthesizer, "longest", lambda lengths: FRAMES):  # the one deliberate read
        for row in qualities().values():
            spectrum = Spectrum(row.rate_hz)  # computing its filters needs real values
            for precision, dtype in AUTOCAST.items():
                with FakeTensorMode(), _autocast(dtype):
                    results[f"{row.name} {precision}"] = _forward(row, spectrum)
    with FakeTensorMode():
        for name, plant in PLANTS.items():
            try:
                plant(torch.ones(3, device=CUDA))
            except Exception as error:
                results["plants"][name] = type(error).__name__
    print(json.dumps(results))


def _forward(row: Quality, spectrum: Spectrum) -> dict[str, list[str]]:
    """The losses of a training pass and the samples of a sentence: their devices and types."""
    with CUDA:
        generator = synthesizer.Synthesizer(row, 256, SPEAKERS)
        discriminator = MultiPeriodDiscriminator(row.discriminator_divisor)
        text, wave = torch.ones(CLIPS, SYMBOLS, dtype=torch.long), torch.ones(CLIPS, FRAMES * HOP)
        numbers = torch.ones(CLIPS, dtype=torch.long)  # lengths and speakers
    spectrum._apply(lambda buffer: torch.ones(buffer.shape, device=CUDA))
    networks = Networks(generator=generator, discriminator=discriminator, spectrum=spectrum)
    spec = spectrum.linear(wave)
    out = generator(text, numbers, spec, numbers, numbers)
    real, real_features = discriminator(out.wave.detach())
    score, features = discriminator(out.wave)
    losses = [
        mel_distance(networks, spec, out),
        kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask),
        out.duration_loss,
        generator_adversarial(score),
        feature_matching(real_features, features),
        discriminator_adversarial(real, score),
    ]
    with torch.no_grad():
        speech = generator.eval().infer(text, numbers, speaker=numbers)
    return {
        "losses": sorted({f"{loss.device} {loss.dtype}" for loss in losses}),
        "waves": sorted({f"{one.device} {one.dtype}" for one in (out.wave, speech)}),
    }


@contextmanager
def _autocast(dtype: torch.dtype | None) -> Iterator[None]:
    """Autocast for CUDA, which torch.autocast refuses without a GPU."""
    torch.set_autocast_enabled("cuda", dtype is not None)
    torch.set_autocast_dtype("cuda", dtype or torch.float16)
    try:
        yield
    finally:
        torch.set_autocast_enabled("cuda", False)


if __name__ == "__main__":
    main()
