"""Voices of random weights, as checkpoints and exported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.shared import once
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.export import export_voice
from voxmatrix.tables.quality import quality
from voxmatrix.text.symbols import NUM_SYMBOLS, default_map
from voxmatrix.vits.checkpoint.checkpoint import EXTRA, piper_hyper_parameters, piper_state
from voxmatrix.vits.synthesizer import Synthesizer

MakeCheckpoint = Callable[..., Path]


def _liven(module: nn.Module) -> None:
    """Random numbers in every weight, so that parts which begin at zero take part; sounds of a usual length."""
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn(weight.shape, generator=random) * 0.02)
        getattr(module.dec, "conv_post", module.dec.conv_pre).weight.mul_(10)
        module.dp.flows[0].m[0] = -1.1  # some three frames a symbol
        module.dp.flows[0].logs[0] = 1.0


@pytest.fixture(scope="session")
def checkpoint_content() -> Callable[..., dict[str, Any]]:
    """What a checkpoint file of a random voice holds."""

    def make(name: str = "tiny", speakers: int = 1, phoneme_type: str = "espeak") -> dict[str, Any]:
        torch.manual_seed(1)
        row = quality(name)
        generator = Synthesizer(row, NUM_SYMBOLS, speakers)
        _liven(generator)
        config = VoiceConfig(
            rate_hz=row.rate_hz,
            quality=name,
            espeak_voice="en-us",
            num_symbols=NUM_SYMBOLS,
            num_speakers=speakers,
            phoneme_type=phoneme_type,
            id_map=default_map(phoneme_type),
            speaker_id_map={who: number for number, who in enumerate(("anna", "bo", "cleo")[:speakers])}
            if speakers > 1
            else {},
            dataset="random weights",
        )
        return {
            "state_dict": piper_state(generator),
            "hyper_parameters": piper_hyper_parameters(row, NUM_SYMBOLS, speakers, batch_size=1),
            EXTRA: {"card": config.to_json(), "progress": {"step": 7}},
        }

    return make


@pytest.fixture(scope="session")
def make_checkpoint(
    tmp_path_factory: pytest.TempPathFactory, checkpoint_content: Callable[..., dict[str, Any]]
) -> MakeCheckpoint:
    """A checkpoint of a random voice; each kind is made once."""

    def make(name: str = "tiny", speakers: int = 1, phoneme_type: str = "espeak") -> Path:
        def write(folder: Path) -> None:
            torch.save(checkpoint_content(name, speakers, phoneme_type), folder / "voice.ckpt")

        return once(tmp_path_factory, f"checkpoint-{name}-{speakers}-{phoneme_type}", write) / "voice.ckpt"

    return make


@pytest.fixture(scope="session")
def make_onnx(tmp_path_factory: pytest.TempPathFactory, make_checkpoint: MakeCheckpoint) -> MakeCheckpoint:
    """An exported random voice; each kind is made once: it takes some seconds."""

    def make(name: str = "tiny", speakers: int = 1, phoneme_type: str = "espeak") -> Path:
        def export(folder: Path) -> None:
            export_voice(make_checkpoint(name, speakers, phoneme_type), folder / "voice.onnx")

        return once(tmp_path_factory, f"onnx-{name}-{speakers}-{phoneme_type}", export) / "voice.onnx"

    return make


@pytest.fixture
def ids() -> list[int]:
    """A sentence of forty symbols."""
    return np.random.default_rng(3).integers(1, 150, 40).tolist()
