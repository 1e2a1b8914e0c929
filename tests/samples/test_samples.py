"""What lies under samples/: enough of it, small, and as its metadata says."""

from pathlib import Path

import pytest
import soundfile

from voxmatrix.text.prompts import sentence_list

SAMPLES = Path(__file__).parents[2] / "samples"
SETS = {"en": (64, 16_000), "sv": (16, 22_050)}


def rows(language: str) -> list[list[str]]:
    lines = (SAMPLES / language / "metadata.csv").read_text(encoding="utf-8").splitlines()
    return [line.split("|") for line in lines]


@pytest.mark.parametrize("language", SETS)
def test_every_recording_has_its_transcript_and_every_transcript_its_recording(language):
    at_least, rate_hz = SETS[language]
    names = [name for name, _text in rows(language)]
    assert len(names) == len(set(names)) >= at_least
    assert sorted(names) == sorted(path.stem for path in (SAMPLES / language / "wavs").glob("*.flac"))
    for name in names:
        info = soundfile.info(SAMPLES / language / "wavs" / f"{name}.flac")
        assert (info.samplerate, info.channels, info.subtype) == (rate_hz, 1, "PCM_16")
        assert 1 < info.duration < 8


@pytest.mark.parametrize("language", SETS)
def test_the_transcripts_are_the_first_sentences_of_the_list(language):
    own = SAMPLES / language / "sentences.txt"
    listed = own.read_text(encoding="utf-8").splitlines() if own.exists() else list(sentence_list("harvard"))
    texts = [text for _name, text in rows(language)]
    assert texts == listed[: len(texts)]
    assert len(set(listed)) == len(listed)


def test_the_two_sets_are_small():
    files = [path for language in SETS for path in (SAMPLES / language).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 6_000_000
