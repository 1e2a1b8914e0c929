"""Networks in bfloat16 by OpenVINO, on CPUs that multiply such numbers (AVX512-BF16, AMX).

onnxruntime computes in float32 there, in twice the time: docs/inside/decisions/0023-speaking-in-bfloat16.md.
"""

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxmatrix.compute.libraries import import_openvino
from voxmatrix.machine.probes.system import read_cpu_bf16
from voxmatrix.piper.engines.networks import Network
from voxmatrix.piper.engines.prepared import fall_back_on_error, is_close, probe_inputs
from voxmatrix.piper.onnx.parts import SplitModel

#: The kernels for a new length are compiled when it first occurs, which takes 25 ms: nearly all lengths are multiples
#: of this many samples.
STEP_SAMPLES = 4096
#: How far samples in bfloat16 may be from those in float32, as a part of them: rounding makes 0.03.
_DIFFERENCE = 0.1
#: Of the last convolution of a voice whose second half gains by bfloat16. `tiny` and `fast_x_low` would gain 2 % of
#: their time, and need 50 MiB more.
_MIN_LAST = 32
#: Each network computes in the thread that calls it, whose priority and CPUs are those that the process has chosen.
_OPTIONS = {
    "INFERENCE_PRECISION_HINT": "bf16",
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "ENABLE_CPU_PINNING": False,
}


def computes_bf16() -> bool:
    """Whether the CPU multiplies bfloat16 numbers, and OpenVINO is installed. Does not import it, which takes 0.2 s.

    Not under a limit of the address space (`ulimit -v`): at the limit, OpenVINO crashes where others raise an error.
    """
    if sys.platform != "linux" or not read_cpu_bf16() or importlib.util.find_spec("openvino") is None:
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY


def in_bf16(path: Path, split: SplitModel, first: Network, second: Network) -> Network | None:
    """The second half of the voice in `path` in bfloat16.

    None: that does not pay or is not possible, or it computes otherwise than `second`, which is that half in float32.
    """
    if split.has_int8 or not computes_bf16():
        return None
    import onnx

    from voxmatrix.piper.onnx.graph_edits import self_contained

    model = onnx.ModelProto.FromString(second.part.model)
    if _channels_at_the_end(model) < _MIN_LAST:
        return None
    with fall_back_on_error(path):
        inputs, random = probe_inputs(), np.random.default_rng(0)
        inputs[split.boundary] = random.standard_normal(split.as_second_input(first.run(inputs)).shape, np.float32)
        shapes = {name: np.shape(inputs[name]) for name in second.part.inputs}
        whole = self_contained(model, path, shapes | {split.boundary: (*shapes[split.boundary][:-1], None)})
        if whole is not None:
            step = max(1, STEP_SAMPLES // split.receptive_field.hop)
            network = second._replace(session=Bf16Session(whole), step=step)
            return network if is_close(network.run(inputs), second.run(inputs), _DIFFERENCE) else None
    return None


def _channels_at_the_end(model: Any) -> int:
    """Of the convolution that makes the samples of this onnx.ModelProto; 0 if another layer does."""
    shapes = {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    ends = [shapes.get(node.input[1], [0, 0]) for node in model.graph.node if node.op_type == "Conv"]
    return next((channels for made, channels, *_ in ends if made == 1), 0)


@cache
def _core() -> Any:
    """OpenVINO's only core, which is never freed.

    Each core gives the thread that makes it a stack for signal handlers, and freeing several leaves a freed one behind:
    Ctrl-C would be a segmentation fault.
    """
    return import_openvino().Core()


class Bf16Session:
    """A network, with the method `run` of a session of onnxruntime. Thread-safe."""

    def __init__(self, model: bytes) -> None:
        """Compile the ONNX model in these bytes, with its weights.

        Raises:
            RuntimeError: OpenVINO cannot compute it, or not in bfloat16 on this CPU.
        """
        self._core = _core()
        if "BF16" not in self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
            raise RuntimeError("OpenVINO does not compute in bfloat16 on this CPU")
        self._model = self._core.read_model(model)
        self._lock = Lock()
        # A compiled network computes one input at a time, so there are as many as threads that call it at once.
        self._idle: LifoQueue[Any] = LifoQueue()
        self._idle.put(self._compiled())

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """The outputs of these names."""
        try:
            request = self._idle.get_nowait()
        except Empty:
            request = self._compiled()
        try:
            request.infer(dict(inputs), share_inputs=True)
            return [request.get_tensor(name).data.copy() for name in outputs]
        finally:
            self._idle.put(request)

    def _compiled(self) -> Any:
        with self._lock:
            return self._core.compile_model(self._model, "CPU", _OPTIONS).create_infer_request()
