"""The computer around the GPUs: operating system, processor, WSL2, container."""

import os
import platform
import re
import sys
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.facts import Gpu, Platform, clean_text
from voxmatrix.ownership import ENGINE_VARIABLE

_ARCHITECTURES = {"amd64": "x86_64", "x64": "x86_64"}
#: What a processor is to programs of 32 bits, by what its kernel says: Raspberry Pi OS of 32 bits has a kernel of 64.
_OF_32_BITS = {"x86_64": "i686", "aarch64": "armv7l"}
#: Names of instructions in /proc/cpuinfo that multiply bf16 numbers.
_BF16 = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
#: Names in the cgroup of process 1 that only container engines write.
_ENGINES = re.compile(r"docker|containerd|kubepods|libpod|lxc")


def read_platform() -> Platform:
    """The operating system; a Unix that is neither Linux nor macOS counts as Linux."""
    systems: dict[str, Platform] = {"win32": "windows", "darwin": "macos"}
    return systems.get(sys.platform, "linux")


def read_architecture() -> str | None:
    """The processor architecture: x86_64, aarch64, arm64; that of the programs here, which the kernel may exceed."""
    name = platform.machine().lower()
    name = _ARCHITECTURES.get(name, name)
    if sys.maxsize < 2**32 and sys.platform == "linux":
        name = _OF_32_BITS.get(name, name)
    return name or None


def read_wsl(root: Path = Path("/")) -> bool:
    """Whether this is Linux in WSL2."""
    return "microsoft" in read_text_or_empty(root / "proc/sys/kernel/osrelease").lower()


def read_container(root: Path = Path("/")) -> bool:
    """Whether this process runs in a container."""
    if os.environ.get(ENGINE_VARIABLE):
        return True
    marks = (root / ".dockerenv", root / "run" / ".containerenv")
    return any(mark.exists() for mark in marks) or bool(_ENGINES.search(read_text_or_empty(root / "proc/1/cgroup")))


def read_cpu(root: Path = Path("/")) -> str | None:
    """The name of the processor, or of the board if the processor has none (Arm)."""
    name = parse_cpu(read_text_or_empty(root / "proc/cpuinfo"))
    name = name or read_text_or_empty(root / "proc/device-tree/model").strip("\0 \n")
    if not name and sys.platform in ("win32", "darwin"):
        name = os.environ.get("PROCESSOR_IDENTIFIER") or platform.processor()
    return clean_text(name or "")


def parse_cpu(cpuinfo: str) -> str | None:
    """The first "model name" of /proc/cpuinfo, with whitespace collapsed."""
    found = re.search(r"^model name[ \t]*:[ \t]*(\S.*)$", cpuinfo, re.MULTILINE)
    return " ".join(found[1].split()) if found else None


def read_cpu_bf16(root: Path = Path("/")) -> bool | None:
    """Whether the processor multiplies bf16 numbers; None if it does not list its instructions (Windows, macOS)."""
    cpuinfo = read_text_or_empty(root / "proc/cpuinfo")
    found = re.search(r"^(?:flags|Features)[ \t]*:(.*)$", cpuinfo, re.MULTILINE)
    return None if found is None else not _BF16.isdisjoint(found[1].split())


def read_apple_gpu() -> tuple[Gpu, ...]:
    """The GPU of an Apple processor, which shares the computer's memory."""
    return (Gpu(index=0, kind="mps", name="Apple GPU", unified=True),) if read_architecture() == "arm64" else ()
