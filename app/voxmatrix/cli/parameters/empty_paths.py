"""Empty paths, mostly of a shell variable that is not set: they would be the current folder."""

from collections.abc import Sequence
from typing import Any

from voxmatrix.errors import UsageError

#: What command line parsers call the types of paths.
_PATHS = ("path", "file", "directory")


def refuse_empty_paths(command: Any, context: Any, words: Sequence[str]) -> None:
    """Check the paths that the words of a command give.

    Raises:
        UsageError: one is empty.
    """
    given, _, _ = command.make_parser(context).parse_args(list(words))
    for parameter in command.params:
        is_path = parameter.type.name in _PATHS or parameter.name == "out"
        if is_path and given.get(parameter.name) == "":
            name = parameter.make_metavar(context) if parameter.param_type_name == "argument" else parameter.opts[0]
            raise UsageError(f"{name} is empty", "give a path; an unset shell variable is empty, too")
