"""The units that have failed: on which workers, and when one is given up."""

from collections.abc import Collection

#: A unit is given up after this many failures, on different workers if there are enough.
ATTEMPTS = 3


class Failures:
    """The failures of units that are neither delivered nor given up."""

    def __init__(self, attempts: int = ATTEMPTS) -> None:
        self._attempts = attempts
        self._workers: dict[str, list[str]] = {}  # by the key of the unit

    def __bool__(self) -> bool:
        return bool(self._workers)

    def __contains__(self, key: str) -> bool:
        return key in self._workers

    def add(self, key: str, worker: str, present: Collection[str], *, confirmed: bool) -> bool:
        """A unit failed on a worker. True: it has failed often enough to be given up, and is forgotten here.

        If it is not confirmed that it was this one, it counts only when the unit has not failed before.
        """
        workers = self._workers.setdefault(key, [])
        if workers and not confirmed:
            return False
        workers.append(worker)
        if len(workers) < self._attempts or len(set(workers)) < min(self._attempts, len({*workers, *present})):
            return False
        self.forget(key)
        return True

    def forget(self, key: str) -> None:
        """A unit is done."""
        self._workers.pop(key, None)

    def of(self, key: str) -> Collection[str]:
        """The workers on which a unit has failed."""
        return self._workers.get(key, ())
