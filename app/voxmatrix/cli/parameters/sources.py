"""Where the value of an option comes from, and the requested device and settings of a plan, each with its source."""

from typing import TYPE_CHECKING, Any

import typer

from voxmatrix.config import environment, from_dotenv

if TYPE_CHECKING:
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.plan.plan import Overrides
    from voxmatrix.settings import Setting, Source

#: By the names of click's ParameterSource.
_SOURCES: "dict[str, Source]" = {
    "COMMANDLINE": "flag",
    "PROMPT": "flag",
    "ENVIRONMENT": "environment",
    "DEFAULT_MAP": "voxmatrix.toml",
}


class ParameterSources:
    """The sources of the parameters of a command."""

    def __init__(self, context: typer.Context) -> None:
        self._context = context
        self._flags = {option.name: option for option in context.command.params}

    def is_set(self, name: str) -> bool:
        """Whether the option is set anywhere."""
        return self.of(name)[1] != "automatic"

    def of(self, name: str) -> "tuple[str, Source]":
        """The name of the option where it is set, e.g. VOXMATRIX_BATCH_SIZE, and its source."""
        found = self._context.get_parameter_source(name)
        source = _SOURCES.get(found.name, "automatic") if found else "automatic"
        option = self._flags[name]
        if source == "environment":
            variable = getattr(option, "envvar", None)
            variable = variable if isinstance(variable, str) else name.upper()
            return (f"{variable} in .env", ".env") if variable in from_dotenv() else (variable, source)
        if source == "voxmatrix.toml":
            return f"{name} in voxmatrix.toml", source
        return max(option.opts, key=len), source


def requested_device(sources: ParameterSources, device: str, gpu: str, use_gpu: bool | None) -> "DeviceRequest":
    """The requested device. A flag overrides the environment, then .env, then the older names, then voxmatrix.toml.

    Raises:
        UsageError: a value is invalid.
    """
    from voxmatrix.plan.device_request import AUTO, gpu_or_cpu, older_names, parse_device

    given = {name: sources.of(name) for name in ("device", "gpu", "use_gpu") if sources.is_set(name)}
    by_precedence: tuple[Source, ...] = ("flag", "environment", ".env", "voxmatrix.toml")
    for source in by_precedence:
        if "device" in given and given["device"][1] == source:
            return parse_device(device, source, f"{given['device'][0]} {device}")
        if "gpu" in given and given["gpu"][1] == source:
            return parse_device(gpu, source, f"{given['gpu'][0]} {gpu}")
        if use_gpu is not None and given["use_gpu"][1] == source:
            word = "--use-gpu" if use_gpu else "--no-use-gpu"
            return gpu_or_cpu("yes" if use_gpu else "no", None, source, word if source == "flag" else "use_gpu")
        if source == ".env" and (older := older_names(environment())) is not AUTO:
            return older
    return AUTO


_NUMBERS = ("devices", "batch_size", "accumulation", "prepare_workers", "parallel_voices")
_SWITCHES = ("tf32", "cudnn_benchmark", "gradient_checkpointing", "compile", "graphs")


def read_overrides(context: typer.Context) -> "Overrides":
    """The overrides among the options of this command; the plan chooses everything else.

    Raises:
        UsageError: a value is invalid.
    """
    from voxmatrix.plan.overrides import override_number, override_precision, override_switch
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
