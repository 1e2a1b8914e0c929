"""`metadata.csv`: one recording per line, as used by LJSpeech and Piper."""

from pathlib import Path

from voxmatrix.dataset.layouts.layout import Layout, Transcript, read_transcript
from voxmatrix.transcripts.table import read_table

NAME = "metadata.csv"


def read(folder: Path) -> Transcript | None:
    """The lines of `metadata.csv`.

    Raises:
        BadInputError: the file cannot be read.
    """
    table = folder / NAME
    return read_transcript(table, read_table) if table.is_file() else None


LAYOUT = Layout(looks_like=f"{NAME} (file|text)", read=read)
