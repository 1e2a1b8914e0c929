"""What was typed, set or written about the settings of a plan, with who said it."""

from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.parameters.device_request import asked_device
from voxmatrix.cli.parameters.sources import Words
from voxmatrix.plan.overrides import asked_number, asked_precision, asked_switch
from voxmatrix.settings import Setting

if TYPE_CHECKING:
    from voxmatrix.plan.plan import Asked

_NUMBERS = ("devices", "batch_size", "accumulation", "prepare_workers", "parallel_voices")
_SWITCHES = ("tf32", "cudnn_benchmark", "gradient_checkpointing", "compile")


def asked_settings(context: typer.Context) -> "Asked":
    """From the options that this command has; what it has no option for is left to the plan.

    Raises:
        UsageError: a value that means nothing.
    """
    from voxmatrix.plan.plan import Asked

    said, given = Words(context), context.params
    forced: dict[str, Setting[Any] | None] = {}
    for name in _NUMBERS:
        if name in given:
            forced[name] = asked_number(given[name], *said.of(name))
    for name in _SWITCHES:
        if name in given:
            forced[name] = asked_switch(given[name], *said.of(name))
    if "precision" in given:
        forced["precision"] = asked_precision(given["precision"], *said.of("precision"))
    if "workers" in given:
        forced["workers"] = asked_number(given["workers"], *said.of("workers"), none=True)
    return Asked(device=asked_device(said, given["device"], given["gpu"], given["use_gpu"]), **forced)
