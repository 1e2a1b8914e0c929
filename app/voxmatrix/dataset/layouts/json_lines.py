"""`*.jsonl`: one JSON object per recording, as used by NeMo and Hugging Face. Several files are read together."""

from pathlib import Path

from voxmatrix.dataset.layouts.layout import JSON_SUFFIXES, Layout, Transcript, read_transcript


def read(folder: Path) -> Transcript | None:
    """The lines of all such files in `folder`.

    Raises:
        BadInputError: a file cannot be read.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in JSON_SUFFIXES and path.is_file())
    parts = [read_transcript(path) for path in files]
    return (
        ([row for rows, _ in parts for row in rows], [problem for _, bad in parts for problem in bad])
        if files
        else None
    )


LAYOUT = Layout(looks_like="*.jsonl", read=read)
