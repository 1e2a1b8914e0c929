"""`metadata.csv`: one recording a line, as LJSpeech and Piper have it."""

from pathlib import Path

from voxmatrix.dataset.layouts.layout import Transcript, read_transcript
from voxmatrix.transcripts.table import read_table

NAME = "metadata.csv"
LOOKS_LIKE = f"{NAME} (file|text)"


def read(folder: Path) -> Transcript | None:
    """The lines of `metadata.csv`.

    Raises:
        BadInputError: it cannot be read.
    """
    table = folder / NAME
    return read_transcript(table, read_table) if table.is_file() else None
