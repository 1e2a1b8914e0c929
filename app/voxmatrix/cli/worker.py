"""`voxmatrix worker`: speak for a cluster, on every GPU of this computer or on its CPU."""

import logging
import re
import secrets
import socket
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.terminal.messages import echo
from voxmatrix.config import environment
from voxmatrix.errors import UnreachableError, UsageError

if TYPE_CHECKING:
    from voxmatrix.plan.device_request import DeviceRequest

#: How long to wait for a broker that is just being started.
_BROKER_SECONDS = 10.0
_LOG_FORMAT = "[%(asctime)s: %(levelname)s/%(processName)s] %(message)s"


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(options.ThreadOptions, options.DeviceOptions, options.ClusterOptions):
    """The options of this command."""

    name: Annotated[
        str,
        options.automatic("--name", "NAME", "Name in the cluster (default: WORKER_ID, or the host name).", "Cluster"),
    ] = ""
    redis_acl: Annotated[
        bool,
        typer.Option(
            "--redis-acl",
            help="Print the command for redis-cli that gives this computer a user of its own, and exit.",
            rich_help_panel="Cluster",
        ),
    ] = False


@expand
def command(context: typer.Context, *, given: WorkerOptions) -> None:
    """Work for a cluster until Ctrl-C: one worker per GPU, or one on the CPU. It speaks what `book --cluster` sends."""
    from voxmatrix.work.cluster.broker import broker_url
    from voxmatrix.work.cluster.store import open_store
    from voxmatrix.work.cluster.worker.node import NodeSettings
    from voxmatrix.work.cluster.worker.supervise import run_workers, scratch_folder

    if sys.platform == "win32":
        raise UsageError("workers run on Linux and macOS", "start it in WSL2 or in a container")
    request = requested_device(ParameterSources(context), given.device, given.gpu, given.use_gpu)
    name = _name(given.name)
    placements = _placements(name, request)
    if given.redis_acl:
        _show_user(name, list(placements))
        return
    broker = broker_url(given.cluster, environment())
    open_store(given.store, broker)
    logging.basicConfig(format=_LOG_FORMAT, level=logging.INFO)
    _check_cluster(broker, list(placements))
    with ExitStack() as stack:
        settings = [
            NodeSettings(
                name=name,
                host=socket.gethostname(),
                broker=broker,
                results=given.results,
                store=given.store,
                request=each,
                threads=given.threads,
                scratch=stack.enter_context(scratch_folder()),
            )
            for name, each in placements.items()
        ]
        try:
            run_workers(settings)
        except KeyboardInterrupt:
            echo("stopped", err=True)


def _name(given: str) -> str:
    """The name that was given, or that of the host with what a name may not contain replaced.

    Raises:
        UsageError: the name has characters that a name may not have.
    """
    named = given or environment().get("WORKER_ID", "")
    if not named:
        return re.sub(r"[^0-9A-Za-z._-]", "-", socket.gethostname())[:60] or "worker"
    if re.fullmatch(r"[0-9A-Za-z._-]{1,80}", named) is None:
        raise UsageError(f"{named!r} cannot be the name of a worker", "use letters, digits, dots, dashes and _")
    return named


def _placements(name: str, request: "DeviceRequest") -> "dict[str, DeviceRequest]":
    """The workers of this computer: one for each GPU, unless a device was chosen.

    A computer without a usable GPU has one worker, which says so and uses the CPU.
    """
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device
    from voxmatrix.plan.device_selection import unsupported
    from voxmatrix.plan.verdict import assess

    if request.kind == "cpu" or request.index is not None or (request.kind == "auto" and saved_device() is not None):
        return {name: request}
    machine = detect().machine
    usable = [gpu for gpu in machine.gpus if unsupported(gpu, machine, assess, "speak") is None]
    if request.kind not in ("auto", "gpu"):
        usable = [gpu for gpu in usable if gpu.kind == request.kind]
    if len(usable) < 2:
        return {name: request}
    return {
        f"{name}-{gpu.kind}{gpu.index}": replace(
            request, kind=gpu.kind, index=gpu.index, origin=f"--device {gpu.device}"
        )
        for gpu in usable
    }


def _show_user(name: str, workers: list[str]) -> None:
    """Print the command that creates the user of this computer, with a new password."""
    from voxmatrix.work.cluster.broker import set_user

    password = secrets.token_urlsafe(24)
    echo(set_user(name, password, workers))
    echo(f"  → then: voxmatrix worker --cluster redis://{name}:{password}@HOST:6379/0", err=True)


def _check_cluster(broker: str, names: list[str]) -> None:
    """Wait a little for the broker, and refuse names that are in use: two workers would share one queue.

    Raises:
        UnreachableError: the broker does not answer, or refuses this client.
        UsageError: a worker of this name is running already.
    """
    from voxmatrix.work.cluster.broker import without_password
    from voxmatrix.work.cluster.members import is_running

    until = time.monotonic() + _BROKER_SECONDS
    while True:
        try:
            taken = [name for name in names if is_running(broker, name)]
            break
        except UnreachableError as error:
            if "refuses" in error.problem or time.monotonic() >= until:
                raise
            time.sleep(0.5)
    if taken:
        shown = without_password(broker)
        raise UsageError(f"a worker named {taken[0]} is already running on {shown}", "choose another one with --name")
