"""A command whose options are the fields of a dataclass: a signature of three lines instead of thirty."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `given` of a command, a dataclass, by an option for each of its fields.

    A field is annotated as a parameter of a Typer command is; its default is the option's.
    """
    signature = inspect.signature(command)
    group = get_type_hints(command)["given"]
    hints = get_type_hints(group, include_extras=True)
    options = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]

    @functools.wraps(command)
    def expanded(*arguments: Any, **parameters: Any) -> None:
        chosen = {option.name: parameters.pop(option.name) for option in options}
        command(*arguments, **parameters, given=group(**chosen))

    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in signature.parameters.values()
        if parameter.name != "given"
    ]
    *first, last = others  # --json stays the last one in the help
    expanded.__signature__ = signature.replace(parameters=[*first, *options, last])  # type: ignore[attr-defined]
    expanded.__annotations__ = {**get_type_hints(command, include_extras=True), **hints}
    return expanded
