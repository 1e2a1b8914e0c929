"""Phonemes of SSML and lexicons, as voices read them."""

import pytest

from voxmatrix.text.phonemes.given import given_phonemes


@pytest.mark.parametrize(
    ("written", "alphabet", "word", "found"),
    [
        ("tə.ˈmeɪ.toʊ", "ipa", "tomato", "təˈmeɪtoʊ"),
        ("tə ˈmeɪ", "IPA", "toma", "təˈmeɪ"),
        (" nuː  jɔːk ", "ipa", "New York", "nuː jɔːk"),
        ("a]]b[", "ipa", "ab", "ab"),
        ("S", "x-sampa", "sh", "ʃ"),
        ("SH", "cmu", "sh", None),
        (" . ", "ipa", "x", None),
    ],
)
def test_only_sounds_are_left(written, alphabet, word, found):
    assert given_phonemes(written, alphabet, word) == found
