"""Whether the processor has the instructions that every build of numpy and torch here needs.

Without them, numpy ends with a traceback and torch with SIGILL. A virtual machine may hide those that its host has.
"""

from pathlib import Path

from voxmatrix.errors import MissingProgramError

#: Of x86-64-v2, as /proc/cpuinfo names them: numpy's baseline since 2.4, and torch's oneDNN (pytorch #116623).
_NEEDED = ("pni", "ssse3", "sse4_1", "sse4_2", "popcnt")
_CPUINFO = Path("/proc/cpuinfo")
#: The first processor's part is shorter; that of 256 takes milliseconds to read.
_FIRST = 4096


def check_processor(cpuinfo: Path = _CPUINFO) -> None:
    """Check the first processor that Linux lists; other systems, and other than x86, list no such instructions.

    Raises:
        MissingProgramError: it lacks instructions.
    """
    try:
        with cpuinfo.open("rb", buffering=0) as file:
            lines = file.read(_FIRST).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    missing = [name for name in _NEEDED if name not in flags] if flags else []
    if missing:
        raise MissingProgramError(
            f"this processor has no {', '.join(missing)}, which numpy and torch need on x86 (x86-64-v2)",
            "in a virtual machine, give it the processor of its host (Proxmox: Hardware, Processors, Type host; "
            "QEMU: -cpu host), and start it again; a processor from before 2011 may not have them at all",
        )
