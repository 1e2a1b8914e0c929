"""Compiles flash-attn from its source: `flash.py SDIST OUT`, in a stage of its own, which ends in a wheel.

    FLASH_ATTN_CUDA_ARCHS   what to compile for, "100;120"; its own variable, and the only one that it reads
    FLASH_HEAD_SIZES        sizes of a head to compile, "96"; "" is all of them, which is six times the work

An architecture that its setup.py does not know, or that the compiler is too old for, is left out there without a word.
So the finished library is asked (cuobjdump), and must have forward and backward kernels for each one.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

#: What a compiler takes at most for one file and two architectures: 5.6 GB were measured (hdim128, backward).
JOB_BYTES = 6_000_000_000
#: A row with CUDA 12 has no compiler in its pins: that of the image TOOLKIT is mounted here.
TOOLKIT = Path("/toolkit/usr/local")
PIP = ("/opt/pip/bin/python", "-m", "pip", "--python", "/opt/venv/bin/python")
_SOURCE = re.compile(r'^\s*"csrc/flash_attn/src/flash_\w+_hdim(\d+)_\w+\.cu",\n', re.MULTILINE)
_SWITCH = re.compile(r"^#define HEADDIM_SWITCH\(.*?^ *\}\(\)\n?", re.MULTILINE | re.DOTALL)
_KINDS = ("flash_fwd", "flash_bwd")


def main(sdist: Path, out: Path) -> None:
    """Compile, look at what came out, and say how long each file took."""
    archs = os.environ["FLASH_ATTN_CUDA_ARCHS"].split(";")
    sizes = [int(word) for word in os.environ.get("FLASH_HEAD_SIZES", "").split()]
    home = toolkit()
    with tempfile.TemporaryDirectory() as folder:
        source = unpack(sdist, Path(folder))
        follow_torchs_standard(source / "setup.py")
        if sizes:
            narrow(source, sizes)
        compile_wheel(source, out, home, local_version(archs, sizes))
        (out / "seconds.txt").write_text("".join(seconds_of(source)), encoding="utf-8")
    sys.stdout.write((out / "seconds.txt").read_text(encoding="utf-8"))
    (wheel,) = out.glob("flash_attn-*.whl")
    if complaints := list(missing(wheel, archs, home)):
        sys.exit("\n".join(f"flash-attn: {complaint}" for complaint in complaints))
    sys.stdout.write(f"{wheel.name}: forward and backward for {' '.join(f'sm_{arch}' for arch in archs)}\n")


def toolkit() -> Path:
    """CUDA_HOME: a whole toolkit that was mounted, else the one that the wheels of the pins make together."""
    for mounted in sorted(TOOLKIT.glob("cuda-*.*")):
        return mounted
    home = next(Path(sysconfig.get_paths()["platlib"]).glob("nvidia/cu1[0-9]"))
    # Wheels have the names that run; to link with, torch looks in lib64 for a library without a version.
    if not (home / "lib64").exists():
        (home / "lib64").symlink_to("lib")
    runtime = next(home.glob("lib/libcudart.so.*"))
    if not (home / "lib" / "libcudart.so").exists():
        (home / "lib" / "libcudart.so").symlink_to(runtime.name)
    return home


def unpack(sdist: Path, folder: Path) -> Path:
    """The folder of the source. (pip has checked its hash; Debian 12's Python has no filters for what is unpacked.)"""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    (source,) = folder.iterdir()
    return source


def follow_torchs_standard(setup: Path) -> None:
    """Without a C++ standard of its own, torch gives the one of its headers: C++20 since 2.11, C++17 before."""
    text = setup.read_text(encoding="utf-8")
    setup.write_text(re.sub(r'"-std=c\+\+17",?\s*', "", text), encoding="utf-8")


def narrow(source: Path, sizes: Sequence[int]) -> None:
    """Leave only some sizes of a head: their files, and a choice that ends in an error for larger heads.

    Raises:
        SystemExit: the source has no such size, or looks otherwise than it did when this was written.
    """
    setup, switch = source / "setup.py", source / "csrc" / "flash_attn" / "src" / "static_switch.h"
    text = setup.read_text(encoding="utf-8")
    known = {int(size) for size in _SOURCE.findall(text)}
    if unknown := sorted(set(sizes) - known):
        sys.exit(f"flash-attn has no kernels for heads of {unknown}; it has {sorted(known)}")
    setup.write_text(_SOURCE.sub(lambda found: found[0] if int(found[1]) in sizes else "", text), encoding="utf-8")
    narrowed, count = _SWITCH.subn(lambda _: head_switch(sizes), switch.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit("flash-attn's static_switch.h has no HEADDIM_SWITCH any more: docker/flash.py must learn the new one")
    switch.write_text(narrowed, encoding="utf-8")


def head_switch(sizes: Sequence[int]) -> str:
    """The macro that chooses the kernel: the smallest compiled size that holds a head."""
    branches = [
        f"if (HEADDIM <= {size}) {{ constexpr static int kHeadDim = {size}; return __VA_ARGS__(); }}"
        for size in sorted(sizes)
    ]
    too_large = f'TORCH_CHECK(false, "this flash-attn was compiled for heads of at most {max(sizes)}");'
    return "#define HEADDIM_SWITCH(HEADDIM, ...) [&] { \\\n  " + " \\\n  ".join([*branches, too_large]) + " }()\n"


def local_version(archs: Sequence[str], sizes: Sequence[int]) -> str:
    """What tells this wheel from others: it fits one torch only, and a few GPUs."""
    import torch

    heads = [f"hdim{size}" for size in sorted(sizes)]
    numbers = "".join(str(torch.version.cuda).split(".")[:2])
    return ".".join(
        [f"cu{numbers}", "torch" + torch.__version__.partition("+")[0], *(f"sm{arch}" for arch in archs), *heads]
    )


def jobs() -> int:
    """How many files are compiled at a time: what the memory of this build holds, and no more than it has cores."""
    free = next(
        int(line.split()[1]) * 1024
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        if line.startswith("MemAvailable:")
    )
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text(encoding="ascii").strip()).isdigit():
        free = min(free, int(text))
    return max(1, min(len(os.sched_getaffinity(0)), free // JOB_BYTES))


def compile_wheel(source: Path, out: Path, home: Path, local: str) -> None:
    """`pip wheel`, with all that it would guess: its guesses are of the host, and of somebody else's wheel."""
    settings = {
        "CUDA_HOME": str(home),
        "PATH": f"{home}/bin:/opt/venv/bin:{os.environ['PATH']}",
        "FLASH_ATTENTION_FORCE_BUILD": "TRUE",
        "FLASH_ATTN_LOCAL_VERSION": local,
        "MAX_JOBS": str(jobs()),
        "NVCC_THREADS": "1",  # files side by side use the cores better than architectures side by side
    }
    words = (
        "wheel",
        "-v",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--no-cache-dir",
        "--wheel-dir",
        str(out),
    )
    subprocess.run([*PIP, *words, str(source)], env={**os.environ, **settings}, check=True)


def seconds_of(source: Path) -> Iterator[str]:
    """A line for each file: how long its compiler ran, from ninja's log (start, end in ms, stamp, file, hash)."""
    for log in source.glob("build/temp*/**/.ninja_log"):
        for line in log.read_text(encoding="utf-8").splitlines()[1:]:
            start, end, _, name, *_ = line.split("\t")
            yield f"{(int(end) - int(start)) / 1000:7.1f} s  {Path(name).name}\n"


def missing(wheel: Path, archs: Sequence[str], home: Path) -> Iterator[str]:
    """The architectures that were asked for, and that the library has no forward or no backward kernels for."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        library = archive.extract(name, folder)
        for arch in archs:
            words = [str(home / "bin" / "cuobjdump"), "--dump-elf-symbols", "--gpu-architecture", f"sm_{arch}", library]
            said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
            for kind in _KINDS:
                if kind not in said:
                    yield f"sm_{arch} was asked for, and cuobjdump finds no {kind} kernel for it"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
