"""Check, without Windows, that the wheels locked for Windows are complete: `./run windows_wheels`.

Downloads every locked file as pip on Windows would, and checks that each DLL that a library imports is in another wheel
(Microsoft's runtime is one of them), in Python, or in Windows.
"""

import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from tools import matrix
from tools.locks import pins

ROW = "directml-windows"
_BINARY = (".dll", ".pyd", ".exe")
#: DLLs of every Windows; d3d12 and dxcore are missing in Server Core and Nano Server.
_WINDOWS = {
    "advapi32", "avicap32", "avrt", "bcrypt", "bcryptprimitives", "comctl32", "comdlg32", "crypt32", "d3d11",
    "d3d12", "d3dcompiler_47", "dbghelp", "dxcore", "dxgi", "gdi32", "imm32", "iphlpapi", "kernel32", "msimg32",
    "msvcrt", "ncrypt", "normaliz", "ntdll", "ole32", "oleaut32", "psapi", "rpcrt4", "secur32", "setupapi",
    "shell32", "shlwapi", "user32", "userenv", "version", "winmm", "winspool", "ws2_32",
}  # fmt: skip
_PYTHON = {"python3", "python311", "vcruntime140", "vcruntime140_1"}
#: DLLs of the ffmpeg versions that torchaudio's optional media readers need; voxmatrix does not load these.
_NOT_LOADED = re.compile(r"av(codec|device|filter|format|util)-\d+")
_API_SET = re.compile(r"(api|ext)-ms-win-.*")


def missing(imports: Mapping[str, Iterable[str]], available: Iterable[str]) -> dict[str, list[str]]:
    """The missing libraries, each with those that import it. File names are compared case-insensitively."""
    known = _WINDOWS | _PYTHON | {PurePosixPath(name.lower()).stem for name in available}
    needed_by = defaultdict(list)
    for library, names in imports.items():
        for name in names:
            stem = PurePosixPath(name.lower()).stem
            if stem not in known and not _API_SET.fullmatch(stem) and not _NOT_LOADED.fullmatch(stem):
                needed_by[name.lower()].append(library)
    return {name: sorted(libraries) for name, libraries in sorted(needed_by.items())}


def fetch(folder: Path) -> None:
    """Download the locked wheels, as pip on Windows would choose them.

    Raises:
        subprocess.CalledProcessError: a wheel for Windows is missing; pip has printed the reason.
    """
    row = matrix.rows()[ROW]
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    chosen = folder / "wheels.txt"
    # docopt has no wheel on PyPI; it is a single Python file, which builds anywhere.
    chosen.write_text(pins.render((pin for pin in locked.values() if pin.name != "docopt"), "wheels"), encoding="utf-8")
    options = ["download", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:", "--platform", "win_amd64"]
    options += ["--python-version", row.python, "--dest", str(folder), "--requirement", str(chosen)]
    subprocess.run([sys.executable, "-m", "pip", *options], check=True)


def libraries(wheels: Iterable[Path]) -> Iterator[tuple[str, list[str]]]:
    """Each library in the wheels, with the names of the libraries it imports."""
    import pefile

    table = pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.lower().endswith(_BINARY):
                    binary = pefile.PE(data=archive.read(name), fast_load=True)
                    binary.parse_data_directories(directories=[table])
                    yield name, [entry.dll.decode() for entry in getattr(binary, "DIRECTORY_ENTRY_IMPORT", [])]


def main() -> None:
    """Download and check the wheels; the exit code is 1 if a library is missing."""
    folder = matrix.ROOT / "wheelhouse" / ROW
    fetch(folder)
    wheels = sorted(folder.glob("*.whl"))
    imports = dict(libraries(wheels))
    absent = missing(imports, imports)
    for name, importers in absent.items():
        print(f"{name} is missing; it is needed by {', '.join(importers[:3])}")
    print(f"{len(wheels)} wheels for Windows with {len(imports)} libraries; {len(absent)} needed libraries are missing")
    sys.exit(bool(absent))


if __name__ == "__main__":
    main()
