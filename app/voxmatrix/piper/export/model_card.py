"""The MODEL_CARD of a voice: the file that Piper's public voices have beside them."""

from dataclasses import dataclass

from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.metadata import language_name
from voxmatrix.wording import pluralise

_SHA = "_sha256"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a downloaded voice is from, and its licence; "": not known."""

    license: str = ""
    source: str = ""


def model_card(name: str, config: VoiceConfig, install: str, origin: Origin | None) -> str:
    """Markdown with the headings of Piper's cards, and how the voice is installed. Nothing is guessed."""
    code = config.to_json()["language"].get("code", "")
    given = origin or Origin()
    speakers = ", ".join(sorted(config.speaker_id_map, key=lambda one: config.speaker_id_map[one]))
    made = {key: value for key, value in config.made_by.items() if value not in ("", None) and not key.endswith(_SHA)}
    lines = [
        f"# Model card for {name}{f' ({config.quality})' if config.quality else ''}",
        "",
        f"* Language: {code} ({language_name(config)})",
        f"* Speakers: {config.num_speakers}{f' ({speakers})' if speakers else ''}",
        f"* Quality: {config.quality or 'not said'}",
        f"* Samplerate: {config.rate_hz:,}Hz",
        f"* Phonemes: {config.phoneme_type}",
        f"* Symbols: {pluralise(len(config.id_map), 'symbol')} of {config.num_symbols}",
        "",
        "## Dataset",
        "",
        f"* URL: {given.source or 'not known'}",
        f"* License: {given.license or made.get('teacher_license') or 'not known: ask who gave you the voice'}",
        "",
        "## Training",
        "",
        *(f"* {key.replace('_', ' ')}: {value}" for key, value in made.items() if not isinstance(value, dict)),
        *([] if made else ["* not known"]),
        "",
        "## Installation",
        "",
        install,
    ]
    if config.phoneme_type == "espeak":
        lines += ["", "A folder espeak-ng-data beside this file is that of espeak-ng, under the GPL 3 or later."]
    return "\n".join(lines) + "\n"
