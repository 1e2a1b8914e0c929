"""An exported voice through onnxruntime. torch is never imported here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import BadInputError, DamagedFileError
from app.speak.engine import Manner, Part, Samples

INPUTS = {"input", "input_lengths", "scales"}
SPEAKER_INPUT = "sid"


class OnnxEngine:
    """One onnxruntime session that several threads ask at once, each with a thread's worth of work."""

    def __init__(self, path: Path, num_speakers: int, seed: int | None = None) -> None:
        self._session = open_session(path, seed)
        self._speaks_as_many = _check_inputs(path, self._session, num_speakers)

    def begin(self, ids: Sequence[int], manner: Manner) -> list[Part]:
        """The whole sentence as one part."""
        return [lambda: self._run(ids, manner)]

    def _run(self, ids: Sequence[int], manner: Manner) -> Samples:
        inputs = sentence_inputs(ids, manner, self._speaks_as_many)
        samples: Samples = self._session.run(["output"], inputs)[0].reshape(-1)
        return samples


def sentence_inputs(ids: Sequence[int], manner: Manner, speaks_as_many: bool) -> dict[str, Any]:
    """Piper's inputs for one sentence."""
    inputs: dict[str, Any] = {
        "input": np.array([ids], dtype=np.int64),
        "input_lengths": np.array([len(ids)], dtype=np.int64),
        "scales": np.array([manner.noise, manner.length, manner.noise_w], dtype=np.float32),
    }
    if speaks_as_many:
        inputs[SPEAKER_INPUT] = np.array([manner.speaker], dtype=np.int64)
    return inputs


def open_session(path: Path, seed: int | None) -> Any:
    """A session for short graphs of many small nodes that is there at once.

    Raises:
        BadInputError: there is no such file.
        DamagedFileError: it is cut short, or is no ONNX.
    """
    import onnxruntime

    if not path.is_file():
        raise BadInputError(f"there is no file {path}", "check the path of the voice")
    if seed is not None:
        onnxruntime.set_seed(seed)
    try:
        return onnxruntime.InferenceSession(str(path), session_options(), providers=["CPUExecutionProvider"])
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise DamagedFileError(
            f"{path} ({path.stat().st_size:,} bytes) is damaged or is no voice: {str(error).splitlines()[0]}",
            "copy or download the voice again and compare sizes",
        ) from error


def session_options() -> Any:
    """Options measured on Piper's graph (onnxruntime 1.31, 2 cores, medium): loading in 0.2 s instead of 1.3 s.

    Planning the reuse of buffers takes 0.8 s of those 1.3, and the optimisations 0.3. Neither changes the time of a
    sentence by more than 2 %, and without them the peak of memory is lower.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_reuse = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def _check_inputs(path: Path, session: Any, num_speakers: int) -> bool:
    """Whether the network wants to know the speaker; its inputs must be Piper's and agree with the card."""
    found = {one.name for one in session.get_inputs()}
    outputs = [one.name for one in session.get_outputs()]
    if found - {SPEAKER_INPUT} != INPUTS or "output" not in outputs:
        raise BadInputError(
            f"{path} is no voice of Piper: its inputs are {', '.join(sorted(found)) or 'none'}",
            "give an ONNX that voxmatrix export voice, or Piper, has written",
        )
    speaks_as_many = SPEAKER_INPUT in found
    if speaks_as_many != (num_speakers > 1):
        raise BadInputError(
            f"{path} and its JSON do not belong together: the JSON says num_speakers {num_speakers}, "
            f"the network is for {'several' if speaks_as_many else 'one'}",
            "get both files of the voice again",
        )
    return speaks_as_many
