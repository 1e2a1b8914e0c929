"""The providers that let onnxruntime compute on a GPU."""

import importlib.util
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.errors import NoDeviceError
from voxmatrix.inference.session import Provider, open_session
from voxmatrix.machine.facts import GpuKind
from voxmatrix.models.device import FoundGpu

INSTALL = (
    "speak from the checkpoint, pip install onnxruntime-gpu instead of onnxruntime (on Windows: onnxruntime-directml), "
    "or set `device=cpu`"
)
_LIBRARIES_MISSING = "install the missing libraries (pip install onnxruntime-gpu[cuda,cudnn]), or set `device=cpu`"
_NAMES: dict[GpuKind, str] = {"cuda": "CUDAExecutionProvider", "directml": "DmlExecutionProvider"}
#: Libraries that the GPU packages of onnxruntime contain, in their folder `capi`.
_LIBRARIES: dict[GpuKind, str] = {"cuda": "*onnxruntime_providers_cuda.*", "directml": "DirectML.dll"}
#: Sentences differ in length, and an exhaustive search for algorithms takes longer than speaking one. Memory grows
#: by what is needed instead of doubling, and without TF32 the samples equal those of the CPU.
_CUDA = {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested", "use_tf32": "0"}
_SILENT = 4


def served_kinds(package: Path | None = None) -> frozenset[GpuKind]:
    """The kinds of GPU that the installed onnxruntime supports, judged by its files because importing it is slow."""
    package = package or _package()
    if package is None:
        return frozenset()
    return frozenset(kind for kind, library in _LIBRARIES.items() if any((package / "capi").glob(library)))


def open_gpu_session(gpu: FoundGpu, path: Path, model: bytes | None = None, *, optimised: bool = False) -> Any:
    """`open_session` on a GPU.

    Raises:
        NoDeviceError: onnxruntime has no provider for the GPU, or the provider did not start.
    """
    provider = _provider(gpu)
    missing = _load_libraries(gpu)
    session = open_session(path, model, optimised=optimised, provider=provider)
    if provider[0] not in session.get_providers():  # onnxruntime continues without a provider that does not start
        why = missing or "a library such as CUDA or cuDNN may be missing"
        raise NoDeviceError(f"onnxruntime could not start {provider[0]} on {gpu}: {why}", _LIBRARIES_MISSING)
    return session


def _package() -> Path | None:
    spec = importlib.util.find_spec("onnxruntime")
    return Path(spec.origin).parent if spec and spec.origin else None


def _provider(gpu: FoundGpu) -> Provider:
    onnxruntime = import_onnxruntime()
    name = _NAMES.get(gpu.gpu.kind)
    if name is None or name not in onnxruntime.get_available_providers():
        raise NoDeviceError(f"onnxruntime {onnxruntime.__version__} has no provider for {gpu}", INSTALL)
    return name, {"device_id": str(gpu.place), **(_CUDA if gpu.gpu.kind == "cuda" else {})}


def _load_libraries(gpu: FoundGpu) -> str:
    """Load CUDA and cuDNN from their Python packages, if installed. Returns the first failure, or "".

    Libraries installed in the system need not be loaded. onnxruntime before 1.21 has no such function.
    """
    from voxmatrix.compute.device import prepare_environment

    onnxruntime = import_onnxruntime()
    prepare_environment()
    onnxruntime.set_default_logger_severity(_SILENT)  # its log repeats our message
    if gpu.gpu.kind != "cuda" or not hasattr(onnxruntime, "preload_dlls"):
        return ""
    output = io.StringIO()
    with redirect_stdout(output):  # standard output may receive the speech
        onnxruntime.preload_dlls()
    return next((line for line in output.getvalue().splitlines() if "Failed" in line), "")
