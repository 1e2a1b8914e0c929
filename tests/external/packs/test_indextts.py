"""The adapter of the pack `indextts`, with a model that only takes notes; `test_installation` has the real one."""

import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
import torch

from voxmatrix.external.installed import PACKS

RECORDING = (np.linspace(-0.5, 0.5, 22050).astype(np.float32), 22050, "")


class Model:
    """Says a second for each word, and asks its networks once for each."""

    cfg = SimpleNamespace(gpt=SimpleNamespace(max_mel_tokens=1500))

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.gpt, self.campplus_model = torch.nn.Linear(2, 2), torch.nn.Linear(1, 1)
        self.gpt.inference_model = torch.nn.Identity()
        self.s2mel = torch.nn.Module()
        self.s2mel.models = torch.nn.ModuleDict({"cfm": torch.nn.Module()})
        self.s2mel.models["cfm"].estimator = torch.nn.Identity()
        self.semantic_model = self.semantic_codec = self.bigvgan = torch.nn.Identity()
        self.asked: list[tuple[Any, ...]] = []

    def infer_generator(self, file: str, text: str, out: None, language: str, **options: Any) -> Iterator[torch.Tensor]:
        self.asked.append((soundfile.read(file)[0], text, language, options))
        for _ in text.split():
            self.gpt.inference_model(torch.zeros(1))
            yield torch.full((1, 22050), 32767.0)


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    fakes = {
        "indextts25.infer_v2_5": {"IndexTTS2": Model},
        "indextts25.utils.tokenizer": {"LANGUAGE_DICT": {"en": "english"}},
    }
    for name in ("indextts25", "indextts25.utils", *fakes):
        module = ModuleType(name)
        module.__dict__.update(fakes.get(name, {}))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "torchaudio", None)
    spec = spec_from_file_location("indextts_adapter", PACKS / "indextts" / "adapter.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def open_(adapter: ModuleType, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    for name in adapter.FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    request = {"weights": {"indextts-2-5": str(tmp_path)}, "device": "cpu", "attention": "sdpa"}
    opened = []

    def open_one(dtype: str = "float32") -> Any:
        opened.append(adapter.open({**request, "dtype": dtype}))
        return opened[-1]

    yield open_one
    for file in (file for engine in opened for file in engine._recordings.values()):
        file.close()


def speak(engine: Any, emit: Callable[[Any], None] = lambda samples: None, **more: Any) -> tuple[Any, ...]:
    request = {"text": "Hello you.", "language": "en-us", "speed": 1.25, "seed": 1, **more}
    engine.speak(request, [RECORDING], emit)
    asked: tuple[Any, ...] = engine._model.asked[-1]
    return asked


@pytest.mark.parametrize(("dtype", "bfloat16"), [("bfloat16", True), ("float32", False)])
def test_it_computes_in_bfloat16_or_float32(open_: Callable[..., Any], dtype: str, bfloat16: bool) -> None:
    assert open_(dtype)._model.options["use_bf16"] is bfloat16


def test_it_imitates_the_recording_at_its_speed_with_the_emotions_that_are_set(open_: Callable[..., Any]) -> None:
    engine, heard = open_(), []
    recording, text, language, options = speak(engine, heard.append)
    assert np.allclose(recording, RECORDING[0]) and (text, language) == ("Hello you.", "en")
    assert options["emo_vector"] is None and options["duration_factor"] == 0.8
    assert options["text_normalization"] is False
    assert sum(map(len, heard)) == 2 * 22050 and max(map(np.max, filter(len, heard))) == 1.0
    assert speak(engine, knobs={"sad": 0.5})[3]["emo_vector"] == [0, 0, 0.5, 0, 0, 0, 0, 0]
    assert sum(speak(engine, knobs={"happy": 1.0, "calm": 1.0})[3]["emo_vector"]) == pytest.approx(0.8)


def test_it_stops_within_a_segment(open_: Callable[..., Any]) -> None:
    engine, calls = open_(), []

    def emit(samples: Any) -> None:
        calls.append(len(samples))
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        speak(engine, emit, text="many words that nobody wants")
    assert calls == [0, 22050, 0]
    assert not engine._model.gpt.inference_model._forward_pre_hooks


@pytest.mark.parametrize("name", ["config.yaml", "hf_cache/bigvgan/bigvgan_generator.pt"])
def test_what_is_missing_is_an_error_and_not_fetched(
    name: str, adapter: ModuleType, open_: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / name).unlink()
    with pytest.raises(adapter.EngineError, match=name) as caught:
        open_()
    assert caught.value.kind == "weights"


def test_a_language_and_a_recording_that_it_needs_are_said(adapter: ModuleType, open_: Callable[..., Any]) -> None:
    with pytest.raises(adapter.EngineError, match="no language 'xx'"):
        speak(open_(), language="xx")
    with pytest.raises(adapter.EngineError, match="imitates a recording"):
        open_().speak({"text": "Hello", "language": "en"}, [], lambda samples: None)
