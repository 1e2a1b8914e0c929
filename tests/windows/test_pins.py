"""What is locked for Windows: one torch, one onnxruntime, and all of it with hashes."""

from tools import matrix
from tools.locks import pins

ROW = matrix.rows()["directml-windows"]
LOCKED = pins.parse((matrix.ROOT / ROW.pins).read_text(encoding="utf-8"))


def test_directml_brings_its_own_onnxruntime() -> None:
    assert "onnxruntime-directml" in LOCKED and "onnxruntime" not in LOCKED  # one module, two projects


def test_torch_is_the_one_that_torch_directml_was_made_for() -> None:
    assert {name: LOCKED[name].version for name in ("torch", "torchaudio", "torchvision")} == {
        "torch": "2.4.1", "torchaudio": "2.4.1", "torchvision": "0.19.1",
    }  # fmt: skip
    assert LOCKED["torch-directml"].version == "0.2.5.dev240914"


def test_the_parts_of_the_runtime_that_pythons_installer_lacks_are_locked_too() -> None:
    assert LOCKED["msvc-runtime"].hashes
    assert not [name for name in LOCKED if name.startswith("nvidia-") and name != "nvidia-ml-py"]
