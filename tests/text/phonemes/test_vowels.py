import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer
from voxmatrix.text.phonemes.vowels import require_vowels


def test_arabic_without_vowel_signs_is_refused_with_the_reason():
    with pytest.raises(BadInputError, match="no vowel signs"):
        require_vowels("مرحبا كيف حالك")


@pytest.mark.parametrize("text", ["مَرْحَبًا كَيْفَ حَالُكَ", "3.5 km", ""])
def test_what_can_be_pronounced_is_not_refused(text):
    require_vowels(text)


@pytest.mark.espeak
def test_only_arabic_voices_refuse_it():
    with EspeakPhonemizer("ar") as arabic, EspeakPhonemizer("fa") as persian:
        assert persian.phonemes(["مرحبا کیف"])[0]
        with pytest.raises(BadInputError, match="no vowel signs"):
            arabic.phonemes(["مرحبا كيف"])[0]
