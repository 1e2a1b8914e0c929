"""The card of a VITS voice: what its config says, and where it is from."""

import json
from contextlib import suppress
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_text_or_empty
from voxmatrix.models.card import Capabilities, Knob, VoiceCard
from voxmatrix.piper.config import STUDENT, VoiceConfig
from voxmatrix.piper.files import is_exported, source_path, title_of
from voxmatrix.plan.parallelism import CPUS_PER_VOICE
from voxmatrix.text.phonemes.piper_tts import PIPER_TYPES

NAME = "piper"
MAX_NOISE = 10.0
PHONEME_TYPES = ("espeak", "text", *PIPER_TYPES)
_MIB = 2**20
#: Memory of an open voice compared with the size of its file (onnxruntime 1.31, 63 MB: 145 to 165 MiB).
_MEMORY_PER_BYTE = 2.75


def card_of(path: Path, config: VoiceConfig, beside: Path | None) -> VoiceCard:
    """The card of a voice with this config, and perhaps with a JSON next to it.

    Raises:
        BadInputError: its phonemes are of a type that is not supported.
    """
    if config.phoneme_type not in PHONEME_TYPES:
        missing = ": it needs the model of g2pW, which is in no package" if config.phoneme_type == "pinyin" else ""
        raise BadInputError(
            f"the voice {path} uses phonemes of type {config.phoneme_type!r}, which is not supported{missing}",
            f"choose a voice with phonemes of type {', '.join(PHONEME_TYPES)}",
        )
    exported, origin = is_exported(path), _origin(path)
    student = config.quality == STUDENT
    return VoiceCard(
        id=path.stem if exported else path.absolute().parent.name,
        family=NAME,
        title=title_of(path.stem) if exported else config.dataset,
        files=(path, beside) if beside else (path,),
        rate_hz=config.rate_hz,
        languages=(config.espeak_voice,),
        quality=config.quality,
        num_speakers=config.num_speakers,
        speakers=config.speaker_id_map,
        default_speaker=config.default_speaker,
        gender=gender if isinstance(gender := config.source.get("gender"), str) else "",
        license=origin.get("license", ""),
        source=origin.get("source", ""),
        version=origin.get("version", ""),
        is_trained=bool(config.made_by),
        facts=config.to_json(),
        memory_mib=path.stat().st_size * _MEMORY_PER_BYTE / _MIB if path.exists() else 0.0,
        capabilities=Capabilities(
            knobs={
                "noise": Knob(title="Variation of the sound", default=config.noise_scale, low=0.0, high=MAX_NOISE),
                "noise_w": Knob(title="Variation of the rhythm", default=config.noise_w, low=0.0, high=MAX_NOISE),
            },
            phonemes=True,
            seed="device",
            may_teach=True,
            uses_torch=not exported,
            on_gpu=not student,  # 8-bit integers in small layers: a GPU would wait for the CPU at each of them
            cpus=1 if student else CPUS_PER_VOICE,  # its layers are too small to be divided
        ),
    )


def _origin(path: Path) -> dict[str, str]:
    """Where a downloaded voice is from, and its licence."""
    with suppress(ValueError, AttributeError):
        known = json.loads(read_text_or_empty(source_path(path)))
        return {name: str(known.get(name, "")) for name in ("source", "version", "license")}
    return {}
