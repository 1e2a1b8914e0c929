"""How far the generator looks is as far as a change at one frame is heard."""

from dataclasses import replace

import pytest
import torch

from voxmatrix.tables.quality import HOP, quality
from voxmatrix.vits.decoders import make_decoder
from voxmatrix.vits.layers.norm import remove_weight_norm


@pytest.mark.parametrize("name", ["tiny", "x_low", "fast", "medium", "high"])
def test_a_change_at_one_frame_is_heard_within_the_margin_and_nowhere_else(name: str) -> None:
    row = quality(name)
    with torch.device("meta"):
        margin = make_decoder(row, 0).margin
    assert (5 if row.decoder == "istft" else 10) < margin < 20

    torch.manual_seed(0)
    decoder = make_decoder(replace(row, upsample_channels=16), 0).eval()  # thin, and no less far-sighted
    assert decoder.margin == margin
    z = torch.randn(1, row.inter_channels, 2 * margin + 3)
    other, middle = z.clone(), margin + 1
    other[:, :, middle] += 100
    with torch.no_grad():
        changed = (decoder(z) != decoder(other)).flatten().nonzero().flatten() // HOP

    assert int(changed.min()) >= middle - margin and int(changed.max()) <= middle + margin
    assert int(changed.max()) - int(changed.min()) >= margin  # and not much is seen in vain


def test_plain_weights_change_nothing() -> None:
    decoder = make_decoder(quality("tiny"), 0)
    remove_weight_norm(decoder)
    assert decoder.margin == 12
