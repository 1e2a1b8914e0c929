"""S2: the command lines of the third seed, hardware auto-optimisation, as they are typed here."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.conftest import Type, told

SAMPLES = Path(__file__).parents[2] / "samples" / "en"


@pytest.fixture
def words(tmp_path: Path) -> tuple[str, ...]:
    """`python trainers/train_gpt_v2.py --train-manifest … --val-manifest … --tokenizer …`."""
    (tmp_path / "data" / "wavs").mkdir(parents=True)
    lines = (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()[:3]
    for line in lines:
        (path,) = (SAMPLES / "wavs").glob(f"{line.partition('|')[0]}.*")
        shutil.copy(path, tmp_path / "data" / "wavs")
    (tmp_path / "data" / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "train", "data", "--out", "run", "--phonemes", "text", "--no-ears", "--force"


def overridden(trained: list[tuple[Any, Any]]) -> dict[str, object]:
    ((_, settings),) = trained
    forced = vars(settings.overrides)
    return {name: setting.value for name, setting in forced.items() if name != "device" and setting is not None}


def test_a_training_needs_no_settings(words: tuple[str, ...], typed: Type, trained: list[tuple[Any, Any]]) -> None:
    typed(*words, "--device", "cpu")
    assert overridden(trained) == {}
    assert len(trained[0][0].clips) == 3


@pytest.mark.parametrize(
    ("more", "forced"),
    [
        (
            ("--batch-size", "12", "--grad-accumulation", "3", "--num-workers", "4", "--amp"),
            {"batch_size": 12, "accumulation": 3, "workers": 4},
        ),
        (("--batch-size", "0", "--grad-accumulation", "0", "--num-workers", "0"), {}),
        (("--grad-checkpointing",), {"gradient_checkpointing": True}),
        (("--batch-size", "4"), {"batch_size": 4}),
        (("--num-workers", "2"), {"workers": 2}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_every_setting_can_be_forced_and_0_is_automatic(
    words: tuple[str, ...],
    more: tuple[str, ...],
    forced: dict[str, object],
    typed: Type,
    trained: list[tuple[Any, Any]],
) -> None:
    typed(*words, "--device", "cpu", *more)
    assert overridden(trained) == forced


@pytest.mark.parametrize(
    ("name", "memory", "precision", "tf32"),
    [
        ("a100-80", 80, "bf16", True), ("l4", 24, "bf16", True), ("rtx-4090", 24, "bf16", True),
        ("rtx-3090", 24, "bf16", True), ("v100", 16, "fp16", False), ("rtx-4080", 16, "bf16", True),
        ("t4", 16, "fp16", False), ("rtx-3060", 12, "bf16", True), ("rtx-3050", 8, "bf16", True),
        ("gtx-1660", 6, "fp32", False), ("gtx-1080-ti", 11, "fp32", False), ("no-gpu", 0, "fp32", False),
    ],
)  # fmt: skip
def test_what_is_detected_is_shown_with_what_is_chosen_and_why(
    name: str, memory: int, precision: str, tf32: bool, typed: Type, on: Callable[[str], None]
) -> None:
    """`python -m indextts.utils.hardware_optimizer`: the table of the seed, as mission.md corrects it."""
    on(name)
    settings = told(typed("plan", "--json"))["settings"]
    assert (settings["precision"]["value"], settings["tf32"]["value"]) == (precision, tf32)
    assert settings["effective_batch"]["value"] == 32
    assert settings["workers"]["value"] <= 16 and settings["prepare_workers"]["value"] <= 16
    assert all(each["reason"] for each in settings.values())
    if memory:
        (gpu,) = [row for row in told(typed("devices", "--json"))["devices"] if row["device"] != "cpu"]
        assert gpu["memory_mib"] / 1024 == pytest.approx(memory, rel=0.07)
