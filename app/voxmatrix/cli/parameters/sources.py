"""Who spoke for an option: the flag, the environment or voxmatrix.toml."""

import typer

from voxmatrix.settings import Source

#: By the names that click gives to the places a value can come from.
_SOURCES: dict[str, Source] = {
    "COMMANDLINE": "flag",
    "PROMPT": "flag",
    "ENVIRONMENT": "environment",
    "DEFAULT_MAP": "voxmatrix.toml",
}


class ParameterSources:
    """What was typed, set or written for a command."""

    def __init__(self, context: typer.Context) -> None:
        self._context = context
        self._flags = {option.name: option for option in context.command.params}

    def is_set(self, name: str) -> bool:
        """Whether anybody set this option."""
        return self.of(name)[1] != "automatic"

    def of(self, name: str) -> tuple[str, Source]:
        """How the option is called where it was set, e.g. VOXMATRIX_BATCH_SIZE, and which place that is."""
        found = self._context.get_parameter_source(name)
        source = _SOURCES.get(found.name, "automatic") if found else "automatic"
        option = self._flags[name]
        if source == "environment":
            variable = getattr(option, "envvar", None)
            return (variable if isinstance(variable, str) else name.upper()), source
        if source == "voxmatrix.toml":
            return f"{name} in voxmatrix.toml", source
        return max(option.opts, key=len), source
