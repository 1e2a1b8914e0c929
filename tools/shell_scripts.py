"""The shell scripts of the repository, for `./run lint`."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tracked() -> list[str]:
    """Paths of those that git tracks, by extension or first line."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [str(path.relative_to(ROOT)) for path in paths if path.is_file() and _is_shell(path)]


def _is_shell(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.readline(80)
    return path.suffix == ".sh" or (first.startswith(b"#!") and first.rstrip().endswith((b"/sh", b"bash")))
