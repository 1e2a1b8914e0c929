"""What an ONNX file says of its voice, for readers that do not have the JSON. Does not import torch."""

import json

from voxmatrix.piper.config import MADE_BY, VoiceConfig, language_of

#: In English, by the family of Piper's `language`: sherpa-onnx asks for a name. Of other languages it gets the code.
_ENGLISH_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh",
    "ko": "Korean", "lb": "Luxembourgish", "lt": "Lithuanian", "lv": "Latvian", "ml": "Malayalam",
    "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "te": "Telugu", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
    "zh": "Chinese", "cmn": "Chinese",
}  # fmt: skip


def language_name(config: VoiceConfig) -> str:
    """The language of a voice in English, else its code."""
    language = dict(config.language) or language_of(config.espeak_voice)
    family = str(language.get("family") or config.espeak_voice.partition("-")[0])
    return str(language.get("name_english") or _ENGLISH_NAMES.get(family, family))


def metadata(config: VoiceConfig) -> dict[str, str]:
    """The properties of the file. All but the last are those that sherpa-onnx reads (its scripts/piper)."""
    return {
        "model_type": "vits",
        "comment": "piper",
        "language": language_name(config),
        "voice": config.to_json()["espeak"]["voice"],
        "has_espeak": str(int(config.phoneme_type == "espeak")),
        "n_speakers": str(config.num_speakers),
        "sample_rate": str(config.rate_hz),
        MADE_BY: json.dumps(dict(config.made_by), ensure_ascii=False),
    }
