"""Sessions of onnxruntime for voices: options, what may be wrong with a file, Piper's inputs. No torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voxmatrix.compute.memory import is_out_of_memory
from voxmatrix.errors import BadInputError, DamagedFileError, MemoryExhaustedError
from voxmatrix.speak.engines.base import SynthesisOptions

INPUTS = frozenset({"input", "input_lengths", "scales"})
SPEAKER_INPUT = "sid"
OUTPUT = "output"
CPU_PROVIDER = "CPUExecutionProvider"
#: What lets onnxruntime compute elsewhere than on the CPU, and its options.
Provider = tuple[str, dict[str, str]]


def open_session(
    path: Path, model: bytes | None = None, *, optimised: bool = False, provider: Provider | None = None
) -> Any:
    """A session of the voice in `path`, or of `model`, whose weights lie there; on the CPU, or with a GPU's provider.

    With `optimised`, onnxruntime also chooses how to lay out its numbers. That pays where there are planes.

    Raises:
        DamagedFileError: it is cut short, or is no ONNX. What a provider fails with comes out as it is.
        MemoryExhaustedError: it does not fit into memory.
    """
    import onnxruntime

    options = _options(optimised)
    if model is not None:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.parent))
    try:
        # Its own fallback prints into the speech that goes to standard output, and says nothing to us.
        return onnxruntime.InferenceSession(
            model or str(path), options, providers=[*([provider] if provider else []), CPU_PROVIDER], enable_fallback=0
        )
    except Exception as error:
        if provider or not type(error).__module__.startswith("onnxruntime"):
            raise
        if is_out_of_memory(error):
            raise MemoryExhaustedError(
                f"no memory left to load {path}", "close programs, or allow more memory"
            ) from error
        raise damaged(path, str(error)) from error


def seed_sessions(seed: int) -> None:
    """Where the randomness of sessions that are opened from now on starts; each call to one goes on from there."""
    import onnxruntime

    onnxruntime.set_seed(seed)


def sentence_inputs(ids: Sequence[int], options: SynthesisOptions) -> dict[str, Any]:
    """Piper's inputs for one sentence; a network takes those that it has."""
    return {
        "input": np.array([ids], dtype=np.int64),
        "input_lengths": np.array([len(ids)], dtype=np.int64),
        "scales": np.array([options.noise, options.length, options.noise_w], dtype=np.float32),
        SPEAKER_INPUT: np.array([options.speaker], dtype=np.int64),
    }


def check_inputs(path: Path, inputs: frozenset[str], outputs: frozenset[str], num_speakers: int) -> None:
    """Refuse a network whose inputs are not Piper's, or do not agree with its card.

    Raises:
        BadInputError: so it is.
    """
    if inputs - {SPEAKER_INPUT} != INPUTS or OUTPUT not in outputs:
        raise BadInputError(
            f"{path} is no voice of Piper: its inputs are {', '.join(sorted(inputs)) or 'none'}",
            "give an ONNX that voxmatrix export voice, or Piper, has written",
        )
    if (SPEAKER_INPUT in inputs) != (num_speakers > 1):
        raise BadInputError(
            f"{path} and its JSON do not belong together: the JSON says num_speakers {num_speakers}, "
            f"the network is for {'several' if SPEAKER_INPUT in inputs else 'one'}",
            "get both files of the voice again",
        )


def damaged(path: Path, reason: str) -> DamagedFileError:
    """The error that names a file which onnxruntime cannot load."""
    return DamagedFileError(
        f"{path} ({path.stat().st_size:,} bytes) is damaged or is no voice: {reason.strip().splitlines()[0]}",
        "copy or download the voice again and compare sizes",
    )


def _options(optimised: bool) -> Any:
    """Options measured on Piper's graph (onnxruntime 1.31, 2 cores, medium): loading in 0.2 s instead of 1.3 s.

    Planning the reuse of buffers takes 0.8 s of those 1.3, and the optimisations 0.3. Neither changes the time of the
    whole by more than 2 %, and without them the peak of memory is lower. One thread each: sentences, and pieces of
    them, side by side use the others better than the parts of one operation do.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    options.enable_mem_reuse = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options
