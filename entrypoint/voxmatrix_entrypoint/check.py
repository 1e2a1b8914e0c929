"""The check before a command that computes: its folder, its device. Said in seconds, before anything long begins.

It decides nothing by itself: the plan selects the device, and the doctor assesses it. In an image it is stricter than
the plan: whoever starts an image for GPUs means a GPU, and hours on the CPU should be asked for (`--device cpu`).
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.terminal.warn import warn
from voxmatrix.config import home, is_rank_zero
from voxmatrix_entrypoint import log
from voxmatrix_entrypoint.folders import check_folder

if TYPE_CHECKING:
    from voxmatrix.doctor.preflight import Preflight
    from voxmatrix.plan.device_support import Task

VARIABLE = "VOXMATRIX_CHECK"
_OFF = ("off", "no", "false", "0")


def check(context: typer.Context) -> "Preflight | None":
    """Check whether this command can do its work here, and warn of what would make it slow.

    Returns what was found out; None where nothing had to be.

    Raises:
        NoDeviceError: the device that was demanded is not there, or its driver is too old.
        NoKernelsError: this torch has no kernels for it.
        UnreachableError: the place to write to cannot be written.
        BadInputError: there is no such voice.
    """
    if not is_rank_zero():
        return None  # another process of this training, which was checked when the first was
    if os.environ.get(VARIABLE, "").strip().lower() in _OFF:
        log.say(f"{VARIABLE} is off: neither the device nor the folders of this computer are checked")
        return None
    for folder in _folders(context):
        check_folder(folder)
    given = context.params
    task: Task = "train" if context.info_name == "train" else "speak"
    if task == "speak" and _is_onnx(given["voice"]):
        return None
    request = requested_device(ParameterSources(context), given["device"], given["gpu"], given["use_gpu"])
    if request.kind == "cpu":
        return None
    from voxmatrix_entrypoint.device import check_device

    found, findings = check_device(request, task)
    for finding in (*found.notes, *findings):
        warn(finding)
    return found


def _folders(context: typer.Context) -> list[Path]:
    """Where the command writes."""
    out = str(context.params["out"])
    if context.info_name == "train":
        return [Path(out), home() / "cache"]
    if out == "-":
        return []
    return [Path(out) if context.params["batch"] is not None else Path(out).parent]


def _is_onnx(voice: str) -> bool:
    """Such a voice needs neither torch nor its kernels: the command itself finds its device."""
    from voxmatrix.speak.voice_files import default_voice, find_voice

    return find_voice(Path(voice) if voice else default_voice()).suffix == ".onnx"
