"""Memory that this process and its children hold, on Linux."""

from collections.abc import Iterator
from pathlib import Path

from voxmatrix.machine.text import read_text


def resident_mib(root: Path = Path("/")) -> int | None:
    """All of this process, and of its children what they do not share with it; None where there is no /proc.

    A forked child shows every page that it shares: added up, loading workers would count the dataset once each.
    Where the kernel does not list children (CONFIG_PROC_CHILDREN), only this process counts.
    """
    here = root / "proc" / "self"
    own = _kib(here / "status", "VmRSS")
    if own is None:
        return None
    return (own + sum(_private_kib(child) for child in _descendants(root, here))) // 1024


def _descendants(root: Path, process: Path) -> Iterator[Path]:
    for children in sorted(process.glob("task/*/children")):
        for number in read_text(children).split():
            child = root / "proc" / number
            yield child
            yield from _descendants(root, child)


def _private_kib(process: Path) -> int:
    rollup = process / "smaps_rollup"
    parts = [_kib(rollup, name) for name in ("Private_Clean", "Private_Dirty")]
    known = [part for part in parts if part is not None]
    return sum(known) if known else _kib(process / "status", "VmRSS") or 0


def _kib(path: Path, name: str) -> int | None:
    for line in read_text(path).splitlines():
        match line.split():
            case [key, value, *_] if key == f"{name}:" and value.isdecimal():
                return int(value)
    return None
