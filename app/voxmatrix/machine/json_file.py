"""JSON files from anywhere, checked by pydantic and refused by the key that is wrong."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    Model = TypeVar("Model", bound=BaseModel)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # PowerShell's editors write one
_MOST_LETTERS_SHOWN = 60


def read_described(path: Path, model: "type[Model]", *, most_bytes: int, what: str, remedy: str) -> "Model":
    """What the file holds, in the shape of `model`; `what` such a file describes is said of one that is too large.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    import pydantic

    with read_errors(path), path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise BadInputError(f"{path}: is larger than {most_bytes // 1024} KiB, and {what} is a few KiB", remedy)
    try:
        return model.model_validate_json(content.removeprefix(_BYTE_ORDER_MARK))
    except pydantic.ValidationError as error:
        complaints = [_complaint(detail) for detail in error.errors(include_url=False)]
        raise BadInputError(f"{path}: {'; '.join(complaints[:5])}", remedy) from error


def _complaint(detail: "ErrorDetails") -> str:
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
    match detail["type"]:
        case "json_invalid":
            return f"is no JSON: {detail['ctx']['error']}" if "ctx" in detail else "is no JSON"
        case "extra_forbidden":
            return f"has a key that is not known: {_shown(key, quoted=False)}"
        case "missing":
            return f"lacks the key {key}"
        case "value_error" if not key:
            return detail["msg"].removeprefix("Value error, ")
        case _:
            said = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
            return f"{key or 'all of it'} is {_shown(detail['input'])}, it {said}"


def _shown(value: object, quoted: bool = True) -> str:
    text = ascii(value) if quoted else ascii(value)[1:-1]
    return text if len(text) <= _MOST_LETTERS_SHOWN else f"{text[:_MOST_LETTERS_SHOWN]}…"
