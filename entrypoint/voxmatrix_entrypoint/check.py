"""The check before a command that computes: its folder, its device. Said in seconds, before anything long begins.

It decides nothing by itself: the plan chooses the device, and the doctor judges it. In an image it is stricter than the
plan: who starts an image for GPUs means a GPU, and hours on the CPU should be asked for (`--device cpu`).
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
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.plan.device_support import Task

VARIABLE = "VOXMATRIX_CHECK"
_OFF = ("off", "no", "false", "0")


def check(context: typer.Context) -> None:
    """Look whether this command can do its work here, and warn of what would make it slow.

    Raises:
        NoDeviceError: the device that was demanded is not there, or its driver is too old.
        NoKernelsError: this torch has no kernels for it.
        UnreachableError: what is to be made cannot be written.
        BadInputError: there is no such voice.
    """
    if not is_rank_zero():
        return  # another process of this training, which was checked when the first was
    if os.environ.get(VARIABLE, "").strip().lower() in _OFF:
        log.say(f"{VARIABLE} is off: neither the device nor the folders of this computer are checked")
        return
    for folder in _folders(context):
        check_folder(folder)
    given = context.params
    wish = requested_device(ParameterSources(context), given["device"], given["gpu"], given["use_gpu"])
    if context.info_name == "train":
        _check_device(wish, "train")
    elif not _is_onnx(given["voice"]):
        _check_device(wish, "speak")


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


def _check_device(wish: "DeviceRequest", task: "Task") -> None:
    from voxmatrix.machine.detect import DESCRIBED, detect
    from voxmatrix.machine.saved_device import saved_device
    from voxmatrix_entrypoint.device import check_device, try_on

    if wish.kind == "cpu":
        return
    machine, notes = detect()
    for finding in notes:
        warn(finding)
    gpu, findings = check_device(machine, wish, task, saved_device())
    for finding in findings:
        warn(finding)
    if task == "train" and gpu is not None and machine.image and DESCRIBED not in os.environ:
        try_on(machine, gpu)
