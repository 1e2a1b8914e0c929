"""`voxmatrix workers`: all workers of a cluster, with their health."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.config import environment

if TYPE_CHECKING:
    from voxmatrix.work.cluster.health import WorkerHealth


def command(cluster: options.ClusterUrl = "", as_json: options.AsJson = False) -> None:
    """List the workers of a cluster: device, free memory, open voices, speed, and what each is doing."""
    from voxmatrix.work.cluster.address import broker_url, without_password
    from voxmatrix.work.cluster.health import workers_health

    broker = broker_url(cluster, environment())
    found = workers_health(broker)
    if as_json:
        typer.echo(json.dumps({"workers": [asdict(worker) for worker in found]}))
        return
    if not found:
        shown = without_password(broker)
        typer.echo(f"no workers\n  → start one: voxmatrix worker --cluster {shown}", err=True)
    width = max((len(worker.name) for worker in found), default=0)
    for worker in found:
        typer.echo(f"{worker.name:{width}}  {_line(worker)}")


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
