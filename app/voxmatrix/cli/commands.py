"""The commands of `voxmatrix`. Each is imported only when needed, so every start is 0.1 s shorter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import typer

from voxmatrix.cli.command import EPILOG, AliasedCommand, checked

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import Task


#: The headings of `voxmatrix --help`.
Panel = Literal["Speak", "Voices", "Books", "Train", "Computers"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a command is: `command` of a module, or, if it has several, the Typer app `group`."""

    module: str
    panel: Panel
    example: str  # what to type behind `voxmatrix`, as the last paragraph of its help but one
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
            command.epilog = example_of(self.example)
        else:
            app = typer.Typer(add_completion=False)
            kind = checked(self.checked_for, module.folders) if self.checked_for else AliasedCommand
            epilog = "\n\n".join(filter(None, (example_of(self.example), self.epilog)))
            app.command(name, cls=kind, epilog=epilog)(module.command)
            command = typer.main.get_command(app)
        command.name, command.rich_help_panel = name, self.panel
        return command


def example_of(words: str) -> str:
    """The line of a help text with an example."""
    return f"Example: voxmatrix {words}"


#: In the order of the help. The entry point adds its own.
PLACES = {
    "speak": Place(module="speak", panel="Speak", example='speak --text "Hello" --play', checked_for="speak"),
    "serve": Place(module="serve", panel="Speak", example="serve --open"),
    "voices": Place(module="voices", panel="Voices", example="voices search german", is_group=True),
    "engines": Place(module="engines", panel="Voices", example="engines list", is_group=True),
    "book": Place(module="book.group", panel="Books", example="book novel.epub --out novel.m4b", is_group=True),
    "segment": Place(
        module="segment", panel="Train", example="segment interview.mp3 --language en --out my-recordings"
    ),
    "prepare": Place(
        module="prepare", panel="Train", example="prepare my-recordings --language en-us --report report.html"
    ),
    "train": Place(
        module="train",
        panel="Train",
        example="train my-recordings --language en-us --out my-voice",
        checked_for="train",
    ),
    "report": Place(module="report", panel="Train", example="report my-voice --out report.html"),
    "distil": Place(
        module="distil", panel="Train", example="distil kokoro/af_heart --out heart.onnx", checked_for="train"
    ),
    "export": Place(module="export", panel="Train", example="export voice my-voice --out my-voice.onnx", is_group=True),
    "doctor": Place(module="doctor", panel="Computers", example="doctor", epilog=None),
    "plan": Place(module="plan", panel="Computers", example="plan --task train --quality medium"),
    "devices": Place(module="devices", panel="Computers", example="devices select cuda:0", is_group=True),
    "bench": Place(module="bench", panel="Computers", example="bench speak --voice my-voice.onnx", is_group=True),
    "profiles": Place(module="profiles", panel="Computers", example="profiles list", is_group=True),
    "worker": Place(module="worker", panel="Computers", example="worker --cluster redis://HOST:6379/0"),
    "workers": Place(module="workers", panel="Computers", example="workers --cluster redis://HOST:6379/0"),
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
