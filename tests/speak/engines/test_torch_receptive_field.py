"""The reach of torch's generator is that of its export, and as far as a change at one frame is heard."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from voxmatrix.speak.engines.torch import speaking_generator
from voxmatrix.speak.engines.torch_receptive_field import decoder_receptive_field
from voxmatrix.speak.onnx.receptive_field import ReceptiveField
from voxmatrix.tables.quality import HOP, quality
from voxmatrix.voice.checkpoint.checkpoint import read_checkpoint
from voxmatrix.voice.synthesizer import Synthesizer


@pytest.mark.parametrize("name", ["tiny", "x_low", "medium", "high"])
def test_a_change_at_one_frame_is_heard_within_the_reach_and_nowhere_else(name: str) -> None:
    with torch.device("meta"):
        row = quality(name)
        shape = Synthesizer(row, 10).dec
    receptive_field = decoder_receptive_field(shape)
    assert receptive_field.hop == HOP and 10 < receptive_field.margin < 20

    torch.manual_seed(0)
    decoder = Synthesizer(replace(row, upsample_channels=16), 10).dec.eval()  # thin, and no less far-sighted
    assert decoder_receptive_field(decoder) == receptive_field
    z = torch.randn(1, row.inter_channels, 2 * receptive_field.margin + 3)
    other, middle = z.clone(), receptive_field.margin + 1
    other[:, :, middle] += 100
    with torch.no_grad():
        changed = (decoder(z) != decoder(other)).flatten().nonzero().flatten() // HOP

    assert (
        int(changed.min()) >= middle - receptive_field.margin and int(changed.max()) <= middle + receptive_field.margin
    )
    assert int(changed.max()) - int(changed.min()) >= receptive_field.margin  # and not much is seen in vain


def test_plain_weights_change_nothing(make_checkpoint: Callable[..., Path]) -> None:
    generator = speaking_generator(read_checkpoint(make_checkpoint("tiny", 3, "text")))
    assert decoder_receptive_field(generator.dec) == ReceptiveField(12, HOP)
