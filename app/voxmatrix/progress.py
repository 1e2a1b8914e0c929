"""Progress reports of long-running work."""

from collections.abc import Callable

#: Called with the amount done and the total.
OnProgress = Callable[[int, int], None]
