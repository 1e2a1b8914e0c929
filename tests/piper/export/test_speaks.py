"""A voice that has not learned to speak is not taken for one that has."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import torch
from torch import nn

from voxmatrix.errors import BadInputError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.torch import exported_generator
from voxmatrix.piper.export.export import export_voice
from voxmatrix.piper.export.speaks import LEAST_CHANGES, doubt, sound_changes
from voxmatrix.piper.files import config_path
from voxmatrix.text.symbols import default_map
from voxmatrix.vits.synthesizer import Synthesizer

_SPEAKS = Path("tests/distil/voices/en_US-slt-tiny.onnx")


@pytest.mark.slow
def test_a_voice_that_speaks_passes_unless_its_words_were_not_heard() -> None:
    config, generator = VoiceConfig.read(config_path(_SPEAKS)), exported_generator(_SPEAKS, 1)
    assert sound_changes(generator, config.id_map, config.rate_hz) > 2 * LEAST_CHANGES
    assert doubt(generator, config.id_map, config.rate_hz, {"words_wrong": 0.34}) == ""
    said = doubt(generator, config.id_map, config.rate_hz, {"words_wrong": 0.97})
    assert said == "97 % of its words were not heard at the last validation"


class Fixed(nn.Module):
    """Makes the same sound of any text."""

    def __init__(self, wave: torch.Tensor) -> None:
        super().__init__()
        self.wave = wave

    def infer(self, *_: object) -> torch.Tensor:
        return self.wave[None, None]


_TIME = torch.arange(32_000) / 16_000
_NOISE = 0.1 * torch.randn(32_000, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    "wave",
    [torch.zeros(32_000), torch.sin(6.28 * 200 * _TIME), _NOISE, _NOISE * (1 + torch.sin(6.28 * 4 * _TIME))],
    ids=["silence", "tone", "noise", "noise that is louder and softer"],
)
def test_no_speech_does_not_pass(wave: torch.Tensor) -> None:
    assert "all alike" in doubt(cast(Synthesizer, Fixed(wave)), default_map("espeak"), 16_000, {})


def test_an_untrained_voice_is_refused_and_nothing_is_written_or_told(
    make_checkpoint: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "voice.onnx"
    with pytest.raises(BadInputError, match="has not learned to speak yet: its sounds are all alike") as caught:
        export_voice(make_checkpoint(), out, speech="required")
    assert "`force`" in caught.value.remedy and not list(tmp_path.iterdir())
    assert export_voice(make_checkpoint(), out, speech="told").doubt.startswith("its sounds are all alike")
