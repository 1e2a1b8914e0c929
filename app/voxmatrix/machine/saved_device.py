"""The device that the user selected on this computer, saved in VOXMATRIX_HOME/settings.toml."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.config import home
from voxmatrix.errors import SettingsFileError
from voxmatrix.files import read_text_or_empty, write_text

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Gpu, Machine

CPU = "cpu"


@dataclass(frozen=True, kw_only=True)
class SavedDevice:
    """A device as it was when it was selected. Cards may move, so the uuid takes precedence over the name."""

    device: str  # cuda:0, directml:1, cpu
    uuid: str | None = None


def saved_device_of(gpu: "Gpu | None") -> SavedDevice:
    """The entry to save for this GPU; None is the CPU."""
    return SavedDevice(device=CPU) if gpu is None else SavedDevice(device=gpu.device, uuid=gpu.uuid)


def save_device(choice: SavedDevice) -> Path:
    """Save a device in settings.toml and keep the other settings there.

    Raises:
        UnreachableError: the disk is full or the path cannot be written.
        SettingsFileError: settings.toml exists but is not valid TOML.
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
    """The saved device, if any.

    Raises:
        SettingsFileError: settings.toml exists but is not valid TOML.
    """
    match _settings(_path()).get("device"):
        case {"device": str(device), "uuid": str(uuid)}:
            return SavedDevice(device=device, uuid=uuid)
        case {"device": str(device)}:
            return SavedDevice(device=device)
        case _:
            return None


def find_saved_device(machine: "Machine", choice: SavedDevice) -> "Gpu | None":
    """The saved GPU, wherever it is now; None if it is gone."""
    if choice.uuid is not None:
        return next((gpu for gpu in machine.gpus if gpu.uuid == choice.uuid), None)
    return next((gpu for gpu in machine.gpus if gpu.device == choice.device and gpu.uuid is None), None)


def is_here(machine: "Machine", choice: SavedDevice) -> bool:
    """Whether the saved device is still present."""
    return choice.device == CPU or find_saved_device(machine, choice) is not None


def _path() -> Path:
    return home() / "settings.toml"


def _settings(path: Path) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(read_text_or_empty(path))
    except tomllib.TOMLDecodeError as error:
        raise SettingsFileError(f"{path} is not valid TOML: {error}", f"fix that line, or remove {path}") from error


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
