"""How long nothing may work: a broker that does not answer, or a cluster without workers."""

from collections.abc import Sequence
from typing import Literal

from voxmatrix.errors import Finding, UnreachableError
from voxmatrix.models.device import Warn
from voxmatrix.speak.batch.messages import Failure, error_of
from voxmatrix.work.cluster.broker import without_password

#: Without the broker, or without any worker, the job ends after PATIENCE_SECONDS, and says so before.
PATIENCE_SECONDS, NOTICE_SECONDS = 60.0, 6.0
#: When all workers that are left cannot speak the voice, another one has this long to come back.
_RETURN_SECONDS = 10.0


class Patience:
    """Since when a broker does not answer, and since when no worker is there."""

    def __init__(self, broker: str, seconds: float, warn: Warn, now: float) -> None:
        """`warn` is told once of each time that nothing works."""
        self._broker, self._seconds, self._warn = without_password(broker), seconds, warn
        self._last_worker = now
        self._unreachable: tuple[float, UnreachableError] | None = None  # since when, and how
        self._told: Literal["broker", "workers"] | None = None  # what is missing, as far as the user knows

    def asked(self, now: float, error: UnreachableError | None) -> None:
        """The broker was asked and has answered, or has not."""
        self._unreachable = None if error is None else self._unreachable or (now, error)

    def has_worker(self, now: float) -> None:
        """A worker is there."""
        self._last_worker = now

    def tell(self, now: float, failures: Sequence[Failure]) -> None:
        """Say what is missing. `failures`: why the workers that are there cannot speak the voice."""
        before, self._told = self._told, None
        if self._unreachable is not None and now - self._unreachable[0] > NOTICE_SECONDS:
            self._told, problem, remedy = "broker", self._unreachable[1].problem, self._unreachable[1].remedy
        elif now - self._last_worker > NOTICE_SECONDS and not failures:
            self._told, problem = "workers", f"nothing is spoken: no worker of {self._broker} is heard"
            remedy = f"start one: voxmatrix worker --cluster {self._broker}"
        if self._told is not None and self._told != before:
            waits = f"; this command waits {self._seconds:.0f} s for it"
            self._warn(Finding(problem=problem, remedy=remedy + waits, severity="warning"))

    def check(self, now: float, failures: Sequence[Failure]) -> None:
        """Check that it is worth waiting.

        Raises:
            UnreachableError: nothing has worked for too long.
            VoxmatrixError: no worker can speak the voice.
        """
        if self._unreachable is not None and now - self._unreachable[0] > self._seconds:
            raise self._unreachable[1]
        alone = now - self._last_worker
        if failures and alone > _RETURN_SECONDS:
            raise error_of(failures[0])
        if alone > self._seconds:
            raise UnreachableError(
                f"no worker of {self._broker} has been heard for {self._seconds:.0f} s",
                f"start one: voxmatrix worker --cluster {self._broker}; what is done is kept, and the same command "
                "continues",
            )
