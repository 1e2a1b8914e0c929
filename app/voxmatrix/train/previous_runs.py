"""What `fresh` does with the run that is in the folder: it is moved aside."""

import os
import shutil
from pathlib import Path

from voxmatrix.files import storage_errors


def move_aside(out: Path) -> None:
    """Move everything in the folder to previous-1, previous-2 … Symbolic links lead to the same files as before.

    Raises:
        UnreachableError: the folder cannot be written.
    """
    out = out.resolve()
    paths = [path for path in out.iterdir() if path.name != ".lock" and not path.name.startswith("previous-")]
    if not paths:
        return
    number = 1 + sum(1 for path in out.iterdir() if path.name.startswith("previous-"))
    aside = out / f"previous-{number}"
    with storage_errors(aside):
        aside.mkdir()
        for path in paths:
            shutil.move(path, aside / path.name)
        for folder, folders, files in os.walk(aside):
            for link in (Path(folder, name) for name in (*folders, *files)):
                if link.is_symlink():
                    _redirect(link, out, aside)


def _redirect(link: Path, out: Path, aside: Path) -> None:
    """Let a link that was moved from `out` to `aside` lead to its target, which may have been moved as well."""
    given = link.readlink()
    place = (out / link.relative_to(aside)).parent
    target = Path(os.path.normpath(place / given))
    if target.is_relative_to(out) and os.path.lexists(aside / target.relative_to(out)):
        target = aside / target.relative_to(out)
    if Path(os.path.normpath(link.parent / given)) != target:
        link.unlink()
        link.symlink_to(target if given.is_absolute() else os.path.relpath(target, link.parent))
