"""The field numbers are those of the package onnx."""

import onnx
import pytest

from voxmatrix.piper.onnx import onnx_proto

MESSAGES = {
    "MODEL": onnx.ModelProto,
    "GRAPH": onnx.GraphProto,
    "NODE": onnx.NodeProto,
    "ATTRIBUTE": onnx.AttributeProto,
    "TENSOR": onnx.TensorProto,
    "ENTRY": onnx.StringStringEntryProto,
    "VALUE_INFO": onnx.ValueInfoProto,
    "TYPE": onnx.TypeProto,
    "TENSOR_TYPE": onnx.TypeProto.Tensor,
}
FIELDS = [
    (name, prefix, name.removeprefix(f"{prefix}_").lower())
    for name in vars(onnx_proto)
    if (prefix := max((one for one in MESSAGES if name.startswith(f"{one}_")), key=len, default=""))
]


@pytest.mark.parametrize(("name", "prefix", "field"), FIELDS, ids=lambda value: value)
def test_a_field_has_its_number_in_onnx(name: str, prefix: str, field: str) -> None:
    assert getattr(onnx_proto, name) == MESSAGES[prefix].DESCRIPTOR.fields_by_name[field].number


def test_values_are_those_of_onnx() -> None:
    values = onnx_proto.FLOAT, onnx_proto.INT64, onnx_proto.EXTERNAL
    assert values == (onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.EXTERNAL)
    assert len(FIELDS) > 20
