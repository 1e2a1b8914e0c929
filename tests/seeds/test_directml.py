"""S1: the command lines of the second seed, DirectML on Windows, as they are typed here.

What the launcher itself does is in tests/windows: here are the words and variables that it passes on.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.conftest import Type, told


@pytest.fixture(autouse=True)
def _windows(on: Callable[[str], None]) -> None:
    on("windows-directml")


def test_the_adapters_are_listed_with_memory_and_driver(typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    """`…-directml.ps1 -ListGpus`, `python detect-gpus.py`, `python -c "import torch_directml; …"`."""
    monkeypatch.setenv("COLUMNS", "160")
    said = typed("devices")
    for word in ("directml:0", "Intel(R) UHD Graphics 750", "directml:1", "AMD Radeon RX 6600"):
        assert word in said
    rows = told(typed("devices", "--json"))["devices"]
    assert [row["driver"] for row in rows if row["device"] != "cpu"] == ["31.0.101.2125", "31.0.21921.1000"]


@pytest.mark.parametrize(
    ("variables", "device"),
    [
        ({}, "directml:1"),  # …-directml.ps1
        ({"VOXMATRIX_DEVICE": "directml:0"}, "directml:0"),  # -Device directml -GpuIndex 0
        ({"VOXMATRIX_DEVICE": "directml:1"}, "directml:1"),  # -Device directml -GpuIndex 1
        ({"VOXMATRIX_DEVICE": "directml"}, "directml:1"),  # -Device directml
        ({"VOXMATRIX_DEVICE": "cpu"}, "cpu"),  # -Device cpu
        ({"VOXMATRIX_GPU": "0"}, "directml:0"),  # -GpuIndex 0
        ({"VIBEVOICE_DEVICE": "directml", "DIRECTML_DEVICE": "0"}, "directml:0"),
        ({"VIBEVOICE_DEVICE": "directml", "DIRECTML_DEVICE": "1"}, "directml:1"),
        ({"VIBEVOICE_DEVICE": "cpu"}, "cpu"),
        ({"VIBEVOICE_DEVICE": "cuda"}, "cpu"),  # not there: the CPU, with the reason
    ],
    ids=str,
)
def test_the_device_is_chosen_by_switches_and_variables(
    variables: dict[str, str], device: str, typed: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    plan = told(typed("plan", "--task", "speak", "--json"))
    assert plan["settings"]["device"]["value"] == device
    assert ("falling back to the CPU" in str(plan)) == ("cuda" in variables.values())


def test_the_server_reads_the_file_of_settings(typed: Type, served: list[Any], tmp_path: Path) -> None:
    """`Plataforma/tts/.env`, with a model that is here."""
    lines = ["VIBEVOICE_MODEL=en_US-heart-student", "VIBEVOICE_PORT=3000", "VIBEVOICE_DEVICE=directml"]
    (tmp_path / ".env").write_text("\n".join([*lines, "DIRECTML_DEVICE=0"]), encoding="utf-8")
    assert "./.env sets DIRECTML_DEVICE, VIBEVOICE_DEVICE, VIBEVOICE_MODEL, VIBEVOICE_PORT" in typed("serve")
    (one,) = served
    assert (one.voice.stem, one.port, one.device.kind, one.device.index) == ("en_US-heart-student", 3000, "directml", 0)
    assert one.device.fallback == "cpu"


def test_a_model_of_vibevoice_leads_to_the_engine_that_speaks_it(
    typed: Type, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`VIBEVOICE_MODEL=microsoft/VibeVoice-Realtime-0.5B`, word for word: its weights are not here."""
    monkeypatch.setenv("VIBEVOICE_MODEL", "microsoft/VibeVoice-Realtime-0.5B")
    said = typed("serve", expect=3)
    assert "there is no voice microsoft/VibeVoice-Realtime-0.5B" in said
    assert "voxmatrix engines install hf --weights vibevoice-1-5b, then VIBEVOICE_MODEL=hf/vibevoice-1-5b" in said
    assert "engines install" not in typed("serve", "--voice", "my-vibevoice", expect=3)
    assert not served


def test_training_there_is_refused_in_a_sentence(typed: Type) -> None:
    assert "cannot train a voice" in typed("train", "data", "--out", "run", "--device", "directml:0", expect=4)


def test_the_check_in_detail(typed: Type) -> None:
    """`python detect-gpus.py --test`."""
    assert "Intel(R) UHD Graphics 750" in typed("doctor", "--no-smoke", "--verbose")


@pytest.mark.slow
def test_the_benchmark_compares_with_the_cpu(typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python test-directml-performance.py`."""
    monkeypatch.delenv("VOXMATRIX_MACHINE")
    rows = told(typed("bench", "matmul", "--size", "64", "--runs", "1", "--device", "cpu", "--json"))
    assert [(row["device"], row["times_cpu"]) for row in rows["rows"]] == [("cpu", 1.0)]
