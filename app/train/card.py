"""The voice's card, as Piper's JSON has it, from what it is trained on."""

from typing import Any

import app
from app.dataset.prepared import PreparedSet
from app.tables.quality import HOP, Quality


def make_card(prepared: PreparedSet, row: Quality, num_symbols: int) -> dict[str, Any]:
    """Everything that a program needs to speak with the voice."""
    return {
        "audio": {"sample_rate": prepared.rate_hz, "quality": row.name},
        "espeak": {"voice": prepared.language},
        "language": {"code": prepared.language},
        "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_type": prepared.phoneme_type,
        "phoneme_id_map": {symbol: list(ids) for symbol, ids in prepared.id_map.items()},
        "num_symbols": num_symbols,
        "num_speakers": max(1, len(prepared.speakers)),
        "speaker_id_map": {name: number for number, name in enumerate(prepared.speakers)},
        "hop_length": HOP,
        "voxmatrix": {"version": app.__version__, "recordings": prepared.digest, "clips": len(prepared.clips)},
    }
