"""Whatever onnxruntime opens and has Piper's inputs is a voice: it says what it says in plain onnxruntime."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import WholeModelEngine, open_onnx

IDS = [1, 9, 4, 30, 2, 8, 8, 17, 5, 2]
CHANNELS, HOP = 16, 32
RANDOM = np.random.default_rng(0)


def values(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32) / 4


def constants(**arrays: Any) -> list[Any]:
    return [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]


def network(
    nodes: list[NodeProto], weights: list[Any], outputs: dict[str, int], *, opset: int = 17, speakers: bool = False
) -> Any:
    """A model with Piper's inputs, and outputs of these types by name."""
    kinds = {"input": (TensorProto.INT64, [1, None]), "input_lengths": (TensorProto.INT64, [1])}
    kinds["scales"] = TensorProto.FLOAT, [3]
    if speakers:
        kinds["sid"] = TensorProto.INT64, [1]
    graph = helper.make_graph(
        nodes,
        "voice",
        [helper.make_tensor_value_info(name, *kind) for name, kind in kinds.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(operation: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    return helper.make_node(operation, inputs.split(), outputs.split(), **attributes)


def with_8_bits() -> Any:
    """Numbers quantised while it computes, and how long each id is as a second output: no VITS."""
    nodes = [
        node("Gather", "table input", "x"),
        node("DynamicQuantizeLinear", "x", "q scale zero"),
        node("MatMulInteger", "q weight zero", "sums"),
        node("Cast", "sums", "y", to=TensorProto.FLOAT),
        node("Mul", "y scale", "z"),
        node("Mul", "z loud", "wave"),
        node("Reshape", "wave flat", "output"),
        node("Mul", "input hop", "lengths"),
    ]
    weight = RANDOM.integers(-100, 100, (CHANNELS, HOP)).astype(np.int8)
    weights = constants(
        table=values(40, CHANNELS), weight=weight, loud=np.float32(0.01), flat=np.array([1, 1, -1]), hop=np.array([HOP])
    )
    return network(nodes, weights, {"output": TensorProto.FLOAT, "lengths": TensorProto.INT64})


def with_other_outputs_first() -> Any:
    """Samples are the second output, and the only one of floats; a recent opset."""
    nodes = [
        node("ReduceSum", "input", "count", keepdims=0),
        node("Gather", "table input", "x"),
        node("Gelu", "x", "y"),
        node("Mul", "y speed", "wave"),
        node("Slice", "scales one two", "speed"),
    ]
    nodes = [*nodes[:3], nodes[4], nodes[3]]
    weights = constants(table=values(40, HOP), one=np.array([1]), two=np.array([2]))
    return network(nodes, weights, {"count": TensorProto.INT64, "wave": TensorProto.FLOAT}, opset=20)


def with_a_loop_over_ids() -> Any:
    """A recurrent network."""
    body = helper.make_graph(
        [
            node("Gather", "input number", "id", axis=1),
            node("Gather", "table id", "x"),
            node("Add", "state x", "sum"),
            node("Tanh", "sum", "next"),
            node("Identity", "next", "sound"),
            node("Identity", "go", "goes"),
        ],
        "body",
        [
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [1, HOP]),
        ],
        [
            helper.make_tensor_value_info("goes", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, HOP]),
            helper.make_tensor_value_info("sound", TensorProto.FLOAT, [1, HOP]),
        ],
    )
    nodes = [
        node("Squeeze", "input_lengths", "count"),
        helper.make_node("Loop", ["count", "", "silence"], ["last", "output"], body=body),
    ]
    return network(nodes, constants(table=values(40, HOP), silence=values(1, HOP)), {"output": TensorProto.FLOAT})


def with_speakers_and_names_of_pipers() -> Any:
    """The weight that says where a Piper voice is split, in a network whose parts look everywhere."""
    nodes = [
        node("Gather", "table input", "x"),
        node("Gather", "who sid", "s"),
        node("Add", "x s", "y"),
        node("Transpose", "y", "frames", perm=[0, 2, 1]),
        node("Conv", "frames dec.conv_pre.weight", "z", kernel_shape=[3], pads=[1, 1]),
        node("Softmax", "z", "output"),
    ]
    weights = constants(
        **{"table": values(40, CHANNELS), "who": values(2, CHANNELS), "dec.conv_pre.weight": values(HOP, CHANNELS, 3)}
    )
    return network(nodes, weights, {"output": TensorProto.FLOAT}, speakers=True)


NETWORKS: list[Callable[[], Any]] = [
    with_8_bits,
    with_other_outputs_first,
    with_a_loop_over_ids,
    with_speakers_and_names_of_pipers,
]


def inputs_of(path: Path, options: SynthesisOptions) -> dict[str, Any]:
    inputs = {
        "input": np.array([IDS]),
        "input_lengths": np.array([len(IDS)]),
        "scales": np.array([options.noise, options.length, options.noise_w], np.float32),
        "sid": np.array([options.speaker]),
    }
    return {one.name: inputs[one.name] for one in onnxruntime.InferenceSession(str(path)).get_inputs()}


@pytest.mark.parametrize("outside", [False, True], ids=["one file", "weights in another"])
@pytest.mark.parametrize("make", NETWORKS, ids=lambda make: make.__name__)
def test_it_says_what_it_says_in_plain_onnxruntime(tmp_path: Path, make: Callable[[], Any], outside: bool) -> None:
    path = tmp_path / "voice.onnx"
    onnx.save(make(), path, save_as_external_data=outside, location="weights", size_threshold=100)
    options = SynthesisOptions(speaker=1 if "speakers" in make.__name__ else 0)
    session = onnxruntime.InferenceSession(str(path))
    (wanted,) = (one for one in session.run(None, inputs_of(path, options)) if one.dtype == np.float32)

    for _ in range(2):  # also as it was kept
        engine = open_onnx(path, options.speaker + 1)
        engine.prepare()
        (part,) = engine.begin(IDS, options).segments
        made = part()

        assert isinstance(engine, WholeModelEngine)
        assert made.shape == (wanted.size,) and wanted.any()
        assert np.abs(made - wanted.reshape(-1)).max() <= 1e-6


def test_one_that_the_package_onnx_cannot_read_is_opened_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of more than 2 GB."""
    path = tmp_path / "voice.onnx"
    onnx.save(with_other_outputs_first(), path)

    def refuse(*_: object) -> None:
        raise ValueError("too large")

    for module in ("model_split", "reading"):
        monkeypatch.setattr(f"voxmatrix.piper.onnx.{module}.read_model", refuse)
    (part,) = open_onnx(path, 1).begin(IDS, SynthesisOptions()).segments

    session = onnxruntime.InferenceSession(str(path))
    assert np.allclose(part(), session.run(["wave"], inputs_of(path, SynthesisOptions()))[0].reshape(-1), atol=1e-6)


@pytest.mark.parametrize("extra", ["duration", "speed"])
def test_inputs_beyond_pipers_are_refused(tmp_path: Path, extra: str) -> None:
    model = with_8_bits()
    model.graph.input.append(helper.make_tensor_value_info(extra, TensorProto.FLOAT, [1]))
    onnx.save(model, tmp_path / "voice.onnx")

    with pytest.raises(BadInputError, match=f"its inputs are {extra}|, {extra}"):
        open_onnx(tmp_path / "voice.onnx", 1)


def test_a_convolution_without_a_weight_is_a_damaged_file(tmp_path: Path) -> None:
    model = with_speakers_and_names_of_pipers()
    model.graph.node[5].CopyFrom(node("Conv", "z", "output", kernel_shape=[3], pads=[1, 1]))
    onnx.save(model, tmp_path / "voice.onnx")

    with pytest.raises(DamagedFileError, match=r"voice\.onnx"):
        open_onnx(tmp_path / "voice.onnx", 2)


def _deep(model: Any) -> bytes:
    """Graphs in the attributes of nodes of graphs, and so on, as protobuf writes them."""
    inner = b""
    for number in (6, 5, 1) * 3000 + (7,):  # a graph in an attribute in a node, and all in the model
        inner = bytes([number << 3 | 2, *_varint(len(inner))]) + inner
    return bytes(model.SerializeToString()) + inner


def _varint(value: int) -> Iterator[int]:
    while value > 127:
        yield value & 127 | 128
        value >>= 7
    yield value


def _huge(model: Any) -> bytes:
    for tensor in model.graph.initializer:
        tensor.dims[:] = [2**40, 2**40, 3]
    return bytes(model.SerializeToString())


def _negative(model: Any) -> bytes:
    for tensor in model.graph.initializer:
        tensor.dims[0] = -5
    return bytes(model.SerializeToString())


def _outside_of_the_folder(model: Any) -> bytes:
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="../../../etc/passwd")
    return bytes(model.SerializeToString())


@pytest.mark.parametrize("change", [_deep, _huge, _negative, _outside_of_the_folder])
def test_a_hostile_file_is_an_error_of_ours(tmp_path: Path, change: Callable[[Any], bytes]) -> None:
    path = tmp_path / "voice.onnx"
    path.write_bytes(change(with_speakers_and_names_of_pipers()))

    with pytest.raises((DamagedFileError, BadInputError), match=r"voice\.onnx"):
        open_onnx(path, 2)
