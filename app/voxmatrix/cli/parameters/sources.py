"""Where the value of an option comes from: a flag, the environment, .env or voxmatrix.toml."""

import typer

from voxmatrix.config import is_from_dotenv
from voxmatrix.settings import Source

#: By the names of click's ParameterSource.
_SOURCES: dict[str, Source] = {
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

    def of(self, name: str) -> tuple[str, Source]:
        """The name of the option where it is set, e.g. VOXMATRIX_BATCH_SIZE, and its source."""
        found = self._context.get_parameter_source(name)
        source = _SOURCES.get(found.name, "automatic") if found else "automatic"
        option = self._flags[name]
        if source == "environment":
            variable = getattr(option, "envvar", None)
            variable = variable if isinstance(variable, str) else name.upper()
            return (f"{variable} in .env", ".env") if is_from_dotenv(variable) else (variable, source)
        if source == "voxmatrix.toml":
            return f"{name} in voxmatrix.toml", source
        return max(option.opts, key=len), source
