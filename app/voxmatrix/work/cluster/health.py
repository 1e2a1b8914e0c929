"""The health of all workers of a cluster, asked through Celery: each answers at once, also while it speaks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from voxmatrix.work.cluster.broker import cluster_app
from voxmatrix.work.cluster.broker_client import BrokerClient
from voxmatrix.work.cluster.worker.state import HEALTH

#: Workers that have not answered by then are not listed.
ANSWER_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class WorkerHealth:
    """One worker; the fields are those of `voxmatrix workers --json`."""

    name: Annotated[str, Field(max_length=100)]
    status: Annotated[str, Field(max_length=20)]
    device_type: Annotated[str, Field(max_length=20)]
    gpu_available: bool
    gpu_count: int
    gpu_memory_free_mb: int
    tts_model_loaded: bool
    cached_models: tuple[str, ...]
    audio_seconds_per_second: float | None
    busy_with: str | None


def workers_health(broker: str, timeout_seconds: float = ANSWER_SECONDS) -> list[WorkerHealth]:
    """All workers that answer in time, by name.

    Raises:
        MissingProgramError: Celery is not installed.
        UnreachableError: the broker does not answer, or refuses this client.
    """
    app = cluster_app(broker)
    mailbox = BrokerClient(app, broker)
    mailbox.check()
    found = []
    for answer in mailbox.ask(HEALTH, timeout_seconds):
        try:
            found.append(_workers().validate_python(answer))
        except ValidationError:
            continue  # another program on the same broker
    return sorted(found, key=lambda worker: worker.name)


def is_running(broker: str, name: str) -> bool:
    """Whether a worker of this name answers.

    Raises:
        As `workers_health`.
    """
    mailbox = BrokerClient(cluster_app(broker), broker)
    mailbox.check()
    answers = mailbox.ask(HEALTH, ANSWER_SECONDS, pattern=f"{name}@*", matcher="glob", limit=1)
    return any(isinstance(answer, Mapping) for answer in answers)


@cache
def _workers() -> TypeAdapter[WorkerHealth]:
    return TypeAdapter(WorkerHealth)
