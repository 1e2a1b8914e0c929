"""X-SAMPA, the IPA in ASCII (Wells 1995), as IPA. Longer signs count first: `r\\\\` is not `r`."""

import re

from voxmatrix.text.lazy_pattern import lazy_pattern

_SIGNS = {
    # consonants that are other letters in IPA
    "b_<": "ɓ", "d_<": "ɗ", "g_<": "ɠ", "d`": "ɖ", "g": "ɡ", "G": "ɣ", "h\\": "ɦ", "H": "ɥ", "j\\": "ʝ", "J": "ɲ",
    "J\\": "ɟ", "K": "ɬ", "K\\": "ɮ", "l`": "ɭ", "l\\": "ɺ", "L": "ʎ", "L\\": "ʟ", "F": "ɱ", "n`": "ɳ", "N": "ŋ",
    "N\\": "ɴ", "p\\": "ɸ", "B": "β", "B\\": "ʙ", "r`": "ɽ", "r\\": "ɹ", "r\\`": "ɻ", "R": "ʁ", "R\\": "ʀ",
    "s`": "ʂ", "s\\": "ɕ", "S": "ʃ", "t`": "ʈ", "T": "θ", "D": "ð", "v\\": "ʋ", "P": "ʋ", "W": "ʍ", "x\\": "ɧ",
    "X": "χ", "X\\": "ħ", "z`": "ʐ", "z\\": "ʑ", "Z": "ʒ", "C": "ç", "4": "ɾ", "5": "ɫ", "?": "ʔ", "?\\": "ʕ",
    "M\\": "ɰ", "q": "q", "G\\": "ɢ",
    # vowels
    "A": "ɑ", "E": "ɛ", "I": "ɪ", "I\\": "ɪ̈", "O": "ɔ", "Q": "ɒ", "U": "ʊ", "U\\": "ʊ̈", "V": "ʌ", "Y": "ʏ",
    "@": "ə", "@\\": "ɘ", "@`": "ɚ", "{": "æ", "}": "ʉ", "1": "ɨ", "2": "ø", "3": "ɜ", "3\\": "ɞ", "3`": "ɝ",
    "6": "ɐ", "7": "ɤ", "8": "ɵ", "9": "œ", "&": "ɶ", "M": "ɯ",
    # marks
    '"': "ˈ", "%": "ˌ", ":": "ː", ":\\": "ˑ", "~": "̃", "_~": "̃", "=": "̩", "_=": "̩", "_h": "ʰ", "_j": "ʲ", "'": "ʲ",
    "_w": "ʷ", "_0": "̥", "_v": "̬", "_d": "̪", "_^": "̯", "_G": "ˠ", "_>": "ʼ", "`": "˞", ".": ".", "-\\": "‿",
}  # fmt: skip
_SIGN = lazy_pattern("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)))


def x_sampa_to_ipa(written: str) -> str:
    """`t@"meItoU` as `təˈmeɪtoʊ`. What is no sign stays."""
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], written)
