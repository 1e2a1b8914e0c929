"""`book cast --ask`: a chat server is asked who says what the rules are not sure of."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.cli.terminal.messages import warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import Finding, UsageError

if TYPE_CHECKING:
    from voxmatrix.book.people.cast import Attribution
    from voxmatrix.voices.cast_table import Correction

#: Some servers refuse schemas with more names.
_MAX_PEOPLE = 60
#: Answers that were not taken are shown up to this number.
_SHOWN = 3


def answers_of(
    found: "Attribution", people: Sequence[str], url: str, model: str, key_file: Path | None, *, as_json: bool
) -> "list[Correction]":
    """What the model says, to be written into the table.

    Raises:
        UsageError: no model is named, or the address is none.
        BadInputError, UnreachableError: see `remote.chat.answered`; what was answered before is kept.
    """
    from functools import partial

    from voxmatrix.book.people.answers import ask_book
    from voxmatrix.config import home
    from voxmatrix.remote.chat import answered
    from voxmatrix.remote.servers import Server, with_version

    if not model:
        raise UsageError("`ask` names a server, and no model is named", "add `model=NAME`, as the server calls it")
    server = Server(url=with_version(url), key_file=str(key_file.absolute()) if key_file else "")
    with progress("check", "chapters asked about", as_json=as_json) as on_progress:
        said, asked = ask_book(
            found,
            people[:_MAX_PEOPLE],
            partial(answered, server, model),
            model=model,
            kept=home() / "asked",
            on_progress=on_progress,
        )
    if asked.dropped:
        shown = "; ".join(asked.dropped[:_SHOWN])
        problem = f"not all that {model} has answered can be used: {shown}"
        problem += f" and {len(asked.dropped) - _SHOWN} more" if len(asked.dropped) > _SHOWN else ""
        warn(Finding(problem=problem, remedy="the rules decide there", severity="warning"))
    return said
