"""Words of messages."""


def count(number: int, noun: str) -> str:
    """A number with its noun: 1 sentence, 2 sentences."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def quoted(text: str) -> str:
    """A text in quotes, shortened."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def summary(error: Exception) -> str:
    """The kind and the first line of an error that is not ours, shortened."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]
