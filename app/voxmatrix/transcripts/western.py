"""Texts in the encoding of Windows for Western Europe (cp1252), as Excel and older editors save them."""

import re

#: What no text of Western Europe has inside of a word, but those of other code pages have once they are read as cp1252.
_NOT_IN_WORDS = re.compile(r"(?<=\w)[¡-¿×÷€‚ƒ„…†‡ˆ‰‹Œ•˜™›](?=\w)|[ÐÞðþ¤¦¨¬¯±²³´µ¸¹×÷ƒˆ˜†‡‰]")
#: Of the letters, so many have accents at most, in short texts as well: nearly all of Greek and Cyrillic ones have.
_MOST_ACCENTED = 0.35


def western(data: bytes) -> str | None:
    """A text that can hardly be anything else than cp1252, decoded; None for UTF-8 with errors and other code pages."""
    if data.isascii() or b"\0" in data:
        return None
    if any(_is_utf8(found[0]) for found in re.finditer(rb"[\x80-\xff]+", data)):
        return None
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    letters = [character for character in text if character.isalpha()]
    accented = sum(not character.isascii() for character in letters)
    return None if _NOT_IN_WORDS.search(text) or accented > _MOST_ACCENTED * len(letters) else text


def _is_utf8(part: bytes) -> bool:
    try:
        part.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
