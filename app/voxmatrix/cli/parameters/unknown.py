"""Names in the environment, .env and voxmatrix.toml that no option has: most of them are misspelt."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from voxmatrix.config import CONFIG_NAME, DOTENV_NAME, is_from_dotenv
from voxmatrix.errors import Finding

_PREFIX = "VOXMATRIX_"
#: Variables that need no check: of the program, of the tools in a clone, and of the images, which set two options.
_UNCHECKED = re.compile(
    r"VOXMATRIX_(HOST|CLUSTER|HOME|FAMILIES|IMAGE|IMAGE_FACTS|MACHINE|PATCHES|CHECK|LOG|MESSAGES|ESPEAK"
    r"|UID|DATA|PUBLISH|SHM|PORT|CA|ROW|REQUIRE|HYPOTHESIS|BUILD_NETWORK|(TORCH_INDEX|REGISTRY|TEST|FAULT|ENGINE)(_\w+)?)"
)


def unknown_names(command: Any, variables: Iterable[str], keys: Iterable[str]) -> Iterator[Finding]:
    """A warning for each variable and each key of voxmatrix.toml that no command below `command` reads."""
    maybe = [name for name in sorted(variables) if name.startswith(_PREFIX) and not _UNCHECKED.fullmatch(name)]
    keys = list(keys)
    if not maybe and not keys:
        return  # without loading the commands
    options = list(_options(command))
    known = {str(option.envvar) for option in options if getattr(option, "envvar", None)}
    longest = {str(option.name): max(option.opts, key=len) for option in options}
    flags = {f"{_PREFIX}{name.upper()}": flag for name, flag in longest.items() if flag.startswith("-")}
    for name in maybe:
        if name not in known:
            yield _finding(name, f" in {DOTENV_NAME}" if is_from_dotenv(name) else "", known, flags.get(name))
    names = {str(option.name) for option in options}
    for key in keys:
        if key not in names:
            yield _finding(key, f" in {CONFIG_NAME}", names)


def _options(command: Any) -> Iterator[Any]:
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from _options(inner)


def _finding(name: str, place: str, known: set[str], flag: str | None = None) -> Finding:
    if flag is not None:
        problem = f"{name}{place} is ignored: that is set on the command line only"
        return Finding(problem=problem, remedy=f"give {flag}", severity="warning")
    alike = get_close_matches(name, known, n=1)
    return Finding(
        problem=f"{name}{place} is not a setting; it is ignored",
        remedy=f"did you mean {alike[0]}?" if alike else "remove it; `voxmatrix COMMAND --help` lists the settings",
        severity="warning",
    )
