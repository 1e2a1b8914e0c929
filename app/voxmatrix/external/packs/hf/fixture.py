"""Write a model with small random weights, to see that the engine loads and speaks: `fixture.py FOLDER [MODEL]`.

It runs in the environment of the engine. Such a model speaks noise, just as another one speaks words.
"""

import sys
from pathlib import Path
from typing import Any

sys.modules["torchaudio"] = None  # type: ignore[assignment] # see adapter.py

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

#: Frames of speech of any text.
FRAMES = 12
_AUDIO = "{% if c['type'] == 'audio' %}AUDIO{% endif %}"
_TEXT = "{% if c['type'] == 'text' %}TEXT{{ c['text'] }}{% endif %}"


def main(folder: str, model: str = "vibevoice") -> None:
    """Write the model into a new folder."""
    torch.manual_seed(0)
    MAKERS[model](Path(folder))


def _tokenizer(*special: str, **named: str) -> Any:
    """A tokenizer of single bytes, with special tokens after them."""
    vocabulary = {sign: number for number, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>", extra_special_tokens=named or list(special)
    )
    wrapped.padding_side = "left"
    return wrapped


def _template(conversation: str, before: str = "", after: str = "") -> str:
    turns = "{% for m in messages %}" + conversation + "{% endfor %}"
    return before + turns + after


def _each(part: str) -> str:
    return "{% for c in m['content'] %}" + part + "{% endfor %}"


def vibevoice(folder: Path) -> None:
    """VibeVoice, of 1.2 MB."""
    begin, end, audio = "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"
    tokenizer = _tokenizer(begin, end, audio)
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in ("<end>", begin, end, audio)}
    codec = {"num_filters": 1, "depths": [1] * 7}
    text = {"model_type": "qwen2", "vocab_size": len(tokenizer), "hidden_size": 16, "intermediate_size": 32}
    text |= {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "bos_token_id": None}
    config = transformers.VibeVoiceConfig(
        audio_config={"model_type": "vibevoice_acoustic_tokenizer", "hidden_size": 8, **codec},
        semantic_model_config={"model_type": "vibevoice_acoustic_tokenizer_encoder", "hidden_size": 16, **codec},
        text_config={
            **text,
            "max_position_embeddings": 4096,
            "eos_token_id": ids["<end>"],
            "pad_token_id": ids["<end>"],
        },
        diffusion_head_config={"num_hidden_layers": 1, "intermediate_size": 64, "frequency_embedding_size": 32},
        pad_token_id=ids["<end>"],
        eos_token_id=ids["<end>"],
        audio_bos_token_id=ids[begin],
        audio_eos_token_id=ids[end],
        audio_token_id=ids[audio],
    )
    network = transformers.VibeVoiceForConditionalGeneration(config)
    with torch.no_grad():  # new weights are so small that nothing would be heard, whatever is said
        for name, values in network.named_parameters():
            if values.dim() > 1 and "encoder" not in name:
                values.mul_(13 if "audio_tower" in name else 10)
    network.generation_config = transformers.GenerationConfig(
        eos_token_id=ids["<end>"],
        pad_token_id=ids["<end>"],
        suppress_tokens=[ids[begin], ids[end]],
        min_new_tokens=FRAMES,
        max_new_tokens=FRAMES + 1,
        forced_eos_token_id=ids["<end>"],
    )
    network.save_pretrained(folder)
    heard = _AUDIO.replace("AUDIO", f" Speaker {{{{ m['role'] }}}}:{begin}{audio}{end}\n")
    said = _TEXT.replace("TEXT", " Speaker {{ m['role'] }}: ")
    template = _template(_each(heard)) + _template(_each(said + "\n"), " Text input:\n", f" Speech output:\n{begin}")
    features = transformers.VibeVoiceAcousticTokenizerFeatureExtractor()
    transformers.VibeVoiceProcessor(features, tokenizer, chat_template=template).save_pretrained(folder)


def _codec(codebooks: int) -> dict[str, Any]:
    """Mimi."""
    layers = {"hidden_size": 32, "num_filters": 4, "intermediate_size": 64, "num_hidden_layers": 1, "head_dim": 16}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "upsample_groups": 32}
    books = {"codebook_size": 64, "codebook_dim": 8, "vector_quantization_hidden_dimension": 8}
    return {"model_type": "mimi", **layers, **heads, **books, "num_quantizers": codebooks}


def csm(folder: Path) -> None:
    """CSM."""
    tokenizer = _tokenizer("<|AUDIO|>", "<|audio_eos|>")
    codebooks, layers = 4, {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "head_dim": 16}
    layers |= {"num_key_value_heads": 2, "vocab_size": 64, "num_codebooks": codebooks}
    config = transformers.CsmConfig(
        **layers,
        num_hidden_layers=2,
        text_vocab_size=len(tokenizer),
        max_position_embeddings=512,
        bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id,
        codebook_pad_token_id=62,
        codebook_eos_token_id=63,
        audio_token_id=tokenizer.convert_tokens_to_ids("<|AUDIO|>"),
        audio_eos_token_id=tokenizer.convert_tokens_to_ids("<|audio_eos|>"),
        depth_decoder_config={
            **layers,
            "backbone_hidden_size": 32,
            "num_hidden_layers": 1,
            "max_position_embeddings": codebooks + 1,
        },
        codec_config=_codec(codebooks),
    )
    network = transformers.CsmForConditionalGeneration(config)
    _spread(network)
    network.generation_config.max_new_tokens = FRAMES
    network.save_pretrained(folder)
    template = _template(
        "[{{ m['role'] }}]" + _each(_TEXT.replace("TEXT", "") + _AUDIO.replace("AUDIO", "<|AUDIO|><|audio_eos|>"))
    )
    features = transformers.EncodecFeatureExtractor(sampling_rate=24000)
    transformers.CsmProcessor(features, tokenizer, chat_template=template).save_pretrained(folder)


def _spread(network: Any) -> None:
    """Let what is said depend on the text and the seed: new heads hardly prefer any, and new codebooks are zeros."""
    with torch.no_grad():
        for name, values in (*network.named_parameters(), *network.named_buffers()):
            if "head" in name and values.is_floating_point():
                values.mul_(30)
            elif "embed_sum" in name:
                values.normal_(std=0.01)
            elif "cluster_usage" in name:
                values.fill_(1)


def dia(folder: Path) -> None:
    """Dia, with its codec in a folder of the name that its processor has for it."""
    layers = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "head_dim": 16,
    }
    crossed = {"cross_hidden_size": 32, "cross_num_attention_heads": 2, "cross_num_key_value_heads": 2}
    ids = {"eos_token_id": 1024, "pad_token_id": 1025, "bos_token_id": 1026}
    config = transformers.DiaConfig(
        encoder_config={**layers, "vocab_size": 256, "num_key_value_heads": 2, "max_position_embeddings": 512},
        decoder_config={
            **layers,
            **crossed,
            "cross_head_dim": 16,
            "num_key_value_heads": 1,
            "vocab_size": 1028,
            "num_channels": 9,
            "max_position_embeddings": 512,
        },
        **ids,
    )
    network = transformers.DiaForConditionalGeneration(config)
    network.generation_config = transformers.GenerationConfig(
        **ids, decoder_start_token_id=1026, max_new_tokens=3 * FRAMES
    )
    network.save_pretrained(folder)
    codec = transformers.DacModel(
        transformers.DacConfig(
            encoder_hidden_size=8,
            decoder_hidden_size=32,
            hidden_size=128,
            downsampling_ratios=[2, 4, 8, 8],
            n_codebooks=9,
            codebook_size=1024,
            codebook_dim=8,
            sampling_rate=44100,
        )
    )
    codec.save_pretrained(folder / "codec")
    codec.name_or_path = "codec"
    transformers.DiaProcessor(
        transformers.DiaFeatureExtractor(sampling_rate=44100), transformers.DiaTokenizer(), codec
    ).save_pretrained(folder)


def pocket_tts(folder: Path) -> None:
    """Pocket TTS, with its codec in a folder of the name that its processor has for it."""
    before, voice, latent, audio = "<before>", "<voice>", "<latent>", "<audio>"
    tokenizer = _tokenizer(
        audio_prompt_bos_token=before, audio_prompt_token=voice, audio_latent_token=latent, audio_bos_token=audio
    )
    ids = tokenizer.convert_tokens_to_ids
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "latent_dim": 8}
    config = transformers.PocketTTSConfig(
        **layers,
        vocab_size=len(tokenizer) + 8,
        num_hidden_layers=2,
        flow_head_config={
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "latent_dim": 8,
            "condition_dim": 32,
            "frequency_embedding_size": 32,
        },
        pad_token_id=tokenizer.pad_token_id,
        audio_prompt_token_id=ids(voice),
        audio_latent_token_id=ids(latent),
        audio_prompt_bos_token_id=ids(before),
        audio_bos_token_id=ids(audio),
    )
    network = transformers.PocketTTSForConditionalGeneration(config)
    network.generation_config.max_new_tokens = FRAMES
    network.save_pretrained(folder)
    codec = transformers.PocketTTSAudioTokenizerModel(
        transformers.PocketTTSAudioTokenizerConfig(
            **layers, num_filters=4, upsample_groups=32, num_hidden_layers=1, num_key_value_heads=2, head_dim=16
        )
    )
    codec.save_pretrained(folder / "codec")
    codec.name_or_path = "codec"
    template = _template(_each(_AUDIO.replace("AUDIO", before + voice)) + _each(_TEXT.replace("TEXT", "")), after=audio)
    features = transformers.PocketTTSFeatureExtractor()
    transformers.PocketTTSProcessor(features, tokenizer, audio_tokenizer=codec, chat_template=template).save_pretrained(
        folder
    )


MAKERS = {"vibevoice": vibevoice, "csm": csm, "dia": dia, "pocket_tts": pocket_tts}

if __name__ == "__main__":
    main(*sys.argv[1:])
