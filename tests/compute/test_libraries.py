"""Speaking reports nothing to anybody."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

#: Their telemetry keeps files in the home folder before it sends anything, and is off in CI.
_SWITCHES = ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_DATA_HOME")


def left_at_home(home: Path, program: str, *arguments: str) -> list[Path]:
    environment = {name: value for name, value in os.environ.items() if name not in _SWITCHES}
    command = [sys.executable, "-c", program, *arguments]
    subprocess.run(command, env={**environment, "HOME": str(home)}, timeout=120, check=True)
    return sorted(home.rglob("*"))


def test_onnxruntime_keeps_no_identifier_and_sends_no_report(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    node = helper.make_node("Tanh", ["x"], ["y"])
    graph = helper.make_graph([node], "g", [value], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), tmp_path / "g.onnx")
    program = """if True:
        import sys
        import numpy
        from voxmatrix.compute.libraries import import_onnxruntime
        session = import_onnxruntime().InferenceSession(sys.argv[1])
        session.run(None, {"x": numpy.zeros(1, numpy.float32)})
    """
    home = tmp_path / "home"
    home.mkdir()

    assert left_at_home(home, program, str(tmp_path / "g.onnx")) == []


@pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
def test_openvino_keeps_no_identifier_and_sends_no_report(tmp_path: Path) -> None:
    program = """if True:
        import sys
        from voxmatrix.compute.libraries import import_openvino
        for _ in range(2):
            core = import_openvino().Core()
        assert core.available_devices
        reporting = [name for name in sys.modules if name.startswith("openvino_telemetry")]
        assert not reporting, reporting
    """

    assert left_at_home(tmp_path, program) == []
