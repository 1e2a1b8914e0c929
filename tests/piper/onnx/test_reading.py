"""A graph is read without its large weights, which are found in the file; nonsense ends in one kind of error."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from voxmatrix.inference.session import open_session
from voxmatrix.piper.onnx.reading import read_model

LARGE, SMALL = np.arange(3000, dtype=np.float32), np.arange(1000, dtype=np.float32) / 7


def model(**changes: Any) -> Any:
    """x times and plus constants, a large and a small one."""
    nodes = [helper.make_node("Mul", ["x", "large"], ["y"]), helper.make_node("ReduceSum", ["y"], ["z"], keepdims=0)]
    nodes.append(helper.make_node("Add", ["z", "small"], ["output"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("x", "output")]
    constants = [numpy_helper.from_array(LARGE, "large"), numpy_helper.from_array(SMALL, "small")]
    graph = helper.make_graph(nodes, "graph", ends[:1], ends[1:], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8, **changes)
    helper.set_model_props(made, {"made": "here"})
    return made


def message(number: int, content: bytes) -> bytes:
    """A field with this message, as protobuf writes it."""
    length, begin = len(content), [number << 3 | 2]
    while length > 127:
        begin.append(length & 127 | 128)
        length >>= 7
    return bytes([*begin, length]) + content


def save(path: Path, content: Any) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def test_large_weights_stay_in_the_file_and_all_else_is_read(tmp_path: Path) -> None:
    path = save(tmp_path / "v.onnx", model())

    found = read_model(path)

    large, small = found.graph.initializer
    place = {entry.key: entry.value for entry in large.external_data}
    begin, length = int(place["offset"]), int(place["length"])
    assert (large.data_location, place["location"], large.HasField("raw_data")) == (
        TensorProto.EXTERNAL,
        "v.onnx",
        False,
    )
    assert path.read_bytes()[begin : begin + length] == LARGE.tobytes()
    assert np.array_equal(numpy_helper.to_array(small), SMALL)
    found.graph.initializer[0].CopyFrom(numpy_helper.from_array(LARGE, "large"))
    assert found == model()


def test_onnxruntime_finds_them(tmp_path: Path) -> None:
    path = save(tmp_path / "v.onnx", model())
    x = {"x": np.array(2, np.float32)}

    ours = open_session(path, read_model(path).SerializeToString()).run(None, x)[0]

    assert np.array_equal(ours, onnxruntime.InferenceSession(str(path)).run(None, x)[0])


def test_a_weight_that_says_that_it_is_in_the_graph_is_found_as_well(tmp_path: Path) -> None:
    """As some exporters write it: the default, after the values."""
    made = model()
    whole = made.graph.initializer[0].SerializeToString()
    field = TensorProto.DESCRIPTOR.fields_by_name["data_location"].number
    said = whole + bytes([field << 3, TensorProto.DEFAULT])
    assert TensorProto.FromString(said) != made.graph.initializer[0]
    del made.graph.initializer[0]
    graph = (
        onnx.GraphProto.DESCRIPTOR.fields_by_name["initializer"].number,
        onnx.ModelProto.DESCRIPTOR.fields_by_name["graph"].number,
    )
    path = save(tmp_path / "v.onnx", made.SerializeToString() + message(graph[1], message(graph[0], said)))

    found = open_session(path, read_model(path).SerializeToString()).run(None, {"x": np.array(1, np.float32)})[0]

    assert found[0] == pytest.approx(LARGE.sum())


def test_weights_that_are_outside_already_stay_there(tmp_path: Path) -> None:
    path = tmp_path / "v.onnx"
    onnx.save(model(), path, save_as_external_data=True, location="weights.bin", size_threshold=0)

    places = [entry.value for one in read_model(path).graph.initializer for entry in one.external_data]

    assert places.count("weights.bin") == 2


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = save(tmp_path_factory.mktemp("any") / "v.onnx", content)
    try:
        found = read_model(path)
    except ValueError:
        return
    assert found == onnx.ModelProto.FromString(content)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_a_damaged_file_is_read_as_the_package_onnx_reads_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(model().SerializeToString())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(len(content) - 20, len(content)))]
    path = save(tmp_path_factory.mktemp("any") / "v.onnx", bytes(content))
    try:
        found = read_model(path)
    except ValueError:
        return
    whole = onnx.ModelProto.FromString(bytes(content))
    assert [tensor.name for tensor in found.graph.initializer] == [tensor.name for tensor in whole.graph.initializer]
    assert found.graph.node == whole.graph.node


@pytest.mark.parametrize(
    "content", [b"\x0a", b"\x0a\x05abc", b"\x08\xff", b"\x0b", b"\x00\x00", b"\x09abc", b"\xff" * 5000]
)
def test_a_message_cut_short_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_model(save(tmp_path / "v.onnx", content))
