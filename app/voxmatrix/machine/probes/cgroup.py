"""Where the kernel says what the control group of this process may use."""

from pathlib import Path

from voxmatrix.files import read_text_or_empty

_MOUNT = Path("sys") / "fs" / "cgroup"


def folders(root: Path, controller: str) -> list[Path]:
    """Folders of cgroup v2, and of v1 for this controller, from the mount down to this process's: all limits hold."""
    places: list[Path] = []
    for line in read_text_or_empty(root / "proc" / "self" / "cgroup").splitlines() or ["0::/", f":{controller}:/"]:
        _, controllers, group = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / _MOUNT / (controller if controllers else "")
        parts = Path(group.lstrip("/")).parts
        # ".." stands there when the group lies outside this process's cgroup namespace: only the mount can be read.
        deepest = 0 if ".." in parts else len(parts)
        places += [mount.joinpath(*parts[:depth]) for depth in range(deepest + 1)]
    return places
