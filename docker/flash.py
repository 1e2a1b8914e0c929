"""Compile flash-attn from source into a wheel, in a separate build stage: `flash.py SDIST OUT`.

    FLASH_ATTN_CUDA_ARCHS   architectures, such as "100;120" (flash-attn reads this variable and no other)
    FLASH_HEAD_SIZES        head sizes, such as "96"; "": all, which is six times the work

flash-attn's setup.py silently skips architectures that it does not know or that the compiler is too old for. So the
finished library is checked with cuobjdump: it must have forward and backward kernels for every architecture.
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

#: Memory to compile one file for two architectures: 5.6 GB were measured (hdim128, backward).
JOB_BYTES = 6_000_000_000
#: Mount point of the image TOOLKIT, which provides the compiler for rows with CUDA 12.
TOOLKIT = Path("/toolkit/usr/local")
PIP = ("/opt/pip/bin/python", "-m", "pip", "--python", "/opt/venv/bin/python")
_SOURCE = re.compile(r'^\s*"csrc/flash_attn/src/flash_\w+_hdim(\d+)_\w+\.cu",\n', re.MULTILINE)
_SWITCH = re.compile(r"^#define HEADDIM_SWITCH\(.*?^ *\}\(\)\n?", re.MULTILINE | re.DOTALL)
_KINDS = ("flash_fwd", "flash_bwd")


def main(sdist: Path, out: Path) -> None:
    """Compile the wheel, check its kernels, and print the compile time of each file."""
    archs = os.environ["FLASH_ATTN_CUDA_ARCHS"].split(";")
    sizes = [int(word) for word in os.environ.get("FLASH_HEAD_SIZES", "").split()]
    home = toolkit()
    with tempfile.TemporaryDirectory() as folder:
        source = unpack(sdist, Path(folder))
        use_torch_cpp_standard(source / "setup.py")
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
    """CUDA_HOME: the mounted toolkit if there is one, else the one formed by the pinned wheels."""
    for mounted in sorted(TOOLKIT.glob("cuda-*.*")):
        return mounted
    home = next(Path(sysconfig.get_paths()["platlib"]).glob("nvidia/cu1[0-9]"))
    # The wheels have only versioned libraries in lib; to link, torch looks in lib64 for an unversioned one.
    if not (home / "lib64").exists():
        (home / "lib64").symlink_to("lib")
    runtime = next(home.glob("lib/libcudart.so.*"))
    if not (home / "lib" / "libcudart.so").exists():
        (home / "lib" / "libcudart.so").symlink_to(runtime.name)
    return home


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack the source and return its folder. pip has verified the hash."""
    with tarfile.open(sdist) as archive:
        # Python 3.12 and 3.13 warn without a filter; Debian 12's has none.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    (source,) = folder.iterdir()
    return source


def use_torch_cpp_standard(setup: Path) -> None:
    """Remove the C++ standard from setup.py; torch then adds the one of its headers: C++20 since 2.11, else C++17."""
    text = setup.read_text(encoding="utf-8")
    setup.write_text(re.sub(r'"-std=c\+\+17",?\s*', "", text), encoding="utf-8")


def narrow(source: Path, sizes: Sequence[int]) -> None:
    """Keep only some head sizes: their files, and a dispatch that raises an error for larger heads.

    Raises:
        SystemExit: a size does not exist, or the source has changed too much to be patched.
    """
    setup, switch = source / "setup.py", source / "csrc" / "flash_attn" / "src" / "static_switch.h"
    text = setup.read_text(encoding="utf-8")
    known = {int(size) for size in _SOURCE.findall(text)}
    if unknown := sorted(set(sizes) - known):
        sys.exit(f"flash-attn has no kernels for head sizes {unknown}; it has {sorted(known)}")
    setup.write_text(_SOURCE.sub(lambda found: found[0] if int(found[1]) in sizes else "", text), encoding="utf-8")
    narrowed, count = _SWITCH.subn(lambda _: head_switch(sizes), switch.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit("flash-attn's static_switch.h no longer has the expected HEADDIM_SWITCH: adapt docker/flash.py")
    switch.write_text(narrowed, encoding="utf-8")


def head_switch(sizes: Sequence[int]) -> str:
    """The macro that selects the kernel: the smallest compiled head size that is large enough."""
    branches = [
        f"if (HEADDIM <= {size}) {{ constexpr static int kHeadDim = {size}; return __VA_ARGS__(); }}"
        for size in sorted(sizes)
    ]
    too_large = f'TORCH_CHECK(false, "this flash-attn was compiled for head sizes of at most {max(sizes)}");'
    return "#define HEADDIM_SWITCH(HEADDIM, ...) [&] { \\\n  " + " \\\n  ".join([*branches, too_large]) + " }()\n"


def local_version(archs: Sequence[str], sizes: Sequence[int]) -> str:
    """The local version of the wheel: it works with one torch only, and on the given architectures."""
    import torch

    heads = [f"hdim{size}" for size in sorted(sizes)]
    numbers = "".join(str(torch.version.cuda).split(".")[:2])
    return ".".join(
        [f"cu{numbers}", "torch" + torch.__version__.partition("+")[0], *(f"sm{arch}" for arch in archs), *heads]
    )


def jobs() -> int:
    """The number of files to compile in parallel: as many as memory allows, at most one per core."""
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
    """Run `pip wheel` with explicit settings: setup.py would guess some from the host, or download another wheel."""
    settings = {
        "CUDA_HOME": str(home),
        "PATH": f"{home}/bin:/opt/venv/bin:{os.environ['PATH']}",
        "FLASH_ATTENTION_FORCE_BUILD": "TRUE",
        "FLASH_ATTN_LOCAL_VERSION": local,
        "MAX_JOBS": str(jobs()),
        "NVCC_THREADS": "1",  # compiling files in parallel uses the cores better than architectures in parallel
    }
    options = ("-v", "--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(out))
    subprocess.run([*PIP, "wheel", *options, str(source)], env={**os.environ, **settings}, check=True)


def seconds_of(source: Path) -> Iterator[str]:
    """The compile time of each file, from ninja's log (start and end in ms, timestamp, file, hash)."""
    for log in source.glob("build/temp*/**/.ninja_log"):
        for line in log.read_text(encoding="utf-8").splitlines()[1:]:
            start, end, _, name, *_ = line.split("\t")
            yield f"{(int(end) - int(start)) / 1000:7.1f} s  {Path(name).name}\n"


def missing(wheel: Path, archs: Sequence[str], home: Path) -> Iterator[str]:
    """A complaint for each architecture that the library lacks forward or backward kernels for."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        library = archive.extract(name, folder)
        for arch in archs:
            command = [
                str(home / "bin" / "cuobjdump"),
                "--dump-elf-symbols",
                "--gpu-architecture",
                f"sm_{arch}",
                library,
            ]
            symbols = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            for kind in _KINDS:
                if kind not in symbols:
                    yield f"sm_{arch} is required, but cuobjdump finds no {kind} kernel for it"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
