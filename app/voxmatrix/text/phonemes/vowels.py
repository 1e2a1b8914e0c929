"""Arabic is written without most of its vowels; espeak-ng pronounces only what is written."""

import re

from voxmatrix.errors import BadInputError
from voxmatrix.wording import quoted

_LETTER = re.compile("[\u0621-\u063a\u0641-\u064a]")
_VOWEL_SIGN = re.compile("[\u064b-\u0652\u0670]")
#: Text with all its signs has more than one for two letters; text with a few to avoid confusion has fewer than this.
_MIN_SIGNS_PER_LETTER = 0.25


def require_vowels(sentence: str) -> None:
    """Refuse an Arabic sentence that would be pronounced without vowels. Piper adds the signs with a model.

    Raises:
        BadInputError: the sentence has few vowel signs.
    """
    letters = len(_LETTER.findall(sentence))
    if len(_VOWEL_SIGN.findall(sentence)) < letters * _MIN_SIGNS_PER_LETTER:
        raise BadInputError(
            f"{quoted(sentence)} has no vowel signs, without which espeak-ng pronounces Arabic as consonants only",
            "add them first (tashkeel)",
        )
