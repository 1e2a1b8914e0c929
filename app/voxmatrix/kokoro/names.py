"""What the name of a voice says: `af_heart` speaks American English (a), and is female (f)."""

NAME = "kokoro"
#: The first letter of a voice's name: its language as espeak-ng names it, and in words.
LANGUAGES = {
    "a": ("en-us", "American English"),
    "b": ("en-gb", "British English"),
    "e": ("es", "Spanish"),
    "f": ("fr-fr", "French"),
    "h": ("hi", "Hindi"),
    "i": ("it", "Italian"),
    "p": ("pt-br", "Brazilian Portuguese"),
}
#: Their phonemes are made by programs that voxmatrix does not have.
WITHOUT_PHONEMES = {"j": "Japanese", "z": "Mandarin"}
#: The second letter.
GENDERS = {"f": "female", "m": "male"}
