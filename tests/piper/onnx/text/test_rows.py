"""Nodes for rows, and those of a spline, which compute what it computes in torch."""

import numpy as np
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from voxmatrix.piper.onnx.text.rows import RowNodes, inverse_spline, spline_columns
from voxmatrix.vits.layers.constants import BINS, TAIL
from voxmatrix.vits.layers.splines import spline

SYMBOLS, CHANNELS, SCALE = 48, 6, 2.0


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


def computed(weight: np.ndarray, bias: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The inverse, of y (b, t, 1), by the splines that weight (c, 29) and bias (29,) make of x (b, t, c)."""
    graph = RowNodes("spline/")
    shape = graph.linear("proj", "x", spline_columns(weight, SCALE), spline_columns(bias, SCALE))
    graph.add("Identity", inverse_spline(graph, shape, "y"), output="made")
    given = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, SYMBOLS, size])
        for name, size in (("x", CHANNELS), ("y", 1))
    ]
    made = helper.make_tensor_value_info("made", TensorProto.FLOAT, [1, SYMBOLS, 1])
    whole = helper.make_graph(graph.nodes, "spline", given, [made], list(graph.initializers.values()))
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return np.asarray(session.run(None, {"x": x, "y": y})[0])


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), spread=st.floats(0.0, 3.0))
def test_any_shape_and_place(seed: int, spread: float) -> None:
    random = np.random.default_rng(seed)
    weight, bias, x = (
        (random.standard_normal(size) * scale).astype(np.float32)
        for size, scale in (
            ((CHANNELS, 3 * BINS - 1), spread / CHANNELS),
            ((3 * BINS - 1,), spread),
            ((1, SYMBOLS, CHANNELS), 1.0),
        )
    )
    y = np.linspace(-1.5 * TAIL, 1.5 * TAIL, SYMBOLS, dtype=np.float32)[None, :, None]

    made = computed(weight, bias, x, y)

    shape = torch.from_numpy(x @ weight + bias)
    of_bins = shape[..., :BINS] / SCALE, shape[..., BINS : 2 * BINS] / SCALE, shape[..., 2 * BINS :]
    ours, given = torch.from_numpy(made[..., 0]), torch.from_numpy(y[..., 0])
    theirs, _ = spline(given, *of_bins, reverse=True)
    back, _ = spline(ours, *of_bins)
    # Where the curve is flat, rounding of y is much of x; where it is steep, rounding of x is much of y.
    assert torch.minimum((ours - theirs).abs(), (back - given).abs()).max() < 2e-4


def test_the_tails_are_as_they_were() -> None:
    random = np.random.default_rng(0)
    weight, bias = random.standard_normal((CHANNELS, 3 * BINS - 1)), random.standard_normal(3 * BINS - 1)
    x = random.standard_normal((1, SYMBOLS, CHANNELS)).astype(np.float32)
    y = np.where(np.arange(SYMBOLS) % 2, -100.0, np.nextafter(np.float32(TAIL), np.float32(9)))[None, :, None]

    assert np.array_equal(computed(weight, bias, x, y.astype(np.float32)), y.astype(np.float32))
