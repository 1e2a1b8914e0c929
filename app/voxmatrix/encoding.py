"""Text that must be UTF-8: what is said of a file, an argument or a variable that is not."""

from typing import Any

from voxmatrix.errors import UsageError

CONVERT = "convert it, e.g. from that of Windows: iconv -f cp1252 -t utf-8 OLD.txt > NEW.txt"


def not_utf8(error: UnicodeDecodeError, before: int = 0) -> str:
    """The problem of a text that cannot be decoded; `before` are the bytes in front of what was decoded."""
    return f"the text is not UTF-8: at or near byte {before + error.start:,} is 0x{error.object[error.start]:02x}"


def check_argument(name: str, text: str, *, is_path: bool = False) -> None:
    """Check the text of an option, a variable or a setting. Python keeps bytes that are not UTF-8 as lone surrogates.

    Raises:
        UsageError: it has a null character, or such bytes, which only names of files may have.
    """
    if "\0" in text:
        raise UsageError(f"{name} has a null character", "remove it")
    try:
        data = text.encode("utf-8", "surrogateescape")
        if not is_path:
            data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: {not_utf8(error)}", f"{CONVERT}; a script that calls voxmatrix, too") from error
    except UnicodeEncodeError as error:
        place = f"character {error.start:,} is half a character (U+{ord(text[error.start]):04X})"
        raise UsageError(f"{name}: the text is not Unicode: {place}", "write it again") from error


def parse_json(text: str | bytes) -> Any:
    r"""The content of a JSON text whose strings are Unicode: `json.loads` would accept half a character, "\ud800".

    Raises:
        ValueError: it is not JSON, or has such a string.
    """
    import json

    content = json.loads(text)
    if (b"\\ud" if isinstance(text, bytes) else "\\ud") in text.lower():  # type: ignore[operator]
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    return content
