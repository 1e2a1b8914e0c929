"""A sentence on a GPU is read back twice: how long it becomes, and its samples."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.device_traffic import DEVICE, DeviceTraffic
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.torch import TorchEngine, speaking_generator
from voxmatrix.tables.quality import HOP, qualities
from voxmatrix.vits import synthesizer
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint
from voxmatrix.vits.layers.masks import sequence_mask

FRAMES = 90


@pytest.fixture
def traffic(make_checkpoint: Callable[..., Path], ids: list[int]) -> Callable[..., DeviceTraffic]:
    """Speak a sentence of a quality that becomes FRAMES long."""

    def speak(quality: str = "tiny", speakers: int = 1) -> DeviceTraffic:
        checkpoint = read_checkpoint(make_checkpoint(quality, speakers, "text"))
        engine = TorchEngine(speaking_generator(checkpoint), DEVICE, "the GPU")
        (part,) = engine.begin(ids, SynthesisOptions(speaker=speakers - 1), 1).segments
        with DeviceTraffic(FRAMES) as traffic:
            samples = part()
        assert samples.shape == (FRAMES * HOP,)
        return traffic

    return speak


@pytest.mark.parametrize(("quality", "speakers"), [*((name, 1) for name in qualities()), ("tiny", 3)])
def test_a_sentence_of_every_quality_is_read_back_once_for_its_length_and_once_for_its_samples(
    quality: str, speakers: int, traffic: Callable[..., DeviceTraffic]
) -> None:
    seen = traffic(quality, speakers)
    assert seen.reads == ["number", "tensor"]
    assert len(seen.uploads) == 2, "the noise of the rhythm and of the sound"
    assert seen.on_cpu <= {"lift_fresh.default", "detach.default"}


@pytest.mark.parametrize("plant", [lambda mask: mask * mask.sum().item(), lambda mask: mask * torch.ones(1)])
def test_another_read_or_a_tensor_on_the_cpu_is_noticed(
    plant: Callable[[Tensor], Tensor], traffic: Callable[..., DeviceTraffic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesizer, "sequence_mask", lambda lengths, size: plant(sequence_mask(lengths, size)))
    with pytest.raises(Exception, match=r"read back|on device cpu"):
        traffic()
