"""From ids to samples nothing is computed that DirectML cannot; and the rule that says so can be broken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.piper.directml_rules import AUTOCAST, NotOnDirectmlError, directml_rules
from voxmatrix.audio.waves import Samples
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.torch import TorchEngine, speaking_generator
from voxmatrix.text.front import front_end
from voxmatrix.text.spoken import spoken_sentences
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

TEXT = "The birch canoe slid on the smooth planks. Is that so? Four hours of steady work faced us!"


def sentences(path: Path) -> list[list[int]]:
    config = VoiceConfig.from_json(read_checkpoint(path).extra["card"])
    with front_end(config.espeak_voice, config.phoneme_type, config.id_map) as front:
        return [list(sentence.ids) for sentence in front.sentences(spoken_sentences(TEXT, config.espeak_voice))]


def spoken(path: Path, speaker: int) -> list[Samples]:
    """Every sentence with a seed, so that what is random is the same each time."""
    engine = TorchEngine(speaking_generator(read_checkpoint(path)), torch.device("cpu"), "the CPU")
    said = [
        part() for ids in sentences(path) for part in engine.begin(ids, SynthesisOptions(speaker=speaker), 7).segments
    ]
    assert len(said) == 3
    return said


@pytest.mark.parametrize(
    "kind",
    [
        ("tiny", 1, "text"),
        ("tiny", 3, "text"),
        ("medium", 1, "text"),
        pytest.param(("high", 1, "text"), marks=pytest.mark.slow),
    ],
    ids=lambda kind: "-".join(map(str, kind)),
)
def test_sentences_are_spoken_within_the_rules_and_sound_the_same(
    make_checkpoint: Callable[..., Path], kind: tuple[Any, ...]
) -> None:
    path, speaker = make_checkpoint(*kind), kind[1] - 1
    free = spoken(path, speaker)

    with directml_rules() as rules:
        ruled = spoken(path, speaker)

    assert rules.seen > 1000
    for ours, theirs in zip(ruled, free, strict=True):
        assert ours.shape == theirs.shape and len(ours) > 1000
        assert np.abs(ours - theirs).max() <= 1e-4


WAVE = torch.linspace(-1, 1, 2048)


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (lambda: torch.complex(WAVE, WAVE), "complex64"),
        (lambda: torch.zeros(3, dtype=torch.complex64), "complex64"),
        (lambda: torch.view_as_complex(WAVE.view(-1, 2)), "complex64"),
        (lambda: torch.fft.rfft(WAVE), "transform"),
        (lambda: torch.fft.fft(WAVE), "transform"),
        (lambda: torch.stft(WAVE, 256, 64, window=torch.ones(256), return_complex=True), "transform"),
        (WAVE.double, "float64"),
        (lambda: WAVE + torch.tensor([1.0], dtype=torch.float64), "float64"),
        (WAVE.half, "float16"),
    ],
    ids=["complex", "zeros", "view", "rfft", "fft", "stft", "double", "promoted", "half"],
)
def test_the_rule_refuses(operation: Callable[[], object], said: str) -> None:
    with directml_rules(), pytest.raises(NotOnDirectmlError, match=said):
        operation()


@pytest.mark.parametrize("operation", [lambda x: x + 1, lambda x: x @ x], ids=["kept", "cast"])
def test_the_rule_refuses_autocast(operation: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.ones(4, 4)
    with (
        directml_rules(),
        torch.autocast("cpu", dtype=torch.bfloat16),
        pytest.raises(NotOnDirectmlError, match="autocast"),
    ):
        operation(x)


@pytest.mark.parametrize("kind", [kind for kind in AUTOCAST if kind != "cpu"])
def test_the_rule_refuses_autocast_of_devices_that_are_not_here(kind: str) -> None:
    torch.set_autocast_enabled(kind, True)
    try:
        with directml_rules(), pytest.raises(NotOnDirectmlError, match="autocast"):
            WAVE.abs()
    finally:
        torch.set_autocast_enabled(kind, False)


def test_the_rule_refuses_inference_mode() -> None:
    with torch.inference_mode(), directml_rules(), pytest.raises(NotOnDirectmlError, match="inference mode"):
        WAVE.abs()


def test_a_voice_that_breaks_the_rule_is_caught(make_checkpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "tanh", lambda x: torch.fft.irfft(torch.fft.rfft(x)))

    with directml_rules(), pytest.raises(NotOnDirectmlError, match="transform"):
        spoken(make_checkpoint("tiny", 1, "text"), 0)
