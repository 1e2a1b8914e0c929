"""Phonemes that SSML and lexicons give, as voices read them."""

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.symbols import GIVEN_PHONEMES

#: The ends of syllables, ties between letters and words, and what would end the brackets: no sounds.
_NO_SOUNDS = lazy_pattern("[][.|\u203f\u035c\u0361\u2016]")
X_SAMPA = ("x-sampa", "xsampa")
#: Alphabets that are read; those of their makers (cmu, sapi, ups …) are not.
ALPHABETS = ("ipa", *X_SAMPA)

_GIVEN = lazy_pattern(GIVEN_PHONEMES)
#: Diphthongs, affricates and a schwa of misaki, Kokoro's alphabet, in IPA, which has no capitals.
_MISAKI = str.maketrans(
    {"A": "eɪ", "I": "aɪ", "O": "oʊ", "Q": "əʊ", "W": "aʊ", "Y": "ɔɪ", "ʤ": "dʒ", "ʧ": "tʃ", "ᵊ": "ə"}
)


def without_misaki(text: str) -> str:
    """A text whose [[phonemes]] are in IPA also where they were written for Kokoro."""
    return _GIVEN.sub(lambda given: given[0].translate(_MISAKI), text) if "[[" in text else text


def given_phonemes(written: str, alphabet: str, word: str) -> str | None:
    """Phonemes in IPA; None if they are in an alphabet that is not read, or there are none.

    A single word has no spaces between its phonemes: where there are some, they part syllables.
    """
    alphabet = alphabet.strip().lower()
    if alphabet not in ALPHABETS:
        return None
    if alphabet in X_SAMPA:
        from voxmatrix.text.phonemes.x_sampa import x_sampa_to_ipa  # here: few texts need it

        written = x_sampa_to_ipa(written)
    parts = _NO_SOUNDS.sub("", written).split()
    return (" " if len(word.split()) > 1 else "").join(parts) or None
