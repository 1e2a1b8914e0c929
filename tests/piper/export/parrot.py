"""A voice that tells which ids a program gives it, and how much these are those of another."""

from collections.abc import Sequence
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.metadata import metadata


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    """How many symbols are added, missing or others."""
    row = [*range(len(other) + 1)]
    for place, symbol in enumerate(one, 1):
        above, row[0] = row[0], place
        for column, against in enumerate(other, 1):
            above, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, above + (symbol != against))
    return row[-1]


def write_parrot(config: VoiceConfig, out: Path) -> None:
    """A voice whose samples are the ids that it is given, a 256th of each."""
    inputs = {"input": (TensorProto.INT64, [1, "n"]), "input_lengths": (TensorProto.INT64, [1]),
              "scales": (TensorProto.FLOAT, [3])}  # fmt: skip
    nodes = [
        helper.make_node("Cast", ["input"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "size"], ["output"]),
    ]
    graph = helper.make_graph(
        nodes,
        "parrot",
        [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, "n"])],
        [helper.make_tensor("size", TensorProto.FLOAT, [1], [1 / 256])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    helper.set_model_props(model, metadata(config))
    onnx.save(model, str(out))
