"""Give the audio that a worker has written its place and its format."""

import shutil
from pathlib import Path

from voxmatrix.files import replacing
from voxmatrix.models.style import Output
from voxmatrix.speak.wav import PLAIN, seek_samples


def place(wav: Path, out: Path, output: Output) -> None:
    """Copy or encode a finished file.

    Raises:
        UnreachableError: the disk is full, or `out` cannot be written.
    """
    extension = out.suffix.lower()
    if extension in PLAIN:
        with replacing(out) as file, wav.open("rb") as opened:
            if output.raw or PLAIN[extension]:
                seek_samples(opened)
            shutil.copyfileobj(opened, file)
    else:
        from voxmatrix.audio.encode import encode

        encode(wav, out, bitrate=output.bitrate, force=True)
