"""The adapter of the pack `xtts`: XTTS v2, by coqui-tts.

It runs in the environment of the engine and imports nothing of voxmatrix.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

# XTTS needs torchaudio's Python alone; its library does not load beside a torch of another build.
_extension = ModuleType("torchaudio._extension")
_extension.__dict__.update(_IS_TORCHAUDIO_EXT_AVAILABLE=False, _IS_ALIGN_AVAILABLE=False, fail_if_no_align=lambda f: f)
sys.modules["torchaudio._extension"] = _extension

import numpy as np
import torch
from TTS.tts.configs.xtts_config import XttsConfig
from TTS.tts.models.xtts import Xtts

#: Seconds of a reference that are used, and of its parts.
REFERENCE_SECONDS, PART_SECONDS = 30, 6
#: coqui-tts asserts that a text has fewer tokens.
MAX_TOKENS = 400


class EngineError(Exception):
    """What the model cannot do; `kind` is a word of the protocol."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@contextmanager
def _nothing_is_saved() -> Iterator[None]:
    """coqui-tts converts original weights, and would write them over those that were checked."""
    save = torch.save
    torch.save = lambda *_, **__: None
    try:
        yield
    finally:
        torch.save = save


class Engine:
    """What the protocol asks for: `open` makes one."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        ((name, folder),) = request["weights"].items()
        for file in ("config.json", "model.pth", "vocab.json"):
            if not Path(folder, file).is_file():
                raise EngineError("weights", f"{name} has no {file}")
        if request.get("threads"):
            torch.set_num_threads(request["threads"])
        config = XttsConfig()
        config.load_json(str(Path(folder, "config.json")))
        self._model = Xtts(config)
        with _nothing_is_saved():
            self._model.load_checkpoint(config, checkpoint_dir=folder, eval=True)
        self._model.to(request["device"])
        self._rate = int(config.model_args.output_sample_rate)
        self._heard: dict[bytes, tuple[Any, Any]] = {}
        memory = sum(one.numel() * one.element_size() for one in self._model.parameters())
        self.opened = {"rate": self._rate, "memory": memory, "attention": "eager"}

    def speak(
        self, request: Mapping[str, Any], references: list[tuple[Any, int, str]], emit: Callable[[Any], None]
    ) -> dict[str, Any]:
        """Speak one text in the voice of the recording."""
        if not references:
            raise EngineError("reference", "XTTS imitates a recording, and there is none")
        language, knobs = request["language"].partition("-")[0], request.get("knobs") or {}
        language = {"zh": "zh-cn"}.get(language, language)
        if len(self._model.tokenizer.encode(request["text"], lang=language)) >= MAX_TOKENS:
            raise EngineError("text", f"a sentence has {MAX_TOKENS} tokens or more: {request['text'][:60]}…")
        latents, embedding = self._listen(np.asarray(references[0][0], np.float32), references[0][1])
        torch.manual_seed(request["seed"]) if request.get("seed") is not None else torch.seed()
        with torch.inference_mode():
            for part in self._model.inference_stream(
                request["text"],
                language,
                latents,
                embedding,
                temperature=knobs.get("temperature", 0.75),
                top_p=knobs.get("top_p", 0.85),
                repetition_penalty=knobs.get("repetition", 10.0),
                speed=request.get("speed", 1.0),
            ):
                emit(part.detach().float().cpu().numpy())
        return {}

    def _listen(self, samples: Any, rate: int) -> tuple[Any, Any]:
        """What the model keeps of a recording, which is computed once."""
        key = samples.tobytes()
        if key not in self._heard:
            wave = torch.from_numpy(samples)[None]
            with torch.inference_mode():
                latents = self._model.get_gpt_cond_latents(
                    wave, rate, length=REFERENCE_SECONDS, chunk_length=PART_SECONDS
                )
                self._heard[key] = latents, self._model.get_speaker_embedding(wave, rate)
        return self._heard[key]


def open(request: Mapping[str, Any]) -> Engine:
    """Load the model in the folder of its weights."""
    return Engine(request)
