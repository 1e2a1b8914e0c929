"""The settings of a plan that the user overrides, each with its source."""

from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.cli.parameters.device_request import requested_device
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.plan.overrides import override_number, override_precision, override_switch
from voxmatrix.settings import Setting

if TYPE_CHECKING:
    from voxmatrix.plan.plan import Overrides

_NUMBERS = ("devices", "batch_size", "accumulation", "prepare_workers", "parallel_voices")
_SWITCHES = ("tf32", "cudnn_benchmark", "gradient_checkpointing", "compile")


def read_overrides(context: typer.Context) -> "Overrides":
    """The overrides among the options of this command; the plan chooses everything else.

    Raises:
        UsageError: a value is invalid.
    """
    from voxmatrix.plan.plan import Overrides

    sources, given = ParameterSources(context), context.params
    forced: dict[str, Setting[Any] | None] = {}
    for name in _NUMBERS:
        if name in given:
            forced[name] = override_number(given[name], *sources.of(name))
    for name in _SWITCHES:
        if name in given:
            forced[name] = override_switch(given[name], *sources.of(name))
    if "precision" in given:
        forced["precision"] = override_precision(given["precision"], *sources.of("precision"))
    if "workers" in given:
        forced["workers"] = override_number(given["workers"], *sources.of("workers"), none=True)
    return Overrides(device=requested_device(sources, given["device"], given["gpu"], given["use_gpu"]), **forced)
