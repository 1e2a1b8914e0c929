"""Names in the environment, .env and voxmatrix.toml that have no effect.

Either no option has that name, and most of them are misspelt, or a file of the working directory may not set it.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from voxmatrix.config import CONFIG_NAME, DOTENV_NAME, FOLDER_SETTINGS, from_dotenv
from voxmatrix.errors import Finding

_PREFIX = "VOXMATRIX_"
#: Variables that need no check: of the program, of the tools in a clone, and of the images, which set two options.
_UNCHECKED = re.compile(
    r"VOXMATRIX_(HOST|CLUSTER|HOME|FAMILIES|IMAGE|IMAGE_FACTS|MACHINE|PATCHES|CHECK|LOG|MESSAGES|ESPEAK"
    r"|UID|DATA|PUBLISH|PULL|VERSION|SHM|PORT|CA|ROW|REQUIRE|HYPOTHESIS|BUILD_NETWORK|BASE_BY_TAG"
    r"|(TORCH_INDEX|REGISTRY|TEST|FAULT|ENGINE)(_\w+)?)"
)


def unknown_names(
    command: Any, variables: Iterable[str], refused: Iterable[str], keys: Iterable[str]
) -> Iterator[Finding]:
    """A warning for each name that has no effect, of the commands below `command`.

    `variables` are set, `refused` are those that a .env may not set, and `keys` are those of voxmatrix.toml.
    """
    maybe = [name for name in sorted(variables) if name.startswith(_PREFIX) and not _UNCHECKED.fullmatch(name)]
    refused, keys = sorted(refused), list(keys)
    if not maybe and not refused and not keys:
        return  # without loading the commands
    options = list(_options(command))
    flag_of = {str(option.name): _flag(option) for option in options}
    set_by = [(str(option.name), str(option.envvar)) for option in options if getattr(option, "envvar", None)]
    variable_of, known = dict(set_by), {variable for _, variable in set_by}
    flags = {f"{_PREFIX}{name.upper()}": flag for name, flag in flag_of.items() if flag}
    for name in maybe:
        if name not in known:
            yield _unknown(name, f" in {DOTENV_NAME}" if name in from_dotenv() else "", known, flags.get(name, ""))
    for name in refused:
        if not name.startswith(_PREFIX) or _UNCHECKED.fullmatch(name) or name in known:
            yield _refused(name, DOTENV_NAME, flags.get(name, ""), name)
        else:
            yield _unknown(name, f" in {DOTENV_NAME}", known, flags.get(name, ""))
    for key in keys:
        if key not in flag_of:
            yield _unknown(key, f" in {CONFIG_NAME}", set(flag_of))
        elif key not in FOLDER_SETTINGS:
            yield _refused(key, CONFIG_NAME, flag_of[key], variable_of.get(key, ""))


def _options(command: Any) -> Iterator[Any]:
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from _options(inner)


def _flag(option: Any) -> str:
    """The longest flag of an option; "" for an argument."""
    longest = str(max(option.opts, key=len))
    return longest if longest.startswith("-") else ""


def _refused(name: str, file: str, flag: str, variable: str) -> Finding:
    ways = [f"give {flag}" if flag else "", f"set {variable} in the environment" if variable else ""]
    return Finding(
        problem=f"{name} in ./{file} is ignored: files of the current folder may not set it",
        remedy=" or ".join(filter(None, ways)) or "give it on the command line",
        severity="warning",
    )


def _unknown(name: str, place: str, known: set[str], flag: str = "") -> Finding:
    if flag:
        problem = f"{name}{place} is ignored: that is set on the command line only"
        return Finding(problem=problem, remedy=f"give {flag}", severity="warning")
    alike = get_close_matches(name, known, n=1)
    return Finding(
        problem=f"{name}{place} is not a setting; it is ignored",
        remedy=f"did you mean {alike[0]}?" if alike else "remove it; `voxmatrix COMMAND --help` lists the settings",
        severity="warning",
    )
