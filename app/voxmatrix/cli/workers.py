"""`voxmatrix workers`: all workers of a cluster, with their health."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json
from voxmatrix.config import environment
from voxmatrix.errors import UnreachableError

if TYPE_CHECKING:
    from voxmatrix.work.cluster.members import WorkerHealth

#: How long --wait waits: on a busy or small computer a worker needs minutes to start.
_WAIT_SECONDS = 300.0


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Only the worker of this name, or those of one computer.")
    ] = "",
    *,
    cluster: options.ClusterUrl = "",
    wait: Annotated[
        int, typer.Option("--wait", metavar="N", min=0, help="Wait until N workers answer, five minutes at most.")
    ] = 0,
    as_json: options.AsJson = False,
) -> None:
    """List the workers of a cluster: device, free memory, open voices, speed, and what each is doing.

    The exit code is 8 if fewer workers answer than asked for: with NAME, one.
    """
    from voxmatrix.work.cluster.broker import broker_url, without_password

    broker = broker_url(cluster, environment())
    least = wait or (1 if name else 0)
    found = _workers(broker, name, least, _WAIT_SECONDS if wait else 0.0)
    if as_json:
        print_json({"workers": [asdict(worker) for worker in found]})
    elif not found and not least:
        shown = without_password(broker)
        echo(f"no workers\n  → start one: voxmatrix worker --cluster {shown}", err=True)
    else:
        _show(found)
    if len(found) < least:
        what = f"no worker named {name} answers" if name and least == 1 else f"{len(found)} of {least} workers answer"
        named = f" --name {name}" if name else ""
        raise UnreachableError(what, f"start one: voxmatrix worker --cluster {without_password(broker)}{named}")


def _workers(broker: str, name: str, least: int, wait_seconds: float) -> "list[WorkerHealth]":
    """The workers that answer, as soon as there are enough; those of a computer are called NAME, NAME-cuda0 …"""
    from voxmatrix.work.cluster.members import workers_health

    until = time.monotonic() + wait_seconds
    while True:
        answered = workers_health(broker)
        found = [worker for worker in answered if not name or worker.name == name or worker.name.startswith(f"{name}-")]
        if len(found) >= least or time.monotonic() >= until:
            return found


def _show(found: "list[WorkerHealth]") -> None:
    width = max((len(worker.name) for worker in found), default=0)
    for worker in found:
        echo(f"{worker.name:{width}}  {_line(worker)}")


def _line(worker: "WorkerHealth") -> str:
    speed = worker.audio_seconds_per_second
    facts = (
        worker.device_type,
        f"{worker.gpu_memory_free_mb} MiB free" if worker.gpu_available else "",
        ", ".join(worker.cached_models) or "no voice loaded",
        "" if speed is None else f"{speed:.1f} s of audio per second",
        worker.busy_with or "idle",
    )
    return "  ".join(filter(None, facts))
