"""Give a network its noise as an input, so that a seed costs nothing.

onnxruntime uses a seed only when it opens a session, which takes as long as a short sentence, and has one seed for the
whole process. Each RandomNormalLike becomes nodes that read the input `NOISE`, each from a place of its own on, and
from the beginning again after its end.
"""

from collections.abc import Sequence

from voxmatrix.piper.onnx import onnx_proto as proto
from voxmatrix.piper.onnx.onnx_graph import Node
from voxmatrix.piper.onnx.protobuf import bytes_field, varint_field

#: Standard normal numbers: (length,), of any length above zero.
NOISE = "voxmatrix.noise"
_RANDOM = "RandomNormalLike"
#: Attributes that ask for something else than standard normal numbers. None of Piper's exports has them.
_OTHER = ("mean", "scale")
#: Between the places of two nodes.
_APART = 10_007
_ONE = f"{NOISE}.one"


def takes_noise(node: Node) -> bool:
    """Whether the node draws standard normal numbers."""
    return node.op_type == _RANDOM and not any(
        attribute.text(proto.ATTRIBUTE_NAME) in _OTHER for attribute in node.message.values(proto.NODE_ATTRIBUTE)
    )


def noise_nodes(node: Node, number: int) -> list[bytes]:
    """NodeProtos with the output of this node. `number`: how many such nodes come before it."""
    (shaped_like, *_), (output, *_) = node.inputs, node.outputs
    shape, count, length, start, end, times, more, repeated, flat = (
        f"{output}.{name}" for name in ("shape", "count", "length", "start", "end", "times", "more", "repeated", "flat")
    )
    return [
        _node("Shape", [shaped_like], shape),
        _node("ReduceProd", [shape], count),
        _node("Shape", [NOISE], length),
        _node("Mod", [_place(number), length], start),
        _node("Add", [start, count], end),
        _node("Div", [end, length], times),
        _node("Add", [times, _ONE], more),
        _node("Tile", [NOISE, more], repeated),
        _node("Slice", [repeated, start, end], flat),
        _node("Reshape", [flat, shape], output),
    ]


def noise_constants(nodes: int) -> list[bytes]:
    """TensorProtos that this number of replaced nodes needs."""
    if not nodes:
        return []
    values = {_ONE: 1} | {_place(number): number * _APART for number in range(nodes)}
    return [_integer(name, value) for name, value in values.items()]


def _place(number: int) -> str:
    return f"{NOISE}.place{number}"


def _node(op_type: str, inputs: Sequence[str], output: str) -> bytes:
    fields = [bytes_field(proto.NODE_INPUT, name.encode()) for name in inputs]
    fields += [bytes_field(proto.NODE_OUTPUT, output.encode()), bytes_field(proto.NODE_OP_TYPE, op_type.encode())]
    return b"".join(fields)


def _integer(name: str, value: int) -> bytes:
    """One integer of 64 bits: (1,)."""
    return (
        varint_field(proto.TENSOR_DIMS, 1)
        + varint_field(proto.TENSOR_DATA_TYPE, proto.INT64)
        + bytes_field(proto.TENSOR_NAME, name.encode())
        + bytes_field(proto.TENSOR_RAW_DATA, value.to_bytes(8, "little"))
    )
