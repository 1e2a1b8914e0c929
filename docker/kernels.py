"""Measure the GPU code in the image and write it to a file: `kernels.py FILE.json`. Needs no GPU.

`kernels` are those of torch, as it reports them (`torch._C._cuda_getArchFlags()`, with ROCm gfx
targets; `torch._C._xpu_getArchFlags()`); `libraries` are all compiled files
of site-packages with GPU code, from the headers of their fat binaries, as cuobjdump lists them. (cuFFT stores most of
its code in a form that neither can read.)
"""

import json
import mmap
import struct
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: ELF sections with fat binaries; the second one is for relocatable device code.
_SECTIONS = (b".nv_fatbin", b"__nv_relfatbin")
_FAT, _ENTRY = struct.Struct("<IHHQ"), struct.Struct("<HHIQIIHHIIIQ")
_MAGIC = 0xBA55ED50
_FORMS = {1: "compute", 2: "sm"}  # PTX, machine code
#: Bits of an entry's flags: code for this capability only (a), or for its family (f).
_SUFFIXES = ((0x100000, "a"), (0x200000, "f"))


def main(out: Path) -> None:
    """Measure the site-packages of this Python and write the result."""
    measured = {**_torch(), "libraries": dict(libraries(Path(sysconfig.get_paths()["platlib"])))}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"torch {measured['torch']}: {' '.join(measured['kernels']) or 'no kernels'}\n")


def _torch() -> dict[str, Any]:
    import torch

    functions = (getattr(torch._C, f"_{kind}_getArchFlags", None) for kind in ("cuda", "xpu"))
    flags = next((function() for function in functions if function), "") or ""
    return {"torch": torch.__version__, "cuda": torch.version.cuda, "kernels": flags.split()}


def libraries(site: Path) -> Iterator[tuple[str, list[str]]]:
    """Every compiled file with GPU code, and its architectures."""
    for path in sorted(site.rglob("*.so*")):
        if path.is_file() and not path.is_symlink() and (names := architectures(path)):
            yield str(path.relative_to(site)), names


def architectures(path: Path) -> list[str]:
    """The architectures a file has code for, such as sm_90 or compute_120; empty if it has no GPU code."""
    if path.stat().st_size < _ENTRY.size:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content[:5] != b"\x7fELF\x02":
            return []
        found = {name for start, end in _sections(content) for name in _fat_binaries(content, start, end)}
    return sorted(found, key=_order)


def _order(name: str) -> tuple[str, int, str]:
    form, _, number = name.partition("_")
    digits = number.rstrip("af")
    return form, int(digits), number


def _sections(content: mmap.mmap) -> Iterator[tuple[int, int]]:
    """The start and end of each section with fat binaries."""
    (table,) = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, table + at * size) for at in range(count)]
    if not headers:
        return
    strings = headers[names][4]
    for name, _, _, _, offset, length in headers:
        end = content.find(b"\0", strings + name)
        if content[strings + name : end] in _SECTIONS:
            yield offset, offset + length


def _fat_binaries(content: mmap.mmap, at: int, end: int) -> Iterator[str]:
    """The names of all entries of all fat binaries between two offsets."""
    end = min(end, len(content))
    while at + _FAT.size <= end:
        magic, _, header, size = _FAT.unpack_from(content, at)
        if magic != _MAGIC or header < _FAT.size:
            at += 8  # padding between two
            continue
        yield from _entries(content, at + header, min(at + header + size, end))
        at += header + size


def _entries(content: mmap.mmap, at: int, end: int) -> Iterator[str]:
    while at + _ENTRY.size <= end:
        kind, _, header, size, _, _, _, _, architecture, _, _, flags = _ENTRY.unpack_from(content, at)
        if header < _ENTRY.size:
            return  # too short for an entry: the file is corrupt
        if kind in _FORMS:
            suffix = next((letter for bit, letter in _SUFFIXES if flags & bit), "")
            yield f"{_FORMS[kind]}_{architecture}{suffix}"
        at += header + size


if __name__ == "__main__":
    main(Path(sys.argv[1]))
