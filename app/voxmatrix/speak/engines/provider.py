"""What lets onnxruntime compute on a GPU: which providers it has, and a session with one, or why there is none."""

import importlib.util
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from voxmatrix.compute.device import prepare_environment
from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import GpuKind
from voxmatrix.speak.device import FoundGpu
from voxmatrix.speak.engines.session import Provider, open_session

INSTALL = (
    "speak from the checkpoint, install onnxruntime-gpu (onnxruntime-directml on Windows) in place of onnxruntime, "
    "or set --device cpu"
)
_LIBRARIES_MISSING = "install what is missing (pip install onnxruntime-gpu[cuda,cudnn]), or set --device cpu"
_NAMES: dict[GpuKind, str] = {"cuda": "CUDAExecutionProvider", "directml": "DmlExecutionProvider"}
#: The libraries that onnxruntime's packages for GPUs bring along, in their folder `capi`.
_LIBRARIES: dict[GpuKind, str] = {"cuda": "*onnxruntime_providers_cuda.*", "directml": "DirectML.dll"}
#: Sentences differ in length, and trying every algorithm for each new one takes longer than to speak it. Memory is
#: taken as it is needed, not doubled, and numbers keep all their bits, so that samples are those of the CPU.
_CUDA = {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested", "use_tf32": "0"}
_SILENT = 4


def served_kinds(package: Path | None = None) -> frozenset[GpuKind]:
    """The kinds of GPU that the installed onnxruntime has a provider for, by its files: importing it takes time."""
    package = package or _package()
    if package is None:
        return frozenset()
    return frozenset(kind for kind, library in _LIBRARIES.items() if any((package / "capi").glob(library)))


def open_gpu_session(gpu: FoundGpu, path: Path, model: bytes | None = None, *, optimised: bool = False) -> Any:
    """As `open_session`, on a GPU.

    Raises:
        NoDeviceError: onnxruntime has no provider for it, or the provider did not start.
    """
    provider = _provider(gpu)
    missing = _load_libraries(gpu)
    session = open_session(path, model, optimised=optimised, provider=provider)
    if provider[0] not in session.get_providers():  # it goes on without what does not start
        why = missing or "a library that it needs may be missing, such as those of CUDA and cuDNN"
        raise NoDeviceError(f"onnxruntime could not start {provider[0]} on {gpu}: {why}", _LIBRARIES_MISSING)
    return session


def _package() -> Path | None:
    spec = importlib.util.find_spec("onnxruntime")
    return Path(spec.origin).parent if spec and spec.origin else None


def _provider(gpu: FoundGpu) -> Provider:
    import onnxruntime

    name = _NAMES.get(gpu.gpu.kind)
    if name is None or name not in onnxruntime.get_available_providers():
        raise NoDeviceError(f"onnxruntime {onnxruntime.__version__} has no provider for {gpu}", INSTALL)
    return name, {"device_id": str(gpu.place), **(_CUDA if gpu.gpu.kind == "cuda" else {})}


def _load_libraries(gpu: FoundGpu) -> str:
    """Load CUDA and cuDNN from Python packages that hold them; what is said to be missing comes back, "" for nothing.

    Libraries that the system knows need none of this. onnxruntime before 1.21 cannot do it.
    """
    import onnxruntime

    prepare_environment()
    onnxruntime.set_default_logger_severity(_SILENT)  # its colourful log says what our message says
    if gpu.gpu.kind != "cuda" or not hasattr(onnxruntime, "preload_dlls"):
        return ""
    said = io.StringIO()
    with redirect_stdout(said):  # standard output may be where the speech goes
        onnxruntime.preload_dlls()
    return next((line for line in said.getvalue().splitlines() if "Failed" in line), "")
