"""The device that a person chose on this computer, remembered in VOXMATRIX_HOME/settings.toml."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.errors import UsageError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.machine.facts import Gpu, Machine

CPU = "cpu"


@dataclass(frozen=True, kw_only=True)
class SavedDevice:
    """A device as it was when it was chosen; cards move, so the uuid is stronger than the name."""

    device: str  # cuda:0, directml:1, cpu
    uuid: str | None = None


def saved_device_of(gpu: Gpu | None) -> SavedDevice:
    """A choice to be remembered; no GPU means the CPU."""
    return SavedDevice(device=CPU) if gpu is None else SavedDevice(device=gpu.device, uuid=gpu.uuid)


def save_device(choice: SavedDevice) -> Path:
    """Write a choice into settings.toml beside what else stands there.

    Raises:
        UnreachableError: the disk is full or the place cannot be written.
        UsageError: settings.toml is there and is not TOML.
    """
    path = _path()
    _settings(path)
    lines = [f"device = {_quoted(choice.device)}", *([f"uuid = {_quoted(choice.uuid)}"] if choice.uuid else [])]
    if ":" in choice.device:
        lines.append(f"index = {choice.device.partition(':')[2]}")
    others = re.sub(r"(?ms)^\[device\][^\n]*\n.*?(?=^\[|\Z)", "", read_text_or_empty(path)).strip()
    write_text(path, (others + "\n\n" if others else "") + "\n".join(["[device]", *lines]) + "\n")
    return path


def saved_device() -> SavedDevice | None:
    """What was chosen, if anything was.

    Raises:
        UsageError: settings.toml is there and is not TOML.
    """
    match _settings(_path()).get("device"):
        case {"device": str(device), "uuid": str(uuid)}:
            return SavedDevice(device=device, uuid=uuid)
        case {"device": str(device)}:
            return SavedDevice(device=device)
        case _:
            return None


def find_saved_device(machine: Machine, choice: SavedDevice) -> Gpu | None:
    """The GPU that was chosen, wherever it sits now; None when it is gone."""
    if choice.uuid is not None:
        return next((gpu for gpu in machine.gpus if gpu.uuid == choice.uuid), None)
    return next((gpu for gpu in machine.gpus if gpu.device == choice.device and gpu.uuid is None), None)


def is_here(machine: Machine, choice: SavedDevice) -> bool:
    """Can this computer still do what was chosen?"""
    return choice.device == CPU or find_saved_device(machine, choice) is not None


def _path() -> Path:
    return home() / "settings.toml"


def _settings(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(read_text_or_empty(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}", f"mend that line, or remove {path}") from error


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
