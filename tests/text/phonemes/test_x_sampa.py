"""X-SAMPA as IPA."""

import pytest

from voxmatrix.text.phonemes.x_sampa import x_sampa_to_ipa


@pytest.mark.parametrize(
    ("written", "ipa"),
    [
        ('t@"meItoU', "təˈmeɪtoʊ"),
        ("%dZ{:k", "ˌdʒæːk"),
        ("r\\EdI@", "ɹɛdɪə"),
        ("b3`d", "bɝd"),
        ("bO~ZuR", "bɔ̃ʒuʁ"),
        ("s`:", "ʂː"),
        ("p_hin", "pʰin"),
        ("kat", "kat"),
    ],
)
def test_the_longest_sign_counts(written, ipa):
    assert x_sampa_to_ipa(written) == ipa
