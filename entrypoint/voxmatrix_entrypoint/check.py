"""The check of folders and device before a long-running command, so that problems are reported within seconds.

The plan selects the device, and the doctor assesses it. In an image for GPUs, the check is stricter than the plan: it
does not train on the CPU, which takes days, unless that was chosen (`--device cpu`, `USE_GPU=no` or `auto`).
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.command import CheckedCommand
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.terminal.messages import warn
from voxmatrix.config import IMAGE_VARIABLE, MACHINE_VARIABLE, is_rank_zero
from voxmatrix.errors import BadInputError
from voxmatrix_entrypoint import log

if TYPE_CHECKING:
    from voxmatrix.plan.preflight import Preflight

VARIABLE = "VOXMATRIX_CHECK"
_OFF = ("off", "no", "false", "0")


def check(context: typer.Context) -> "Preflight | None":
    """Check whether the command can run on this computer, and warn about what would make it slow.

    Returns the facts found, or None if none were needed.

    Raises:
        NoDeviceError: the required device is missing, or its driver is too old.
        NoKernelsError: the installed torch has no kernels for the device.
        UnreachableError: a folder cannot be written.
        UsageError: another training is running in the folder.
        BadInputError: there is no such voice.
    """
    if not is_rank_zero():
        return None  # another process of the same training: only the first one checks
    if os.environ.get(VARIABLE, "").strip().lower() in _OFF:
        log.write(f"{VARIABLE} is off: devices and folders are not checked")
        return None
    from voxmatrix.ownership import this_process
    from voxmatrix_entrypoint.folders import check_folder, lost_with_container
    from voxmatrix_entrypoint.wanted_user import unheard_user

    assert isinstance(context.command, CheckedCommand)
    task, folders = context.command.needs.task, context.command.needs.folders(context.params)
    if IMAGE_VARIABLE in os.environ and hasattr(os, "getuid"):
        for finding in filter(None, [unheard_user(os.environ, this_process())]):
            warn(finding)
    for folder in folders:
        check_folder(folder)
    if task == "train":
        from voxmatrix.lock import TRAINING, check_unlocked

        check_unlocked(Path(context.params["out"] or folders[0]), *TRAINING)
    if IMAGE_VARIABLE in os.environ:
        for finding in filter(None, map(lost_with_container, folders[:1])):
            warn(finding)
    parameters = context.params
    if "device" not in parameters:
        return None  # it computes on the CPU
    if task == "speak" and (parameters.get("cluster") or _needs_no_torch(parameters["voice"])):
        return None
    sources = ParameterSources(context)
    request = requested_device(sources, parameters["device"], parameters["gpu"], parameters["use_gpu"])
    if request.kind == "cpu":
        return None
    from voxmatrix.cli.devices import ask_once
    from voxmatrix_entrypoint.device import check_device

    preflight, findings = check_device(request, task, ask_once if _may_ask(parameters) else None)
    for finding in (*preflight.notes, *findings):
        warn(finding)
    return preflight


def _may_ask(parameters: dict[str, Any]) -> bool:
    """Whether a question can be answered. A batch uses all GPUs, so there is nothing to ask."""
    if parameters["as_json"] or parameters.get("batch") or MACHINE_VARIABLE in os.environ:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def _needs_no_torch(voice: str) -> bool:
    """Whether the voice needs neither torch nor its kernels: the command selects its device."""
    from voxmatrix.voices.resolve import locate

    try:
        family, path = locate(voice)
    except BadInputError:
        from voxmatrix.voices.library import missing

        if missing(voice):
            return True  # the command downloads it: no voice of the library needs torch
        raise
    return not family.uses_torch(path)
