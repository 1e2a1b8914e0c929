"""The commands of `voxmatrix`. Each is imported only when needed, so every start is 0.1 s shorter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.command import EPILOG, AliasedCommand, checked

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a command is: `command` of a module, or, if it has several, the Typer app `group`."""

    module: str
    package: str = "voxmatrix.cli"
    is_group: bool = False
    epilog: str | None = EPILOG
    checked_for: "Task | None" = None  # what the device is checked for, before the command is run

    def load(self, name: str) -> Any:
        """The command, as Typer builds it from the functions of the module."""
        command: Any
        module = import_module(f"{self.package}.{self.module}")
        if self.is_group:
            command = typer.main.get_group(module.group)
        else:
            app = typer.Typer(add_completion=False)
            kind = checked(self.checked_for, module.folders) if self.checked_for else AliasedCommand
            app.command(name, cls=kind, epilog=self.epilog)(module.command)
            command = typer.main.get_command(app)
        command.name = name
        return command


#: In the order of the help. The entry point adds its own.
PLACES = {
    "doctor": Place(module="doctor", epilog=None),
    "plan": Place(module="plan"),
    "segment": Place(module="segment"),
    "prepare": Place(module="prepare"),
    "train": Place(module="train", checked_for="train"),
    "speak": Place(module="speak", checked_for="speak"),
    "distil": Place(module="distil", checked_for="train"),
    "serve": Place(module="serve"),
    "worker": Place(module="worker"),
    "workers": Place(module="workers"),
    "export": Place(module="export", is_group=True),
    "devices": Place(module="devices", is_group=True),
    "book": Place(module="book.group", is_group=True),
    "bench": Place(module="bench", is_group=True),
    "profiles": Place(module="profiles", is_group=True),
    "voices": Place(module="voices", is_group=True),
    "engines": Place(module="engines", is_group=True),
}
NAMES = tuple(PLACES)


class Commands(Mapping[str, Any]):
    """All commands by their names."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = PLACES[name].load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)
