"""The folders with the cgroup limits of this process."""

from pathlib import Path

from voxmatrix.files import read_text_or_empty

_MOUNT = Path("sys") / "fs" / "cgroup"


def folders(root: Path, controller: str) -> list[Path]:
    """Folders of cgroup v2, and of v1 for this controller, from the mount down to this process; all limits apply."""
    found: list[Path] = []
    for line in read_text_or_empty(root / "proc" / "self" / "cgroup").splitlines() or ["0::/", f":{controller}:/"]:
        _, controllers, group = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / _MOUNT / (controller if controllers else "")
        parts = Path(group.lstrip("/")).parts
        # ".." means that the group is outside this process's cgroup namespace: only the mount can be read.
        deepest = 0 if ".." in parts else len(parts)
        found += [mount.joinpath(*parts[:depth]) for depth in range(deepest + 1)]
    return found
