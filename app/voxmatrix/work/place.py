"""Give the audio that a worker has written its place and its format."""

import shutil
from pathlib import Path

from voxmatrix.files import replacing
from voxmatrix.models.style import Output
from voxmatrix.speak.wav import HEADER_BYTES, PLAIN


def place(wav: Path, out: Path, output: Output) -> None:
    """Copy or encode a finished file.

    Raises:
        UnreachableError: the disk is full, or `out` cannot be written.
    """
    extension = out.suffix.lower()
    if extension in PLAIN:
        with replacing(out) as file, wav.open("rb") as opened:
            opened.seek(HEADER_BYTES if output.raw or PLAIN[extension] else 0)
            shutil.copyfileobj(opened, file)
    else:
        from voxmatrix.audio.encode import encode

        encode(wav, out, bitrate=output.bitrate, force=True)
