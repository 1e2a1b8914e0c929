"""Networks in bfloat16 by OpenVINO, on CPUs that multiply such numbers (AVX512-BF16, AMX).

onnxruntime computes in float32 there, in twice the time: docs/decisions/0023-speaking-in-bfloat16.md.
"""

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from queue import Empty, LifoQueue
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from voxmatrix.compute.libraries import import_openvino
from voxmatrix.machine.probes.system import read_cpu_bf16

#: The kernels for a new length are compiled when it first occurs, which takes 25 ms: nearly all lengths are multiples
#: of this many samples.
STEP_SAMPLES = 4096
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
