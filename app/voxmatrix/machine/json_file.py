"""Untrusted JSON files, validated against a dataclass with pydantic; errors name the invalid key."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.machine.facts import MAX_TEXT_LENGTH

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")

#: Valid files have a few kilobytes.
MAX_BYTES = 1024 * 1024
_NUMBER_LIMIT = 2**40  # numbers must be smaller
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # written by PowerShell
_MAX_SHOWN_CHARACTERS = 60


def read_described(path: Path, kind: type[T], mistakes: Callable[[T], Iterable[str]], remedy: str) -> T:
    """Load the file as the dataclass `kind`; `mistakes` checks what the bounds of its fields cannot express.

    Raises:
        BadInputError: the file cannot be read, or a key is missing, unknown or has an impossible value.
    """
    from pydantic import ValidationError

    with read_errors(path), path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise BadInputError(f"{path}: is larger than {MAX_BYTES // 1024} KiB; a valid file has a few KiB", remedy)
    try:
        adapter = _adapter(kind)  # type: ignore[arg-type]  # classes are hashable
        described: T = adapter.validate_json(content.removeprefix(_BYTE_ORDER_MARK), strict=True, extra="forbid")
        complaints = [*_impossible_values(described), *mistakes(described)]
    except ValidationError as error:
        complaints = [_complaint(detail) for detail in error.errors(include_url=False)]
    if complaints:
        raise BadInputError(f"{path}: {'; '.join(complaints[:5])}", remedy)
    return described


@cache  # building an adapter takes milliseconds
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _complaint(detail: "ErrorDetails") -> str:
    key = _key(*detail["loc"])
    match detail["type"]:
        case "json_invalid":
            return f"is not JSON: {detail['ctx']['error']}" if "ctx" in detail else "is not JSON"
        case "unexpected_keyword_argument":
            return f"has an unknown key: {shown(key, quoted=False)}"
        case "missing":
            return f"lacks the key {key}"
        case _:
            rule = detail["msg"].removeprefix("Input ").removeprefix("String ").removeprefix("Tuple ")
            return f"{key or 'the content'} is {shown(detail['input'])}, it {rule}"


def _impossible_values(value: object, *location: str | int) -> Iterator[str]:
    """Numbers and texts that no field may have. Texts end up on terminals, which interpret escape sequences."""
    match value:
        case str() if not (value.isprintable() and 0 < len(value) <= MAX_TEXT_LENGTH):
            rule = f"it must be one line of 1 to {MAX_TEXT_LENGTH} printable characters"
            yield f"{_key(*location)} is {shown(value)}, {rule}"
        case int() | float() if not 0 <= value < _NUMBER_LIMIT:  # also rejects NaN
            yield f"{_key(*location)} is {shown(value)}, it must be at least 0 and less than {_NUMBER_LIMIT}"
        case tuple():
            for number, item in enumerate(value):
                yield from _impossible_values(item, *location, number)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from _impossible_values(getattr(value, field.name), *location, field.name)


def _key(*location: str | int) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")


def shown(value: object, quoted: bool = True) -> str:
    """A value from a file, shortened and safe to print on a terminal."""
    text = ascii(value) if quoted else ascii(value)[1:-1]
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"
