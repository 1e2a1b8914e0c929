"""The commands of `voxmatrix`. Each is imported only when needed, so every start is 0.1 s shorter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.command import AliasedCommand, checked
from voxmatrix.cli.parameters.options import EPILOG

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a command is: `command` of a module, or, if it has several, the Typer app `group`."""

    module: str
    is_group: bool = False
    epilog: str | None = EPILOG
    checked_for: "Task | None" = None  # what the device is checked for, before the command is run

    def load(self, name: str) -> Any:
        """The command, as Typer builds it from the functions of the module."""
        command: Any
        module = import_module(f"voxmatrix.cli.{self.module}")
        if self.is_group:
            command = typer.main.get_group(module.group)
        else:
            app = typer.Typer(add_completion=False)
            kind = checked(self.checked_for, module.folders) if self.checked_for else AliasedCommand
            app.command(name, cls=kind, epilog=self.epilog)(module.command)
            command = typer.main.get_command(app)
        command.name = name
        return command


#: In the order of the help.
_PLACES = {
    "doctor": _Place(module="doctor", epilog=None),
    "plan": _Place(module="plan"),
    "segment": _Place(module="segment"),
    "prepare": _Place(module="prepare"),
    "train": _Place(module="train", checked_for="train"),
    "speak": _Place(module="speak", checked_for="speak"),
    "distil": _Place(module="distil", checked_for="train"),
    "serve": _Place(module="serve"),
    "worker": _Place(module="worker"),
    "workers": _Place(module="workers"),
    "export": _Place(module="export", is_group=True),
    "devices": _Place(module="devices", is_group=True),
    "book": _Place(module="book.group", is_group=True),
    "bench": _Place(module="bench", is_group=True),
    "profiles": _Place(module="profiles", is_group=True),
    "voices": _Place(module="voices", is_group=True),
    "engines": _Place(module="engines", is_group=True),
}
NAMES = tuple(_PLACES)


class Commands(Mapping[str, Any]):
    """All commands by their names, and `others`, which are loaded already."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        self._loaded = dict(others)
        self._names = (*NAMES, *others)

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _PLACES[name].load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
