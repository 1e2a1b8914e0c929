"""Sessions share what they compute in, so that memory grows with the sentences at once, not with the voices."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")

_SESSIONS, _EACH_MIB = 6, 48
#: Open sessions, compute in each, and print by how much the memory has grown since the first one has computed.
_PROGRAM = f"""
import sys
from pathlib import Path
import numpy as np
import psutil
from voxmatrix.inference.session import open_session

def compute():
    session = open_session(Path(sys.argv[1]))
    session.run(None, {{"size": np.array([{_EACH_MIB} * 2**18], np.int64)}})
    return session

kept = [compute()]
before = psutil.Process().memory_info().rss
kept += [compute() for _ in range({_SESSIONS} - 1)]
print((psutil.Process().memory_info().rss - before) / 2**20)
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A network that makes as many numbers as it is told, and adds them up."""
    from onnx import TensorProto, helper, save

    nodes = [
        helper.make_node("ConstantOfShape", ["size"], ["zeros"]),
        helper.make_node("Exp", ["zeros"], ["ones"]),
        helper.make_node("ReduceSum", ["ones"], ["sum"], keepdims=0),
    ]
    size = helper.make_tensor_value_info("size", TensorProto.INT64, [1])
    total = helper.make_tensor_value_info("sum", TensorProto.FLOAT, [])
    graph = helper.make_graph(nodes, "large", [size], [total])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    save(model, tmp_path / "large.onnx")
    return tmp_path / "large.onnx"


@pytest.mark.skipif(sys.platform != "linux", reason="how memory is counted differs")
def test_what_one_session_has_computed_in_serves_the_others(network: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(network)], capture_output=True, text=True, check=True, timeout=120
    )
    assert float(done.stdout) < _EACH_MIB
