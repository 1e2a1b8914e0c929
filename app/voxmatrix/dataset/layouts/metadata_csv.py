"""`metadata.csv`: one recording per line, as used by LJSpeech and Piper."""

from pathlib import Path

from voxmatrix.dataset.layouts.layout import Layout, Transcript, read_transcript

NAME = "metadata.csv"


def read(folder: Path) -> Transcript | None:
    """The lines of `metadata.csv`.

    Raises:
        BadInputError: the file cannot be read.
    """
    table = folder / NAME
    return read_transcript(table) if table.is_file() else None


LAYOUT = Layout(looks_like=f"{NAME} (file|text)", read=read)
