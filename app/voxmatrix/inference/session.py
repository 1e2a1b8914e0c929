"""onnxruntime sessions for voices: options, and errors of files. Imports no torch."""

from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.compute.memory import is_out_of_memory
from voxmatrix.errors import DamagedFileError, MemoryExhaustedError

CPU_PROVIDER = "CPUExecutionProvider"
#: The name of an execution provider, and its options.
Provider = tuple[str, dict[str, str]]


def open_session(
    path: Path,
    model: bytes | None = None,
    *,
    optimised: bool = False,
    threads: int = 1,
    provider: Provider | None = None,
    weights: Path | None = None,
) -> Any:
    """Open a session of the voice in `path`, or of `model`, whose weights are in a file next to it or in the folder
    `weights`, on the CPU or a GPU.

    `optimised` lets onnxruntime choose memory layouts, which is worthwhile for 2-D convolutions. `threads` share each
    operation.

    Raises:
        DamagedFileError: the file is truncated or not an ONNX file. Errors of a provider are raised unchanged.
        MemoryExhaustedError: the voice does not fit into memory.
    """
    onnxruntime = import_onnxruntime()
    options = _options(optimised, threads)
    if provider is None:
        _use_shared_arena(options)
    if model is not None:
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(weights or path.parent)
        )
    try:
        # The fallback of onnxruntime prints to standard output, which may receive the speech, and raises no error.
        return onnxruntime.InferenceSession(
            model or str(path), options, providers=[*([provider] if provider else []), CPU_PROVIDER], enable_fallback=0
        )
    except Exception as error:
        if provider or not type(error).__module__.startswith("onnxruntime"):
            raise
        if is_out_of_memory(error):
            raise MemoryExhaustedError(
                f"no memory left to load {path}", "close other programs, or raise the memory limit"
            ) from error
        raise damaged(path, str(error)) from error


def write_fused(path: Path, part: bytes, out: Path) -> None:
    """Write this model, of the voice in `path`, with the operations in one that onnxruntime computes as one.

    The samples stay the same. Fusing takes longer than a sentence, so that sessions open without it.
    """
    onnxruntime = import_onnxruntime()
    options = _options(optimised=False, threads=1)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(out)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.parent))
    onnxruntime.InferenceSession(part, options, providers=[CPU_PROVIDER], enable_fallback=0)


def damaged(path: Path, reason: str) -> DamagedFileError:
    """The error for a file that onnxruntime cannot load."""
    return DamagedFileError(
        f"{path} ({path.stat().st_size:,} bytes) is corrupt or not a voice: {reason.strip().splitlines()[0]}",
        "copy or download the voice again, and compare file sizes",
    )


def _options(optimised: bool, threads: int) -> Any:
    """Options that load Piper's graph in 0.2 s instead of 1.3 s (measured: onnxruntime 1.31, 2 cores, medium).

    Planning the reuse of buffers takes 0.8 s of the 1.3 s, and optimisations 0.3 s. Neither changes the total time by
    more than 2 %, and peak memory is lower without them. Usually one thread per session: computing sentences and
    segments in parallel uses the other cores better than parallel operations do.
    """
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    options.enable_mem_reuse = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it would hold up the other sessions
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def _use_shared_arena(options: Any) -> None:
    """Let a session on the CPU compute in the arena of all, and keep its weights apart: they go when it is closed."""
    _make_shared_arena()
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.add_session_config_entry("session.use_device_allocator_for_initializers", "1")


@cache
def _make_shared_arena() -> None:
    """Give all sessions of this process one arena on the CPU for what they compute.

    Each would have an arena of its own, which keeps what its longest sentence needed: that would grow with the number
    of voices, instead of with the sentences that are computed at once.
    """
    onnxruntime = import_onnxruntime()
    kind, use = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, onnxruntime.OrtMemType.DEFAULT
    onnxruntime.create_and_register_allocator(onnxruntime.OrtMemoryInfo("Cpu", kind, 0, use), None)
