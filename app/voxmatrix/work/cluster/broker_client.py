"""The coordinator's side of the broker: send a batch to the queue of one worker, and read how far batches are.

Also the life sign of a run in the broker's Redis: it tells the coordinator of lost data, and workers of a coordinator
that is gone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from voxmatrix.errors import UnreachableError
from voxmatrix.wording import summary
from voxmatrix.work.cluster.broker import SPEAK, is_redis, queue_of, unacknowledged_keys, without_password
from voxmatrix.work.cluster.messages import SpeechBatch, to_message
from voxmatrix.work.cluster.store import redis_client, redis_errors
from voxmatrix.work.cluster.worker.state import CANCEL

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


class BrokerClient:
    """Tasks of one coordinator. Every method raises UnreachableError if the broker does not answer."""

    def __init__(self, app: Any, broker: str) -> None:
        self._app, self._broker = app, broker
        self._redis = redis_client(broker) if is_redis(broker) else None

    def send(self, worker: str, task: str, batch: SpeechBatch) -> None:
        """Put a batch into the queue of a worker.

        Not by `send_task`, which would subscribe to the result of every task.
        """
        message = self._app.amqp.create_task_message(
            task, SPEAK, args=(), kwargs=to_message(batch), argsrepr="", kwargsrepr=""
        )
        with _reachable(self._broker), self._app.producer_or_acquire() as producer:
            self._app.amqp.send_task_message(producer, SPEAK, message, queue=queue_of(worker), retry=False)

    def states(self, tasks: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """The state of every task that has one: `status` and `result`. Exceptions in it stay plain JSON."""
        backend = self._app.backend
        with _reachable(self._broker):
            if not hasattr(backend, "mget"):
                return {task: backend.get_task_meta(task, cache=False) for task in tasks}
            found = backend.mget([backend.get_key_for_task(task) for task in tasks])
        decoded = {}
        for task, payload in zip(tasks, found, strict=True):
            try:
                state = backend.decode(payload)
            except Exception:  # not JSON: nothing that a worker of ours has written
                continue
            if isinstance(state, Mapping):
                decoded[task] = state
        return decoded

    def forget(self, tasks: Iterable[str]) -> None:
        """Delete the states of tasks that have ended."""
        backend = self._app.backend
        with _reachable(self._broker):
            for task in tasks:
                if hasattr(backend, "mget"):
                    backend.delete(backend.get_key_for_task(task))
                else:
                    backend.forget(task)

    def cancel(self, node: str, tasks: Mapping[str, Sequence[int]]) -> None:
        """Tell a worker which units of which tasks it need not speak."""
        with _reachable(self._broker):
            self._app.control.broadcast(CANCEL, arguments={"tasks": dict(tasks)}, destination=[node], reply=False)

    def kill(self, node: str, tasks: Sequence[str]) -> None:
        """End the process in which a worker speaks one of these tasks. Celery starts another one."""
        with _reachable(self._broker):
            self._app.control.revoke(list(tasks), terminate=True, signal="SIGKILL", destination=[node])

    def drop_queue(self, worker: str) -> None:
        """Delete what is queued for a worker that is gone: its next start is told again what to do."""
        with _reachable(self._broker):
            if self._redis is not None:
                with redis_errors(self._broker):
                    self._redis.delete(queue_of(worker), *unacknowledged_keys(worker).values())
                return
            with self._app.connection_for_write() as connection:
                connection.default_channel.queue_purge(queue_of(worker))

    def ask(self, command: str, timeout_seconds: float, **whom: Any) -> list[Any]:
        """What workers answer to a command in time; `whom` as in Celery's `broadcast`, by default all."""
        with _reachable(self._broker):
            replies = self._app.control.broadcast(command, reply=True, timeout=timeout_seconds, **whom)
        return [answer for reply in replies or () for answer in reply.values()]

    def check(self) -> None:
        """Ask the broker for a sign of life."""
        if self._redis is not None:
            with redis_errors(self._broker):
                self._redis.ping()
            return
        with _reachable(self._broker), self._app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)


@contextmanager
def _reachable(broker: str) -> Iterator[None]:
    """Turn any error of the transport, of which every broker has its own, into an UnreachableError."""
    try:
        yield
    except UnreachableError:
        raise
    except Exception as error:
        raise UnreachableError(
            f"{without_password(broker)} cannot be reached: {summary(error)}",
            "check that the broker runs there, and that this computer may connect to it",
        ) from error
