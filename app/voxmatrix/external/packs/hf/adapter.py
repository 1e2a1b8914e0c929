"""The adapter of the pack `hf`: VibeVoice, CSM, Dia and Pocket TTS, by transformers.

It runs in the environment of the engine and imports nothing of voxmatrix.
"""

import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Nothing here needs torchaudio. transformers imports one that it finds, and fails if it was built for another torch.
sys.modules["torchaudio"] = None  # type: ignore[assignment]

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

Samples = NDArray[np.float32]
#: Takes the next samples; an exception of its own ends the sentence, which nobody wants any more.
Emit = Callable[[Samples], None]

#: Seconds of speech for a character, and for any text: a model that has not ended by then will not end.
MAX_SECONDS_PER_CHARACTER, MAX_SECONDS_MORE = 0.4, 5.0
#: Speakers of VibeVoice and Dia in one text.
MAX_SPEAKERS = {"vibevoice": 4, "dia": 2}


class Reference(NamedTuple):
    """A recording of the voice to speak with: mono samples at the rate of the model, and what is said in it."""

    samples: Samples
    transcript: str = ""


class Script(NamedTuple):
    """What to speak: turns are (speaker, text); the references are those of the speakers."""

    turns: list[tuple[str, str]]
    references: Mapping[str, Reference]
    knobs: Mapping[str, float]

    def numbers(self, most: int) -> dict[str, int]:
        """The speakers by number, in order."""
        numbers = {speaker: number for number, speaker in enumerate(dict.fromkeys(who for who, _ in self.turns))}
        if len(numbers) > most:
            raise EngineError("text", f"{len(numbers)} speakers, and the model has {most} in one text")
        return numbers


class EngineError(Exception):
    """What the model cannot do; `kind` is a word of the protocol."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Model(ABC):
    """An open model."""

    #: The class of transformers; `auto` finds the processor of each.
    model_class: str
    #: Attention is that of a part of the model, not of all of it.
    attention_part = ""

    def __init__(self, folder: str, request: Mapping[str, Any]) -> None:
        attention = {self.attention_part: request["attention"]} if self.attention_part else request["attention"]
        os.chdir(folder)  # where the codec is that a processor names, such as descript/dac_44khz
        self.processor = transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)
        self.model = getattr(transformers, self.model_class).from_pretrained(
            folder,
            dtype=getattr(torch, request["dtype"]),
            attn_implementation=attention,
            device_map={"": request["device"]},
            use_safetensors=True,
            local_files_only=True,
        )
        self.model.eval()
        codec = getattr(self.processor, "audio_tokenizer", None)
        if codec is not None:
            codec.to(self.model.device).eval()
        parameters = [*self.model.parameters(), *(codec.parameters() if codec is not None else ())]
        self.bytes = sum(one.numel() * one.element_size() for one in parameters)

    @property
    def rate(self) -> int:
        """Of its samples, in Hz."""
        return int(self.processor.feature_extractor.sampling_rate)

    @abstractmethod
    def speak(self, script: Script, emit: Emit) -> bool:
        """Speak, and return whether the speech was cut because it did not end."""

    def inputs(self, conversation: list[dict[str, Any]]) -> Any:
        """What the model takes for a conversation, on its device."""
        given = self.processor.apply_chat_template(conversation, return_dict=True, tokenize=True, return_tensors="pt")
        return given.to(self.model.device, self.model.dtype)

    def tokens(self, script: Script, tokens_per_second: float) -> int:
        """The most tokens for these texts."""
        seconds = MAX_SECONDS_PER_CHARACTER * sum(len(text) for _, text in script.turns) + MAX_SECONDS_MORE
        return min(int(seconds * tokens_per_second), self.model.generation_config.max_new_tokens or sys.maxsize)


def _turn(speaker: str, text: str = "", reference: Reference | None = None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if reference is not None:
        content.append({"type": "audio", "audio": reference.samples})
    return {"role": speaker, "content": content}


class VibeVoice(Model):
    """Microsoft's VibeVoice: scripts of up to four speakers, streamed by frames of 3,200 samples."""

    model_class = "VibeVoiceForConditionalGeneration"
    attention_part = "text_config"  # its tokenizers refuse any, and so would the whole model

    def speak(self, script: Script, emit: Emit) -> bool:
        numbers, unheard = script.numbers(MAX_SPEAKERS["vibevoice"]), dict(script.references)
        given = self.inputs([_turn(str(numbers[who]), text, unheard.pop(who, None)) for who, text in script.turns])
        tower = self.model.model.audio_tower

        def decode(*args: Any, **options: Any) -> Any:
            frame = type(tower).decode(tower, *args, **options)
            emit(_samples(frame.audio))
            return frame

        limit = self.tokens(script, self.rate / self.processor.feature_extractor.pad_to_multiple_of)
        tower.decode = decode
        try:
            done = self.model.generate(
                **given,
                max_new_tokens=limit,
                guidance_scale=script.knobs.get("cfg", 1.3),
                num_diffusion_steps=int(script.knobs.get("steps", 10)),
                return_dict_in_generate=True,
            )
        finally:
            del tower.decode
        return bool(int(done.sequences[0, -1]) != self.model.config.eos_token_id)


class Whole(Model):
    """A model whose samples come at the end, turn by turn. It is stopped between two steps."""

    def speak(self, script: Script, emit: Emit) -> bool:
        nothing = np.zeros(0, np.float32)
        hook = self.model.register_forward_pre_hook(lambda *_: emit(nothing))
        try:
            cut = [self.say(script._replace(turns=part), emit) for part in self.parts(script.turns)]
            return any(cut)
        finally:
            hook.remove()

    def parts(self, turns: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        """What is generated at once."""
        return [[turn] for turn in turns]

    @abstractmethod
    def say(self, script: Script, emit: Emit) -> bool:
        """Speak one part, and return whether it was cut."""


class Csm(Whole):
    """Sesame's CSM: a reference is an earlier turn of the conversation, so its words must be known."""

    model_class = "CsmForConditionalGeneration"

    def say(self, script: Script, emit: Emit) -> bool:
        ((who, text),) = script.turns
        reference = script.references.get(who)
        if reference is not None and not reference.transcript:
            raise EngineError("reference", "CSM needs the words of the reference, and there is no transcript")
        earlier = [_turn("0", reference.transcript, reference)] if reference is not None else []
        given = self.inputs([*earlier, _turn("0", text)])
        config = self.model.config
        limit = self.tokens(script, self.model.codec_model.config.frame_rate)
        temperature = script.knobs.get("temperature", 0.9)
        done = self.model.generate(
            **given,
            output_audio=True,
            return_dict_in_generate=True,
            max_new_tokens=limit,
            do_sample=True,
            temperature=temperature,
            depth_decoder_do_sample=True,
            depth_decoder_temperature=temperature,
        )
        emit(_samples(done.audio[0]))
        return bool((done.sequences[0, -1] != config.codebook_eos_token_id).any())


class Dia(Whole):
    """Nari's Dia: dialogues of two speakers, of 44.1 kHz."""

    model_class = "DiaForConditionalGeneration"

    def parts(self, turns: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        return [turns]

    def say(self, script: Script, emit: Emit) -> bool:
        numbers = script.numbers(MAX_SPEAKERS["dia"])
        text = " ".join(f"[S{numbers[who] + 1}] {words}" for who, words in script.turns)
        reference, options = script.references.get(script.turns[0][0]), {}
        if reference is not None:
            if not reference.transcript:
                raise EngineError("reference", "Dia needs the words of the reference, and there is no transcript")
            text, options = f"[S1] {reference.transcript} {text}", {"audio": reference.samples}
        given = self.processor(text=[text], padding=True, return_tensors="pt", **options).to(self.model.device)
        codec = self.processor.audio_tokenizer.config
        limit = self.tokens(script, self.rate / np.prod(codec.downsampling_ratios))
        done = self.model.generate(
            **given,
            max_new_tokens=limit,
            do_sample=True,
            guidance_scale=script.knobs.get("cfg", 3.0),
            temperature=script.knobs.get("temperature", 1.8),
            top_p=0.9,
            top_k=45,
        )
        heard = self.processor.get_audio_prompt_len(given["decoder_attention_mask"]) if options else None
        emit(_samples(self.processor.batch_decode(done, audio_prompt_len=heard)[0]))
        return bool(done.shape[1] - given["decoder_input_ids"].shape[1] >= limit)


class Pocket(Whole):
    """Kyutai's Pocket TTS: small enough for a CPU. Texts are spoken in parts of 50 tokens."""

    model_class = "PocketTTSForConditionalGeneration"

    def parts(self, turns: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        return [[(who, part)] for who, text in turns for part in self.processor.split_text(text)]

    def say(self, script: Script, emit: Emit) -> bool:
        ((who, text),) = script.turns
        given = self.inputs([_turn("user", text, script.references.get(who))])
        limit = self.tokens(script, self.model.config.frame_rate)
        done = self.model.generate(
            **given,
            max_new_tokens=limit,
            do_sample=True,
            temperature=script.knobs.get("temperature", 0.7),
            num_flow_steps=int(script.knobs.get("steps", 1)),
            return_dict_in_generate=False,
        )
        emit(_samples(self.processor.decode(done[0])))
        return len(done[0]) >= limit


def _samples(audio: torch.Tensor) -> Samples:
    samples: Samples = audio.detach().float().cpu().reshape(-1).numpy()
    return samples


#: By `model_type` of a folder's config.json.
MODELS: dict[str, type[Model]] = {"vibevoice": VibeVoice, "csm": Csm, "dia": Dia, "pocket_tts": Pocket}


class Engine:
    """What the protocol asks for: `open` makes one."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        ((name, folder),) = request["weights"].items()
        try:
            kind = MODELS[json.loads(Path(folder, "config.json").read_text(encoding="utf-8"))["model_type"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EngineError("weights", f"{name} is none of {', '.join(MODELS)}: {error!r}") from error
        if request.get("threads"):
            torch.set_num_threads(request["threads"])
        self._model = kind(folder, request)
        self.opened = {"rate": self._model.rate, "memory": self._model.bytes, "attention": request["attention"]}

    def speak(
        self, request: Mapping[str, Any], references: list[tuple[Any, int, str] | None], emit: Emit
    ) -> dict[str, Any]:
        """Speak one text, or the turns of several speakers, who have the references in order."""
        turns = [(str(who), text) for who, text in request.get("turns") or [["", request["text"]]]]
        speakers = dict.fromkeys(who for who, _ in turns)
        heard = {
            who: Reference(np.asarray(reference[0], np.float32), reference[2])
            for who, reference in zip(speakers, references, strict=False)
            if reference is not None
        }
        torch.manual_seed(request["seed"]) if request.get("seed") is not None else torch.seed()
        with torch.inference_mode():
            return {"truncated": self._model.speak(Script(turns, heard, request.get("knobs") or {}), emit)}


def open(request: Mapping[str, Any]) -> Engine:
    """Load the model in the folder of its weights."""
    return Engine(request)
