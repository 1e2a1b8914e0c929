"""The installed torch, read from its files: importing it takes seconds, and may die on the GPU that is asked about."""

import ast
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.machine.facts import TorchBuild

TIMEOUT_SECONDS = 60.0
#: What the build of an image measured (docker/gate.py and its like write it).
IMAGE_FACTS = Path("opt") / "voxmatrix" / "image.json"
#: CPU builds lack the function. It works without a GPU, which torch.cuda.get_arch_list() does only from 2.13 on.
_ASK_KERNELS = "import torch; print('kernels', getattr(torch._C, '_cuda_getArchFlags', lambda: '')() or '')"

#: Asks torch itself for its kernels.
AskKernels = Callable[[], tuple[str, ...]]


def find_torch() -> Path | None:
    """The folder of the torch that `import torch` would find."""
    spec = importlib.util.find_spec("torch")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


def read_torch_build(folder: Path | None) -> TorchBuild | None:
    """The torch in a folder, its kernels not yet known; None when there is none."""
    facts = {} if folder is None else parse_version_file(read_text_or_empty(folder / "version.py"))
    version = facts.get("__version__")
    return None if version is None else TorchBuild(version=version, cuda=facts.get("cuda"))


def read_kernels(root: Path, folder: Path, build: TorchBuild, ask: AskKernels | None = None) -> tuple[str, ...]:
    """The kernels of a torch: as its image was measured, as found before, or as torch says in a child process."""
    if build.cuda is None:
        return ()
    measured = _names(_json(root / IMAGE_FACTS).get("kernels"))
    if measured:
        return measured
    # torch does not change while its folder does not: the child, which takes seconds, is asked once.
    key = {"folder": str(folder), "version": build.version, "changed_ns": folder.stat().st_mtime_ns}
    cache = home() / "cache" / "torch-kernels.json"
    known = _json(cache)
    if known.get("torch") == key and (kernels := _names(known.get("kernels"))):
        return kernels
    kernels = (ask or _ask_torch)()
    if kernels:
        _keep(cache, {"torch": key, "kernels": list(kernels)})
    return kernels


def parse_version_file(text: str) -> dict[str, str]:
    """The constants of torch/version.py that are text."""
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
    """From "sm_80 sm_90 compute_90" as torch says it."""
    return tuple(word for word in flags.split() if word.startswith(("sm_", "compute_")))


def read_flash_attention() -> str | None:
    """The version of flash-attn that is installed."""
    try:
        return importlib.metadata.version("flash-attn")
    except importlib.metadata.PackageNotFoundError:
        return None


def _keep(cache: Path, answer: Mapping[str, object]) -> None:
    try:
        write_text(cache, json.dumps(answer))
    except (VoxmatrixError, OSError):
        return  # a home that cannot be written costs time, nothing else


def _ask_torch() -> tuple[str, ...]:
    said = subprocess.run(
        [sys.executable, "-c", _ASK_KERNELS], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True
    )
    lines = [line for line in said.stdout.splitlines() if line.startswith("kernels ")]
    return parse_kernels(lines[-1] if lines else "")


def _json(path: Path) -> Mapping[str, object]:
    try:
        content = json.loads(read_text_or_empty(path))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _names(value: object) -> tuple[str, ...]:
    return parse_kernels(" ".join(word for word in value if isinstance(word, str))) if isinstance(value, list) else ()
