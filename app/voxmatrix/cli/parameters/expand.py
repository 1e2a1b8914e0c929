"""Commands whose options are the fields of a dataclass, which keeps their signatures short."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `given` of a command, a dataclass, by one option per field.

    Fields are annotated like the parameters of a Typer command; their defaults are the options' defaults.
    """
    signature = inspect.signature(command)
    group = get_type_hints(command)["given"]
    own_first = sorted(fields(group), key=lambda field: field.name not in group.__annotations__)
    hints = get_type_hints(group, include_extras=True)
    options = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in own_first
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
    *first, last = others  # --json stays last in the help
    expanded.__signature__ = signature.replace(parameters=[*first, *options, last])  # type: ignore[attr-defined]
    expanded.__annotations__ = {**get_type_hints(command, include_extras=True), **hints}
    return expanded
