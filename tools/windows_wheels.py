"""Whether what is locked for Windows fits together, found out without Windows: `./run windows_wheels`.

Every locked file is fetched as Windows' pip would fetch it, and of every library in it the libraries that it asks for
are looked up: in the other wheels (Microsoft's runtime is one of them), in Python, in Windows.
"""

import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from tools import matrix, pins

ROW = "directml-windows"
_BINARY = (".dll", ".pyd", ".exe")
#: What every Windows has; d3d12 and dxcore only the full one, neither Server Core nor Nano Server.
_WINDOWS = {
    "advapi32", "avicap32", "avrt", "bcrypt", "bcryptprimitives", "comctl32", "comdlg32", "crypt32", "d3d11",
    "d3d12", "d3dcompiler_47", "dbghelp", "dxcore", "dxgi", "gdi32", "imm32", "iphlpapi", "kernel32", "msimg32",
    "msvcrt", "ncrypt", "normaliz", "ntdll", "ole32", "oleaut32", "psapi", "rpcrt4", "secur32", "setupapi",
    "shell32", "shlwapi", "user32", "userenv", "version", "winmm", "winspool", "ws2_32",
}  # fmt: skip
_PYTHON = {"python3", "python311", "vcruntime140", "vcruntime140_1"}
#: torchaudio's own readers of media, one for each ffmpeg, all of which may be missing: nothing here loads them.
_NOT_LOADED = re.compile(r"av(codec|device|filter|format|util)-\d+")
_A_WINDOWS_API = re.compile(r"(api|ext)-ms-win-.*")


def missing(asked: Mapping[str, Iterable[str]], there: Iterable[str]) -> dict[str, list[str]]:
    """Libraries that are nowhere, with those that ask for them. Names are file names, in any case."""
    known = _WINDOWS | _PYTHON | {PurePosixPath(name.lower()).stem for name in there}
    nowhere = defaultdict(list)
    for library, names in asked.items():
        for name in names:
            stem = PurePosixPath(name.lower()).stem
            if stem not in known and not _A_WINDOWS_API.fullmatch(stem) and not _NOT_LOADED.fullmatch(stem):
                nowhere[name.lower()].append(library)
    return {name: sorted(libraries) for name, libraries in sorted(nowhere.items())}


def fetch(folder: Path) -> None:
    """Every locked file that is a wheel, as pip on Windows would choose it.

    Raises:
        subprocess.CalledProcessError: one is not there for Windows; pip's words stand above.
    """
    row = matrix.rows()[ROW]
    locked = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    chosen = folder / "wheels.txt"
    # docopt is on no index as a wheel; it is one file of Python, which builds anywhere.
    chosen.write_text(pins.render((pin for pin in locked.values() if pin.name != "docopt"), "wheels"), encoding="utf-8")
    words = ["download", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:", "--platform", "win_amd64"]
    words += ["--python-version", row.python, "--dest", str(folder), "--requirement", str(chosen)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)


def libraries(wheels: Iterable[Path]) -> Iterator[tuple[str, list[str]]]:
    """Each library in them, and the names of those that it cannot be loaded without."""
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
    """Fetch, look, and end with 1 when something is nowhere."""
    folder = matrix.ROOT / "wheelhouse" / ROW
    fetch(folder)
    wheels = sorted(folder.glob("*.whl"))
    asked = dict(libraries(wheels))
    nowhere = missing(asked, asked)
    for name, by in nowhere.items():
        print(f"{name} is nowhere, and needed by {', '.join(by[:3])}")
    print(
        f"{len(wheels)} wheels for Windows, {len(asked)} libraries in them, {len(nowhere)} that they need are nowhere"
    )
    sys.exit(bool(nowhere))


if __name__ == "__main__":
    main()
