"""Patterns that are compiled when they are first used: the rules have 200, and most sentences need a few of them."""

import re
from typing import Any, cast


class _LazyPattern:
    """Becomes like the compiled pattern, method by method."""

    def __init__(self, written: str, flags: int) -> None:
        self._written, self._flags = written, flags

    def __getattr__(self, name: str) -> Any:
        """A method or attribute of the compiled pattern, which `re` keeps; asked for once."""
        found = getattr(re.compile(self._written, self._flags), name)
        setattr(self, name, found)
        return found


def lazy_pattern(written: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, whose 50 ms a program that speaks one sentence would wait for. For patterns of modules."""
    return cast(re.Pattern[str], _LazyPattern(written, flags))
