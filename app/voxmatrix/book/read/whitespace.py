"""Text as it is shown: single spaces, and nothing invisible."""

import re

#: Soft hyphens, places where a line may break, byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def tidy(text: str) -> str:
    """`text` with whitespace as single spaces and without soft hyphens."""
    return " ".join(_INVISIBLE.sub("", text).split())
