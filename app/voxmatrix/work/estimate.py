"""How long speech will probably be."""

#: Characters per second, and what every sentence has in addition to its characters.
CHARACTERS_PER_SECOND, _EXTRA_CHARACTERS = 15.0, 8


def estimated_seconds(text: str) -> float:
    """How long a sentence probably is when it is spoken."""
    return (len(text) + _EXTRA_CHARACTERS) / CHARACTERS_PER_SECOND
