"""How work that takes long says how far it is."""

from collections.abc import Callable

#: Called with how much is done and how much there is.
OnProgress = Callable[[int, int], None]
