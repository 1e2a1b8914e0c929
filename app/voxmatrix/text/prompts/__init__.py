"""Lists of sentences, one per line: `en` and `sv` are our own, `harvard` those of samples/README.md."""

from functools import cache
from importlib.resources import files


@cache
def sentence_list(name: str) -> tuple[str, ...]:
    """The sentences of a list."""
    return tuple((files(__name__) / f"{name}.txt").read_text(encoding="utf-8").splitlines())
