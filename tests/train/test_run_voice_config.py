"""The card of a voice in training is Piper's JSON, readable by what speaks."""

from dataclasses import replace

import pytest

from tests.train.synthetic import MINI
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.text.phonemes.espeak import espeak_version
from voxmatrix.train.run import make_voice_config


def test_what_is_written_is_read_again_as_the_same_voice(prepared: PreparedSet) -> None:
    several = replace(prepared, speakers=("ann", "bob"), language="sv")
    read = VoiceConfig.from_json(make_voice_config(several, MINI, 256).to_json())
    assert (read.rate_hz, read.num_symbols, read.num_speakers) == (16000, 256, 2)
    assert (read.espeak_voice, read.phoneme_type, read.quality) == ("sv", "text", "mini")
    assert read.speaker_id_map == {"ann": 0, "bob": 1}
    assert {symbol: list(ids) for symbol, ids in read.id_map.items()} == dict(several.id_map)


def test_it_says_what_it_was_learned_from(prepared: PreparedSet) -> None:
    made_by = make_voice_config(prepared, MINI, 256).made_by
    assert made_by["recordings"] == prepared.digest
    assert made_by["clips"] == len(prepared.clips)
    assert made_by["trained_by"].startswith("voxmatrix ")


@pytest.mark.espeak
def test_it_says_which_espeak_ng_it_was_taught_by(prepared: PreparedSet) -> None:
    assert make_voice_config(prepared, MINI, 256).to_json()["espeak"] == {"voice": prepared.language}  # letters
    by_espeak = make_voice_config(replace(prepared, phoneme_type="espeak"), MINI, 256)
    assert by_espeak.to_json()["espeak"]["version"] == espeak_version()
