"""Lists of sentences, one per line: `harvard` are those of samples/README.md, the others our own."""

from functools import cache
from importlib.resources import files


@cache
def sentence_list(name: str) -> tuple[str, ...]:
    """The sentences of a list."""
    return tuple((files(__name__) / f"{name}.txt").read_text(encoding="utf-8").splitlines())
