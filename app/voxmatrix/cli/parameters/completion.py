"""What the shell completes beside commands, options and files. Each press of a key waits for it, so nothing is read."""

from collections.abc import Iterator
from pathlib import Path

from voxmatrix.config import voice_folders


def voice_names(incomplete: str) -> list[str]:
    """The installed voices whose names begin so, as `voices list` has them, without what reads voices (and numpy)."""
    found = {name for folder in voice_folders() for name in _names_in(folder)}
    return sorted(name for name in found if name.startswith(incomplete))


def _names_in(folder: Path) -> Iterator[str]:
    """Those of Piper, Kokoro, other servers and engines, by where `Family.find` finds them."""
    from urllib.parse import unquote

    yield from (path.stem for path in folder.glob("*.onnx"))
    yield from (f"kokoro/{path.stem}" for path in folder.glob("kokoro/voices/*.bin"))
    yield from (f"remote:{path.parent.name}/{unquote(path.stem)}" for path in folder.glob("remote/*/*.toml"))
    yield from (f"{path.parent.name}/{path.stem}" for path in folder.glob("*/*.voice"))
