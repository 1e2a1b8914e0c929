"""Write the fast voice: the original up to its decoder, followed by the fast network.

Inputs, output and names are Piper's. The convolutions of the fast network are two-dimensional with a height of one, for
which onnxruntime has faster code; those of the part that reads text would gain nothing (measured).
"""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from voxmatrix.distil.graph import VoiceGraph
from voxmatrix.distil.student import Student
from voxmatrix.speak.export.onnx_writer import trace_onnx

_CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})
#: Attributes of a convolution, and their value for the height.
_HEIGHT = {"kernel_shape": 1, "strides": 1, "dilations": 1, "output_padding": 0}
_PREFIX = "fast/"
_HEIGHT_AXIS = f"{_PREFIX}height_axis"
_EXAMPLE_FRAMES = 24


def graft(graph: VoiceGraph, student: Student, metadata: Mapping[str, str]) -> bytes:
    """The ONNX file of the fast voice."""
    import onnx

    fast = _traced(graph, student)
    wanted = [name for name in (graph.latent, graph.speaker) if name]
    nodes, weights = _needed(graph.model, wanted)
    _to_planes(fast.graph.node, fast.graph.initializer)
    nodes += [
        *(onnx.helper.make_node("Unsqueeze", [one, _HEIGHT_AXIS], [_plane(one)]) for one in wanted),
        *fast.graph.node,
    ]
    axis = onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), _HEIGHT_AXIS)
    made = onnx.ModelProto()
    made.CopyFrom(graph.model)
    del made.graph.node[:], made.graph.initializer[:], made.graph.value_info[:], made.metadata_props[:]
    made.graph.node.extend(nodes)
    made.graph.initializer.extend([*weights, *fast.graph.initializer, axis])
    onnx.helper.set_model_props(made, dict(metadata))
    return bytes(made.SerializeToString())


def _traced(graph: VoiceGraph, student: Student) -> Any:
    """The graph of the fast network, with names that do not occur in the original and the original's inputs."""
    import onnx
    from onnx import compose

    channels = student.dec.conv_pre.in_channels
    arguments, names = [torch.zeros(1, channels, _EXAMPLE_FRAMES)], ["latent"]
    axes: dict[str, Mapping[int, str]] = {"latent": {0: "batch", 2: "frames"}}
    if graph.speaker:
        arguments.append(torch.zeros(1, student.dec.cond.in_channels, 1))
        names.append("speaker")
        axes["speaker"] = {0: "batch"}
    with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
        path = Path(folder) / "fast.onnx"
        trace_onnx(student, tuple(arguments), path, inputs=names, axes=axes, opset=graph.opset)
        traced = onnx.load(str(path))
    prefixed = compose.add_prefix(traced, _PREFIX, rename_initializers=False)
    given = {_PREFIX + name: _plane(tensor) for name, tensor in zip(names, (graph.latent, graph.speaker), strict=False)}
    _rename(prefixed.graph.node, given | {f"{_PREFIX}output": graph.model.graph.output[0].name})
    return prefixed


def _needed(model: Any, wanted: Iterable[str]) -> tuple[list[Any], list[Any]]:
    """The nodes and weights that compute these tensors."""
    names, nodes = set(wanted), []
    for node in reversed(model.graph.node):  # in topological order
        if not names.isdisjoint(node.output):
            nodes.append(node)
            names |= _all_inputs(node)
    return nodes[::-1], [tensor for tensor in model.graph.initializer if tensor.name in names]


def _to_planes(nodes: Iterable[Any], initializers: Iterable[Any]) -> None:
    """Let the fast network, whose inputs already have a height, compute in planes. All its axes are 0 or 1."""
    weights = {tensor.name: tensor for tensor in initializers}
    for node in nodes:
        if node.op_type in _CONVOLUTIONS:
            _add_height(node)
            weights[node.input[1]].dims.insert(2, 1)


def _add_height(node: Any) -> None:
    for attribute in node.attribute:
        if attribute.name == "pads":
            before, after = attribute.ints
            attribute.ints[:] = [0, before, 0, after]
        elif attribute.name in _HEIGHT:
            attribute.ints.insert(0, _HEIGHT[attribute.name])


def _all_inputs(node: Any) -> set[str]:
    """The inputs of a node, with the names used in its subgraphs."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= _all_inputs(inner)
            names.update(output.name for output in graph.output)
    return names


def _rename(nodes: Iterable[Any], names: Mapping[str, str]) -> None:
    for node in nodes:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]


def _plane(name: str) -> str:
    return f"{_PREFIX}plane/{name}"
