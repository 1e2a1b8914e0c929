"""The life sign of a run in the broker's Redis: it tells the coordinator of lost data, and workers of a coordinator
that is gone."""

from typing import Protocol

from voxmatrix.work.cluster.address import is_redis
from voxmatrix.work.cluster.store import redis_client, redis_errors

#: Workers give up a coordinator that has been gone for this long.
KEEP_SECONDS = 20
_PREFIX = "voxmatrix:run:"


class RunKey(Protocol):
    """The life sign of the run of one coordinator."""

    def beat(self) -> bool:
        """Renew it. False: the broker has lost what it had, or has gone back to an earlier state.

        Raises:
            UnreachableError: the broker does not answer.
        """
        ...

    def remove(self) -> None:
        """The run has ended.

        Raises:
            UnreachableError: the broker does not answer.
        """
        ...


def run_key(broker: str, run: str) -> RunKey:
    """The life sign of a run; brokers other than Redis keep what they accept, and need none."""
    return _RedisRunKey(broker, run) if is_redis(broker) else _NoRunKey()


class LiveRuns:
    """What workers ask: is there still a coordinator?"""

    def __init__(self, broker: str) -> None:
        self._broker = broker
        self._client = redis_client(broker) if is_redis(broker) else None

    def has(self, run: str) -> bool:
        """Whether the run has a life sign; also True where there are none.

        Raises:
            UnreachableError: the broker does not answer.
        """
        if self._client is None:
            return True
        with redis_errors(self._broker):
            return bool(self._client.exists(_PREFIX + run))


class _RedisRunKey:
    """A counter: after a restart, Redis may have an older one, and then it may have lost messages too."""

    def __init__(self, broker: str, run: str) -> None:
        self._broker = broker
        self._client = redis_client(broker)
        self._key = _PREFIX + run
        self._count = 0

    def beat(self) -> bool:
        with redis_errors(self._broker):
            before = self._client.set(self._key, self._count + 1, ex=KEEP_SECONDS, get=True)
        expected = str(self._count).encode() if self._count else None
        self._count += 1
        # None at the first call, and after a beat that was written although its answer was lost, one more.
        return bool(before == expected or before == str(self._count).encode())

    def remove(self) -> None:
        with redis_errors(self._broker):
            self._client.delete(self._key)


class _NoRunKey:
    def beat(self) -> bool:
        return True

    def remove(self) -> None:
        pass
