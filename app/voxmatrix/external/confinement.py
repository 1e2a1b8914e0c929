"""What an engine may use: code of others, which needs neither the files of the user nor any secret.

It has a home of its own, which is empty at first and keeps its caches; reads the system, its packages and its weights;
and writes nowhere but in its home and in a temporary folder. Where the kernel has no Landlock, that is only advice.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.external import wire
from voxmatrix.external.installed import Engine
from voxmatrix.files import read_text_or_empty
from voxmatrix.landlock import Limits, python_folders

#: It may not fetch anything, and sees no packages but its own.
_SWITCHES = {
    "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1",
    "PYTHONNOUSERSITE": "1", "TOKENIZERS_PARALLELISM": "false",
}  # fmt: skip
#: Caches that are elsewhere than in the home, or that the user may have put elsewhere.
_CACHES = (
    "CUDA_CACHE_PATH", "HF_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_HOME",
    "TRITON_CACHE_DIR", "XDG_CACHE_HOME",
)  # fmt: skip


def engine_home(engine: Engine, scratch: Path) -> Path:
    """The home of an engine, or `scratch` where none can be created."""
    folder = home().absolute() / "cache" / "engines" / engine.name
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return scratch


def engine_environment(environment: Mapping[str, str], own: Path, scratch: Path) -> dict[str, str]:
    """The environment of an engine whose home is `own`."""
    caches = {name: str(own / ".cache" / name.lower()) for name in _CACHES}
    return {**environment, **_SWITCHES, **caches, "HOME": str(own), "TMPDIR": str(scratch)}


def engine_limits(engine: Engine, weights: Sequence[Path], own: Path, scratch: Path) -> Limits:
    """What an engine may read and write."""
    environment = engine.folder / "env"
    reads = [engine.folder, engine.folder.resolve(), environment.resolve(), Path(wire.__file__), *python_folders()]
    return Limits(reads=(*reads, *weights, *_named_in_pth(environment)), writes=(own, scratch), devices=True)


def _named_in_pth(environment: Path) -> Iterator[Path]:
    """The folders of packages that an environment borrows."""
    for file in environment.glob("lib/python*/site-packages/*.pth"):
        lines = read_text_or_empty(file).splitlines()
        yield from (Path(line.strip()) for line in lines if line.startswith("/"))
