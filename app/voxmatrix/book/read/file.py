"""Books that are a single file of text."""

from pathlib import Path

from voxmatrix.book.read.epub.archive import MIB
from voxmatrix.errors import BadInputError

#: War and Peace has 3 MiB.
MAX_FILE_BYTES = 32 * MIB


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises:
        BadInputError: it is larger than any text.
    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        problem = f"{path} has more than {MAX_FILE_BYTES // MIB} MiB; that is no book"
        raise BadInputError(problem, "divide it into several files")
    return data


def no_text(path: Path) -> BadInputError:
    """The error for a book in which there is nothing to be spoken."""
    remedy = (
        "check that it is the right file; if its pages are pictures, recognise their text first, e.g. with Tesseract"
    )
    return BadInputError(f"{path} has no text to be spoken", remedy)
