"""The installed torch, read from its files: importing it takes seconds and may crash on the GPU in question."""

import ast
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.config import home
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.machine.facts import KERNEL, TorchBuild
from voxmatrix.processes import run

TIMEOUT_SECONDS = 60.0
#: Facts measured when an image is built (written by docker/gate.py).
IMAGE_FACTS = Path("opt") / "voxmatrix" / "image.json"
#: CPU builds lack the function. It works without a GPU; torch.cuda.get_arch_list() does so only since torch 2.13.
_PRINT_KERNELS = (
    "import torch; found = [getattr(torch._C, f'_{kind}_getArchFlags', None) for kind in ('cuda', 'xpu')]; "
    "print('kernels', next((flags() for flags in found if flags), '') or '')"
)

#: Queries torch for its kernels.
QueryKernels = Callable[[], tuple[str, ...]]


def find_torch() -> Path | None:
    """The folder of the torch that `import torch` would find."""
    spec = importlib.util.find_spec("torch")
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None


def read_torch_build(folder: Path | None) -> TorchBuild | None:
    """The torch in a folder, without its kernels; None if there is none."""
    facts = {} if folder is None else parse_version_file(read_text_or_empty(folder / "version.py"))
    version = facts.get("__version__")
    return (
        None
        if version is None
        else TorchBuild(version=version, cuda=facts.get("cuda"), hip=facts.get("hip"), xpu=facts.get("xpu"))
    )


def read_kernels(root: Path, folder: Path, build: TorchBuild, query: QueryKernels | None = None) -> tuple[str, ...]:
    """The kernels of a torch: from the facts of its image, from the cache, or from torch in a child process."""
    if build.built_for is None:
        return ()
    image = _json(root / IMAGE_FACTS)
    measured = _names(image.get("kernels"))
    if measured and image.get("torch") == build.version:  # else torch was replaced in a derived image
        return measured
    # The child takes seconds, so its result is cached for as long as torch's folder does not change.
    key = {"folder": str(folder), "version": build.version, "changed_ns": folder.stat().st_mtime_ns}
    cache = home() / "cache" / "torch-kernels.json"
    cached = _json(cache)
    if cached.get("torch") == key and (kernels := _names(cached.get("kernels"))):
        return kernels
    kernels = (query or _query_torch)()
    if kernels:
        _save(cache, {"torch": key, "kernels": list(kernels)})
    return kernels


def parse_version_file(text: str) -> dict[str, str]:
    """The string constants of torch/version.py."""
    try:
        lines = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for line in lines:
        match line:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value)))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(value)))
            ):
                found[name] = value
    return found


def parse_kernels(flags: str) -> tuple[str, ...]:
    """Split "sm_80 sm_90 compute_90", as torch prints it."""
    return tuple(word for word in flags.split() if re.fullmatch(KERNEL, word))


def read_flash_attention() -> str | None:
    """The version of the installed flash-attn."""
    try:
        return importlib.metadata.version("flash-attn")
    except importlib.metadata.PackageNotFoundError:
        return None


def _save(cache: Path, content: Mapping[str, object]) -> None:
    try:
        write_text(cache, json.dumps(content))
    except (VoxmatrixError, OSError):
        return  # a home that is not writable only costs time


def _query_torch() -> tuple[str, ...]:
    command = [sys.executable, "-P", "-c", _PRINT_KERNELS]
    done = run(command, environment=for_voxmatrix(), timeout_seconds=TIMEOUT_SECONDS)
    done.check_returncode()
    output = done.stdout.decode("utf-8", "replace")
    lines = [line for line in output.splitlines() if line.startswith("kernels ")]
    return parse_kernels(lines[-1] if lines else "")


def _json(path: Path) -> Mapping[str, object]:
    try:
        content = json.loads(read_text_or_empty(path))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _names(value: object) -> tuple[str, ...]:
    return parse_kernels(" ".join(word for word in value if isinstance(word, str))) if isinstance(value, list) else ()
