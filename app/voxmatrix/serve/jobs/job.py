"""A job: what was asked for, the command that does it, and how far it is."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from voxmatrix.progress import Activity

State = Literal["queued", "running", "done", "failed", "cancelled"]
STATES: tuple[State, ...] = ("queued", "running", "done", "failed", "cancelled")
#: A job in one of these can be removed.
ENDED: tuple[State, ...] = ("done", "failed", "cancelled")
#: A job in one of these can be queued again.
RESUMABLE: tuple[State, ...] = ("failed", "cancelled")


@dataclass(frozen=True, kw_only=True)
class Work:
    """The command of a job. It is kept, so that a later server runs the very same one."""

    title: str  # what the job is called, unless its request says it
    words: tuple[str, ...]  # of the command line, after `voxmatrix`
    lane: str  # jobs with the same one run one after the other
    measure: Activity | None  # of the command: its progress is that of the job
    files: tuple[str, ...] = ()  # patterns in the folder of the job, or in one with an absolute path: for download
    leftovers: tuple[str, ...] = ()  # folders removed with the job, unless another unfinished one names them
    result: tuple[str, ...] | None = ()  # keys of the command's result that clients get; None: all
    unpack: str | None = None  # a ZIP of recordings in the folder of the job
    cluster: bool = False


@dataclass(frozen=True, kw_only=True)
class JobError:
    """Why a job failed."""

    message: str
    remedy: str = ""
    exit_code: int = 1  # of the command: 3 is a bad input, with which it fails again


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job as the store has it. Times are seconds since 1970."""

    id: str
    kind: str
    title: str
    state: State
    request: dict[str, Any]
    work: Work
    progress: float = 0.0
    seconds_left: float | None = None
    error: JobError | None = None
    result: dict[str, Any] | None = None
    created: float
    started: float | None = None
    ended: float | None = None

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Self:
        """The job of an `asdict` that was JSON in between.

        Raises:
            LookupError, TypeError, ValueError: it is none.
        """
        values = {one.name: record[one.name] for one in fields(cls)} | {"created": float(record["created"])}
        if values["state"] not in STATES:
            raise ValueError(values["state"])
        work = dict(values["work"])
        lists = ("words", "files", "leftovers", "result")
        work |= {name: None if work[name] is None else tuple(work[name]) for name in lists}
        error = values["error"] and JobError(**values["error"])
        return cls(**{**values, "work": Work(**work), "error": error})

    def to_json(self) -> dict[str, Any]:
        """The job as clients see it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "state": self.state,
            "progress": self.progress,
            "seconds_left": self.seconds_left,
            "error": None if self.error is None else asdict(self.error),
            "result": self.result,
            "created": self.created,
            "started": self.started,
            "ended": self.ended,
            "request": self.request,
        }


@dataclass(frozen=True)
class Event:
    """Something that happened to a job."""

    id: int  # rises
    name: str
    data: dict[str, Any]
