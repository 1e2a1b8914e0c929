"""Which sentences are learned from, and which are only compared."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.texts import read_texts
from voxmatrix.errors import BadInputError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path


@pytest.fixture
def config(make_onnx: MakeCheckpoint) -> VoiceConfig:
    return VoiceConfig.read(config_path(make_onnx("tiny", 1, "text")))


@pytest.mark.parametrize(("language", "least"), [("en-us", 700), ("en-gb", 700), ("sv", 45)])
def test_bundled_sentences_are_learned_or_compared_but_not_both(config: VoiceConfig, language: str, least: int) -> None:
    texts = read_texts(replace(config, espeak_voice=language), None)

    train, compared = ({one.text for one in part} for part in (texts.train, texts.compared))
    assert len(train) >= least and 10 <= len(compared) <= 40
    assert not train & compared


def test_other_languages_need_a_text(config: VoiceConfig, tmp_path: Path) -> None:
    german = replace(config, espeak_voice="de")
    with pytest.raises(BadInputError, match="'de'") as refused:
        read_texts(german, None)
    assert "`text=FILE`" in refused.value.remedy
    text = tmp_path / "text.txt"
    words = ("eins", "zwei", "drei", "vier", "acht", "elf", "rot", "blau", "gelb", "warm", "kalt")
    text.write_text("\n".join(f"Das ist der Satz {word}." for word in words), encoding="utf-8")

    assert len(read_texts(german, text).train) >= 8


@pytest.mark.parametrize("content", [b"", b"One sentence only.", "Käse".encode("utf-16"), b"\x00" * 100])
def test_texts_that_cannot_be_used_are_refused(config: VoiceConfig, tmp_path: Path, content: bytes) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes(content)

    with pytest.raises(BadInputError):
        read_texts(config, text)
    with pytest.raises(BadInputError):
        read_texts(config, tmp_path / "absent.txt")
    with pytest.raises(BadInputError):
        read_texts(config, tmp_path)
