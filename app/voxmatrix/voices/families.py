"""The families of voices. A new one is a package of its own and an entry here."""

from functools import cache
from importlib import import_module

from voxmatrix.config import environment
from voxmatrix.errors import UsageError
from voxmatrix.external.family import FAMILY as EXTERNAL
from voxmatrix.kokoro.family import FAMILY as KOKORO
from voxmatrix.models.family import Family
from voxmatrix.piper.family import FAMILY as PIPER
from voxmatrix.remote.family import FAMILY as REMOTE

#: Families of other packages, as modules with a FAMILY, separated by commas: `my_package.family`.
VARIABLE = "VOXMATRIX_FAMILIES"


@cache
def families() -> tuple[Family, ...]:
    """All families. The last one may claim any file, so those of other packages come first.

    Raises:
        UsageError: one that the environment names cannot be imported.
    """
    return (*_added(environment().get(VARIABLE, "")), REMOTE, KOKORO, EXTERNAL, PIPER)


def family_named(name: str) -> Family:
    """The family of this name."""
    return next(family for family in families() if family.name == name)


def _added(modules: str) -> tuple[Family, ...]:
    found = []
    for module in filter(None, map(str.strip, modules.split(","))):
        try:
            found.append(import_module(module).FAMILY)
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"{VARIABLE} names {module!r}, which is not a family of voices: {error}",
                "install the package that it is in, or remove it from the variable",
            ) from error
    return tuple(found)
