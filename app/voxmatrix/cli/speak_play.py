"""`voxmatrix speak --play`: where a text is spoken to, so that it is heard."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from voxmatrix.audio.player import find_player
from voxmatrix.cli.parameters.speak_flags import STANDARD
from voxmatrix.errors import UsageError
from voxmatrix.speak.wav import PLAIN


def check_play(*, out: str, is_written: bool, raw: bool, is_batch: bool) -> None:
    """Check what else was asked for, and that there is a player. `is_written`: a file was asked for.

    Raises:
        UsageError: what was asked for cannot be played.
        MissingProgramError: there is no player.
    """
    if is_batch:
        raise UsageError("--play is for one text, and --batch speaks many", "omit one of them")
    if is_written and out == STANDARD:
        raise UsageError("--out - is for another program, and --play is heard here", "omit one of them")
    if raw or (is_written and PLAIN.get(Path(out).suffix.lower())):
        raise UsageError("--play needs a file with a header", "omit --raw, and choose a file such as --out speech.wav")
    find_player()


@contextmanager
def played(out: str) -> Iterator[str | BinaryIO]:
    """Where to speak to: a file, which is played at the end of the block, or a player that speaks as the sound comes.

    `out` is the file to keep, or "" to keep none.

    Raises:
        MissingProgramError: there is no player.
        UnreachableError: it fails.
    """
    player = find_player()
    if player.stream and not out:
        with player.playing() as pipe:
            yield pipe
        return
    with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
        path = Path(out or Path(folder, "speech.wav"))
        yield str(path)
        player.play(path)
