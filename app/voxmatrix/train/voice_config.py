"""The config of a voice in training."""

from importlib.metadata import version

import voxmatrix
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.piper.config import VoiceConfig, language_of
from voxmatrix.tables.quality import Quality


def make_voice_config(prepared: PreparedSet, row: Quality, num_symbols: int) -> VoiceConfig:
    """The voice config for these recordings, with the origin of the voice."""
    return VoiceConfig(
        rate_hz=prepared.rate_hz,
        quality=row.name,
        espeak_voice=prepared.language,
        language=language_of(prepared.language),
        phoneme_type=prepared.phoneme_type,
        id_map=prepared.id_map,
        num_symbols=num_symbols,
        num_speakers=max(1, len(prepared.speakers)),
        speaker_id_map={name: number for number, name in enumerate(prepared.speakers)},
        made_by={
            "trained_by": f"voxmatrix {voxmatrix.__version__}",
            "training_torch": version("torch"),
            "recordings": prepared.digest,
            "clips": len(prepared.clips),
            "seconds": round(prepared.seconds, 1),
        },
    )
