"""Nodes for rows."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from voxmatrix.piper.onnx.text.rows import RowNodes


@pytest.mark.parametrize("symbols", [1, 3, 8])
@pytest.mark.parametrize("distance", [-9, -1, 1, 3, 9])
def test_shifted_by_any_distance(symbols: int, distance: int) -> None:
    graph = RowNodes("rows/")
    graph.add("Identity", graph.shifted("x", distance), output="made")
    x, made = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, symbols, 2]) for name in ("x", "made"))
    whole = helper.make_graph(graph.nodes, "rows", [x], [made], list(graph.initializers.values()))
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    rows = np.arange(1, 2 * symbols + 1, dtype=np.float32).reshape(1, symbols, 2)

    (shifted,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": rows})

    wanted = np.zeros_like(rows)
    for symbol in range(symbols):
        if 0 <= symbol - distance < symbols:
            wanted[0, symbol] = rows[0, symbol - distance]
    assert np.array_equal(shifted, wanted)
