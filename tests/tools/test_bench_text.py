import json

import pytest

from tools.bench.text import normalisation, readings, splitting

pytestmark = [pytest.mark.peers, pytest.mark.espeak]


def test_case_hyphens_and_an_optional_and_make_no_other_words():
    assert normalisation.folded("One hundred and sixty-five, at two p.m.") == normalisation.folded(
        "one hundred sixty five at two PM"
    )
    assert normalisation.folded("ettusen etthundra") == normalisation.folded("tusen hundra")
    assert normalisation.folded("two") != normalisation.folded("ten")


def test_cases_in_other_words_are_counted_and_listed(tmp_path, capsys):
    file = tmp_path / "normalisation.tsv"
    file.write_text(
        "language\tclass\twritten\tspoken\nen\tcardinal\t2\ttoo~two\nen\tword\tcat\tdog\n", encoding="utf-8"
    )
    assert normalisation.figures(file) == {
        "en": {"cases": 2, "other_words": 1, "expected_phonemes": 1, "expected_phonemes_by_piper": 1}
    }
    assert "'cat'" in capsys.readouterr().err


def test_a_rule_is_followed_when_each_sentence_is_read_as_it_is_alone(tmp_path):
    file = tmp_path / "sentences.jsonl"
    rules = [
        {"language": "en", "text": "Hello. I left.", "sentences": ["Hello.", "I left."]},
        {"language": "en", "text": "Hello. I left.", "sentences": ["Hello. I left."]},
    ]
    file.write_text("".join(json.dumps(rule) + "\n" for rule in rules), encoding="utf-8")
    assert splitting.figures(file) == {"en": {"rules": 2, "splitter_alone": 1, "whole_front_end": 1, "piper": 1}}


def test_nemos_cases_are_counted_by_language_and_class_also_by_another_checkout(tmp_path):
    for language, name, text in (
        ("de", "cardinal", "zwei~2\nvier~3\n"),
        ("fr", "cardinal", "2~deux\n"),
        ("fr", "normalize_with_audio", "~21\nvingt et un\nvingt-et-un\n\n~22\ntrois\n"),
    ):
        folder = tmp_path / language / "data_text_normalization"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"test_cases_{name}.txt").write_text(text, encoding="utf-8")
    found = readings.figures(tmp_path, readings.ROOT)
    assert found["de"]["cardinal"] == {"cases": 2, "right": 1, "right_beside": 1}
    assert found["fr"]["normalize_with_audio"] == {"cases": 2, "right": 1, "right_beside": 1}
    assert found["fr"]["all"] == {"cases": 3, "right": 2, "right_beside": 2}
