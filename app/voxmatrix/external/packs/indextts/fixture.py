"""Write IndexTTS 2.5 with small random weights, to see that the engine loads and speaks: `fixture.py FOLDER`.

It runs in the environment of the engine. What listens to recordings has a fixed width, and so 260 MB.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import adapter  # noqa: F401 - hides torchaudio
import torch
from indextts25.infer_v2_5 import BigVGAN, CAMPPlus, EnhancedCodec, MyModel, UnifiedVoice
from indextts25.s2mel.modules.bigvgan.bigvgan import load_hparams_from_json
from omegaconf import OmegaConf
from transformers import SeamlessM4TFeatureExtractor, Wav2Vec2BertConfig, Wav2Vec2BertModel

#: The most tokens of sound in any text, and how many there are, of which the last two begin and end the speech.
MAX_SOUNDS, CODES = 60, 66
#: Of what is heard in a recording, and of the rest.
HEARD, SIZE = 1024, 64


def _config() -> dict[str, Any]:
    emotions = {"output_size": SIZE, "linear_units": SIZE, "attention_heads": 2, "num_blocks": 1, "perceiver_mult": 2}
    gpt = {
        "model_dim": SIZE, "heads": 2, "layers": 2, "max_mel_tokens": MAX_SOUNDS, "max_text_tokens": 200,
        "number_text_tokens": 2200, "start_text_token": 0, "stop_text_token": 1,
        "number_mel_codes": CODES, "start_mel_token": CODES - 2, "stop_mel_token": CODES - 1,
        "emo_condition_module": {**emotions, "input_layer": "conv2d2"},
    }  # fmt: skip
    codec = {"codebook_size": CODES - 2, "hidden_size": HEARD, "codebook_dim": 8}
    codec |= {"vocos_dim": 32, "vocos_intermediate_dim": SIZE, "vocos_num_layers": 1}
    spectrum = {"n_fft": 1024, "win_length": 1024, "hop_length": 256, "n_mels": 80, "fmin": 0, "fmax": "None"}
    decoder = {
        "hidden_dim": SIZE, "num_heads": 2, "depth": 3, "class_dropout_prob": 0.1, "in_channels": 80,
        "style_condition": True, "final_layer_type": "wavenet", "content_dim": SIZE, "content_type": "discrete",
        "content_codebook_size": CODES - 2, "is_causal": False, "long_skip_connection": True,
        "uvit_skip_connection": True, "time_as_token": False, "style_as_token": False,
    }  # fmt: skip
    lengths = {"channels": SIZE, "in_channels": HEARD, "content_codebook_size": CODES - 2}
    waves = {"hidden_dim": SIZE, "num_layers": 2, "kernel_size": 5, "dilation_rate": 1}
    mel = {
        "preprocess_params": {"sr": 22050, "spect_params": spectrum},
        "dit_type": "DiT",
        "style_encoder": {"dim": 192},
        "length_regulator": {**lengths, "sampling_ratios": [1, 1, 1, 1], "is_discrete": False},
        "DiT": decoder,
        "wavenet": {**waves, "p_dropout": 0.2, "style_condition": True},
    }
    files = {"gpt_checkpoint": "gpt.pth", "w2v_stat": "wav2vec2bert_stats.pt", "s2mel_checkpoint": "s2mel.pth"}
    files |= {"emo_matrix": "feat2.pt", "spk_matrix": "feat1.pt"}
    return {"gpt": gpt, "semantic_codec": codec, "s2mel": mel, **files, "emo_num": [1] * 8, "version": 2.5}


def main(folder: str) -> None:
    """Write the model into a new folder."""
    place, cache = Path(folder), Path(folder, "hf_cache")
    for name in ("w2v-bert-2.0", "bigvgan"):
        (cache / name).mkdir(parents=True)
    config = OmegaConf.create(_config())
    OmegaConf.save(config, place / "config.yaml")
    torch.manual_seed(0)
    torch.save(UnifiedVoice(**config.gpt).state_dict(), place / "gpt.pth")
    torch.save({"model": EnhancedCodec(**config.semantic_codec).state_dict()}, place / "codec.pth")
    parts = {name: part.state_dict() for name, part in MyModel(config.s2mel).models.items()}
    torch.save({"net": parts}, place / "s2mel.pth")
    torch.save({"mean": torch.zeros(HEARD), "var": torch.ones(HEARD)}, place / "wav2vec2bert_stats.pt")
    torch.save(torch.randn(8, SIZE), place / "feat2.pt")
    torch.save(torch.randn(8, 192), place / "feat1.pt")
    bytes_ = (f"{base64.b64encode(bytes([number])).decode()} {number}\n" for number in range(256))
    (place / "multilingual_zh_ja_yue_char_del.tiktoken").write_text("".join(bytes_))
    torch.save(CAMPPlus(feat_dim=80, embedding_size=192).state_dict(), cache / "campplus_cn_common.bin")
    _write_vocoder(cache / "bigvgan")
    _write_listener(cache / "w2v-bert-2.0")


def _write_vocoder(folder: Path) -> None:
    rates = {"upsample_rates": [8, 8, 4], "upsample_kernel_sizes": [16, 16, 8], "upsample_initial_channel": SIZE}
    blocks = {"resblock": "1", "resblock_kernel_sizes": [3], "resblock_dilation_sizes": [[1, 3, 5]]}
    ends = {"activation": "snakebeta", "snake_logscale": True, "use_tanh_at_final": False, "use_bias_at_final": False}
    (folder / "config.json").write_text(json.dumps({"num_mels": 80, **rates, **blocks, **ends}))
    network = BigVGAN(load_hparams_from_json(str(folder / "config.json")))
    torch.save({"generator": network.state_dict()}, folder / "bigvgan_generator.pt")


def _write_listener(folder: Path) -> None:
    config = Wav2Vec2BertConfig(
        hidden_size=HEARD,
        output_hidden_size=HEARD,
        num_hidden_layers=17,
        num_attention_heads=4,
        intermediate_size=32,
        conv_depthwise_kernel_size=3,
        add_adapter=False,
    )
    Wav2Vec2BertModel(config).half().save_pretrained(folder)  # halves are read as well, and are small
    SeamlessM4TFeatureExtractor(feature_size=80, sampling_rate=16000, stride=2).save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
