"""JSON files from anywhere, checked by pydantic against a dataclass and refused by the key that is wrong."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.machine.facts import LONGEST_TEXT

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")

#: Such files are a few kilobytes; what is larger than this is something else.
MOST_BYTES = 1024 * 1024
_TOO_LARGE = 2**40  # of any number
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # PowerShell's editors write one
_MOST_LETTERS_SHOWN = 60


def read_described(path: Path, kind: type[T], mistakes: Callable[[T], Iterable[str]], remedy: str) -> T:
    """What the file holds, as the dataclass `kind`; `mistakes` names what the bounds of its fields cannot express.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    from pydantic import ValidationError

    with read_errors(path), path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadInputError(f"{path}: is larger than {MOST_BYTES // 1024} KiB, such a file has a few of them", remedy)
    try:
        adapter = _adapter(kind)  # type: ignore[arg-type]  # classes are hashable
        described: T = adapter.validate_json(content.removeprefix(_BYTE_ORDER_MARK), strict=True, extra="forbid")
        complaints = [*_impossible_values(described), *mistakes(described)]
    except ValidationError as error:
        complaints = [_complaint(detail) for detail in error.errors(include_url=False)]
    if complaints:
        raise BadInputError(f"{path}: {'; '.join(complaints[:5])}", remedy)
    return described


@cache  # making one takes milliseconds
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _complaint(detail: "ErrorDetails") -> str:
    key = _key(*detail["loc"])
    match detail["type"]:
        case "json_invalid":
            return f"is no JSON: {detail['ctx']['error']}" if "ctx" in detail else "is no JSON"
        case "unexpected_keyword_argument":
            return f"has a key that is not known: {shown(key, quoted=False)}"
        case "missing":
            return f"lacks the key {key}"
        case _:
            said = detail["msg"].removeprefix("Input ").removeprefix("String ").removeprefix("Tuple ")
            return f"{key or 'all of it'} is {shown(detail['input'])}, it {said}"


def _impossible_values(value: object, *place: str | int) -> Iterator[str]:
    """Numbers and texts that no field may have. Texts are shown on terminals, which obey escape sequences in them."""
    match value:
        case str() if not (value.isprintable() and 0 < len(value) <= LONGEST_TEXT):
            yield f"{_key(*place)} is {shown(value)}, it must be one line of 1 to {LONGEST_TEXT} printable letters"
        case int() | float() if not 0 <= value < _TOO_LARGE:  # no NaN either
            yield f"{_key(*place)} is {shown(value)}, it must be at least 0 and less than {_TOO_LARGE}"
        case tuple():
            for number, each in enumerate(value):
                yield from _impossible_values(each, *place, number)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _impossible_values(getattr(value, field.name), *place, field.name)


def _key(*place: str | int) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")


def shown(value: object, quoted: bool = True) -> str:
    """A value from a file, fit for a terminal."""
    text = ascii(value) if quoted else ascii(value)[1:-1]
    return text if len(text) <= _MOST_LETTERS_SHOWN else f"{text[:_MOST_LETTERS_SHOWN]}…"
