"""`*.jsonl`: one JSON object per recording, as used by NeMo and Hugging Face. Several files are read together."""

from pathlib import Path

from voxmatrix.dataset.layouts.layout import Layout, Transcript, read_transcript
from voxmatrix.transcripts.json_lines import read_json_lines

SUFFIXES = (".jsonl", ".ndjson")


def read(folder: Path) -> Transcript | None:
    """The lines of all such files in `folder`.

    Raises:
        BadInputError: a file cannot be read.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    parts = [read_transcript(path, read_json_lines) for path in files]
    return (
        ([row for rows, _ in parts for row in rows], [problem for _, bad in parts for problem in bad])
        if files
        else None
    )


LAYOUT = Layout(looks_like="*.jsonl", read=read)
