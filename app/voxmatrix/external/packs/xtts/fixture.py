"""Write XTTS with small random weights, to see that the engine loads and speaks: `fixture.py FOLDER`.

It runs in the environment of the engine. The decoder has its real size: 22 million numbers.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import adapter  # noqa: F401 - prepares torchaudio
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from TTS.tts.configs.xtts_config import XttsConfig
from TTS.tts.layers.xtts.tokenizer import VoiceBpeTokenizer
from TTS.tts.models.xtts import Xtts

#: The most tokens of sound in any text.
MAX_SOUNDS = 60
_SPECIAL = ["[STOP]", "[UNK]", "[SPACE]", "[START]", "[en]", "[de]"]


def main(folder: str) -> None:
    """Write the model into a new folder."""
    place = Path(folder)
    place.mkdir(parents=True)
    vocabulary = str(place / "vocab.json")
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=120, special_tokens=_SPECIAL)
    tokenizer.train_from_iterator(
        ["this is a trial of the voice , nice to meet you . abcdefghijklmnopqrstuvwxyz"], trainer
    )
    tokenizer.save(vocabulary)
    config = XttsConfig()
    settings = config.model_args
    settings.gpt_layers, settings.gpt_n_heads, settings.gpt_max_audio_tokens = 2, 2, MAX_SOUNDS
    settings.gpt_n_model_channels = settings.decoder_input_dim = 64
    settings.gpt_use_perceiver_resampler = True
    settings.tokenizer_file = vocabulary
    torch.manual_seed(0)
    model = Xtts(config)
    model.tokenizer = VoiceBpeTokenizer(vocab_file=vocabulary)
    model.init_models()
    torch.save({"model": model.state_dict()}, place / "model.pth")
    settings.tokenizer_file = "vocab.json"
    config.save_json(str(place / "config.json"))


if __name__ == "__main__":
    main(sys.argv[1])
