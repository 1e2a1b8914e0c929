import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.text.phonemes.vowels import require_vowels


def test_arabic_without_vowel_signs_is_refused_with_the_reason():
    with pytest.raises(BadInputError, match="no vowel signs"):
        require_vowels("مرحبا كيف حالك", "ar")


@pytest.mark.parametrize(
    ("text", "voice"), [("مَرْحَبًا كَيْفَ حَالُكَ", "ar"), ("3.5 km", "ar"), ("", "ar"), ("مرحبا", "fa"), ("مرحبا", "en-us")]
)
def test_what_can_be_pronounced_is_not_refused(text, voice):
    require_vowels(text, voice)
