"""Change the graph of an ONNX voice that was read whole, as an onnx.ModelProto.

Speaking a short text reads only the graph, without the package onnx: `speak/onnx/onnx_graph.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from voxmatrix.speak.onnx.model_split import FIRST_DECODER_WEIGHT

#: The end of the name of the weight that takes the speaker's embedding, in every export of Piper's networks.
SPEAKER_WEIGHT = "dec.cond.weight"


def set_nodes(model: Any, nodes: Sequence[Any], initializers: Sequence[Any]) -> None:
    """Let the graph be these nodes, in topological order, and constants, as far as its output needs them."""
    names, kept = {output.name for output in model.graph.output}, []
    for node in reversed(nodes):
        if not names.isdisjoint(node.output):
            kept.append(node)
            names |= inputs_of(node)
            names -= set(node.output)
    del model.graph.node[:], model.graph.initializer[:], model.graph.value_info[:]
    model.graph.node.extend(kept[::-1])
    model.graph.initializer.extend(tensor for tensor in initializers if tensor.name in names)


def decoder_input(model: Any, ending: str = FIRST_DECODER_WEIGHT) -> str:
    """The input of the node that has a weight whose name ends like this; "" if there is none."""
    nodes = (node for node in model.graph.node if any(name.endswith(ending) for name in node.input[1:]))
    return next((str(node.input[0]) for node in nodes), "")


def inputs_of(node: Any) -> set[str]:
    """The inputs of a node, with the names used in its subgraphs."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= inputs_of(inner)
            names.update(output.name for output in graph.output)
    return names


def rename(nodes: Iterable[Any], names: Mapping[str, str]) -> None:
    """Give tensors other names."""
    for node in nodes:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
