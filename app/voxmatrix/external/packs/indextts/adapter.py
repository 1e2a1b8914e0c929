"""The adapter of the pack `indextts`: IndexTTS 2.5, by indextts25-inference.

It runs in the environment of the engine and imports nothing of voxmatrix.
"""

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

# Nothing here needs torchaudio. transformers imports one that it finds, and fails if it was built for another torch.
sys.modules["torchaudio"] = None  # type: ignore[assignment]

import numpy as np
import soundfile
import torch
from indextts25.infer_v2_5 import IndexTTS2
from indextts25.utils.tokenizer import LANGUAGE_DICT

FILES = (
    "config.yaml",
    "codec.pth",
    "multilingual_zh_ja_yue_char_del.tiktoken",
    "hf_cache/w2v-bert-2.0/model.safetensors",
    "hf_cache/campplus_cn_common.bin",
    "hf_cache/bigvgan/bigvgan_generator.pt",
)
#: In the order of the model. More of them than this leaves too little of the voice.
EMOTIONS = ("happy", "angry", "sad", "afraid", "disgusted", "melancholic", "surprised", "calm")
MAX_EMOTION = 0.8
#: Of its speech; and the seconds for a character, and for any text, in which a text ends.
TOKENS_PER_SECOND, MAX_SECONDS_PER_CHARACTER, MAX_SECONDS_MORE = 50, 0.4, 5.0
#: Tokens of a text that are spoken at once.
SEGMENT_TOKENS = 120


class EngineError(Exception):
    """What the model cannot do; `kind` is a word of the protocol."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Engine:
    """What the protocol asks for: `open` makes one."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        ((name, folder),) = request["weights"].items()
        for file in FILES:  # what is missing would be fetched
            if not Path(folder, file).is_file():
                raise EngineError("weights", f"{name} has no {file}")
        if request.get("threads"):
            torch.set_num_threads(request["threads"])
        self._model = IndexTTS2(
            cfg_path=str(Path(folder, "config.yaml")),
            model_dir=folder,
            use_bf16=request["dtype"] == "bfloat16",
            device=request["device"],
        )
        model = self._model
        parts = (
            model.gpt,
            model.semantic_model,
            model.semantic_codec,
            model.s2mel,
            model.campplus_model,
            model.bigvgan,
        )
        parameters = [one for part in parts for one in part.parameters()]
        memory = sum(one.numel() * one.element_size() for one in parameters)
        self._recordings: dict[bytes, IO[bytes]] = {}
        self.opened = {"rate": 22050, "memory": memory, "attention": "sdpa"}

    def speak(
        self, request: Mapping[str, Any], references: list[tuple[Any, int, str]], emit: Callable[[Any], None]
    ) -> dict[str, Any]:
        """Speak one text in the voice of the recording, segment by segment."""
        if not references:
            raise EngineError("reference", "IndexTTS imitates a recording, and there is none")
        language, knobs = request["language"].partition("-")[0], request.get("knobs") or {}
        if language not in LANGUAGE_DICT:
            raise EngineError("text", f"IndexTTS has no language {language!r}")
        seconds = MAX_SECONDS_PER_CHARACTER * len(request["text"]) + MAX_SECONDS_MORE
        torch.manual_seed(request["seed"]) if request.get("seed") is not None else torch.seed()
        with warnings.catch_warnings(record=True) as told, self._cancelled(emit):
            warnings.simplefilter("always")
            spoken = self._model.infer_generator(
                self._file(*references[0][:2]),
                request["text"],
                None,
                language,
                emo_vector=_emotions(knobs),
                stream_return=True,
                duration_factor=1 / request.get("speed", 1.0),
                text_normalization=False,  # it is a text in words
                max_text_tokens_per_segment=SEGMENT_TOKENS,
                max_mel_tokens=min(int(seconds * TOKENS_PER_SECOND), self._model.cfg.gpt.max_mel_tokens),
                temperature=knobs.get("temperature", 0.8),
                top_p=knobs.get("top_p", 0.8),
                diffusion_steps=int(knobs.get("steps", 25)),
            )
            for samples in spoken:
                emit((samples.reshape(-1).float() / 32767).numpy())
        return {"truncated": any("max_mel_tokens" in str(one.message) for one in told)}

    @contextmanager
    def _cancelled(self, emit: Callable[[Any], None]) -> Iterator[None]:
        """Ask before each step of the networks whether somebody still wants the rest."""
        nothing = np.zeros(0, np.float32)
        steps = (self._model.gpt.inference_model, self._model.s2mel.models["cfm"].estimator)
        hooks = [step.register_forward_pre_hook(lambda *_: emit(nothing)) for step in steps]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _file(self, samples: Any, rate: int) -> str:
        """A file with the recording, which no folder has. The model remembers by its name what it has heard in it."""
        heard = np.asarray(samples, np.float32)
        key = heard.tobytes()
        if key not in self._recordings:
            self._recordings[key] = tempfile.TemporaryFile()  # noqa: SIM115 - for as long as the engine runs
            soundfile.write(self._recordings[key], heard, rate, format="WAV", subtype="FLOAT")
            self._recordings[key].flush()
        self._recordings[key].seek(0)
        return f"/dev/fd/{self._recordings[key].fileno()}"


def _emotions(knobs: Mapping[str, float]) -> list[float] | None:
    """The share of each emotion; None: that of the recording."""
    shares = [knobs.get(name, 0.0) for name in EMOTIONS]
    whole = sum(shares)
    return [share * min(1.0, MAX_EMOTION / whole) for share in shares] if whole else None


def open(request: Mapping[str, Any]) -> Engine:
    """Load the model in the folder of its weights."""
    return Engine(request)
