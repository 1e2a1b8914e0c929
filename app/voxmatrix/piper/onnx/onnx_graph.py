"""Read the graph of an ONNX file without its weights: nodes in order, initializers and inputs by name."""

from collections.abc import Iterator
from mmap import mmap
from typing import NamedTuple

from voxmatrix.piper.onnx import onnx_proto as proto
from voxmatrix.piper.onnx.protobuf import Message

_OPS_WITH_SUBGRAPHS = frozenset({"If", "Loop", "Scan"})


class Node(NamedTuple):
    """A NodeProto. Its inputs include the names used in its subgraphs."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: Message

    def int_attributes(self) -> dict[str, list[int]]:
        """Integer attributes such as kernel_shape; other attributes are empty lists."""
        attributes = self.message.values(proto.NODE_ATTRIBUTE)
        return {one.text(proto.ATTRIBUTE_NAME): one.ints(proto.ATTRIBUTE_INTS) for one in attributes}


class OnnxGraph:
    """The graph of the ModelProto in `data`.

    Raises:
        ValueError: `data` is truncated or not an ONNX file.
    """

    def __init__(self, data: mmap | bytes) -> None:
        model = Message(data, 0, len(data))
        self.head = model.without(proto.MODEL_GRAPH)  # versions, producer, metadata
        self.nodes: list[Node] = []
        self.initializers: dict[str, Message] = {}
        self.inputs: dict[str, Message] = {}
        self.output = ""
        self._constants: dict[str, Node] = {}
        for graph in model.values(proto.MODEL_GRAPH):
            self._read(graph)

    def input_names(self) -> frozenset[str]:
        """The inputs of the model. Old files also list initializers as inputs of the graph."""
        return frozenset(self.inputs.keys() - self.initializers.keys())

    def needed(self, end: str, begin: str = "") -> tuple[list[Node], set[str]]:
        """The nodes that compute the tensor `end`, starting from `begin` if given, in order; and all names they use."""
        nodes, names = [], {end}
        for node in reversed(self.nodes):  # nodes are in topological order
            if not names.isdisjoint(node.outputs):
                nodes.append(node)
                names.update(name for name in node.inputs if name != begin)
        return nodes[::-1], names

    def shape(self, name: str) -> list[int] | None:
        """The shape of an initializer or a constant; None for computed tensors."""
        tensor = self.initializers.get(name)
        if tensor is None and name in self._constants:
            attributes = self._constants[name].message.values(proto.NODE_ATTRIBUTE)
            tensor = next((value for one in attributes for value in one.values(proto.ATTRIBUTE_T)), None)
        return None if tensor is None else tensor.ints(proto.TENSOR_DIMS)

    def _read(self, graph: Message) -> None:
        for number, _, start, end in graph.fields():
            message = Message(graph.data, start, end)
            if number == proto.GRAPH_NODE:
                node = _node(message)
                self.nodes.append(node)
                if node.op_type == "Constant":
                    self._constants |= dict.fromkeys(node.outputs, node)
            elif number == proto.GRAPH_INITIALIZER:
                self.initializers[message.text(proto.TENSOR_NAME)] = message
            elif number == proto.GRAPH_INPUT:
                self.inputs[message.text(proto.VALUE_INFO_NAME)] = message
            elif number == proto.GRAPH_OUTPUT and not self.output:
                self.output = message.text(proto.VALUE_INFO_NAME)


def _node(message: Message) -> Node:
    data, op_type = message.data, ""
    inputs: list[str] = []
    outputs: list[str] = []
    for number, _, start, end in message.fields():
        if number == proto.NODE_INPUT:
            inputs.append(data[start:end].decode())
        elif number == proto.NODE_OUTPUT:
            outputs.append(data[start:end].decode())
        elif number == proto.NODE_OP_TYPE:
            op_type = data[start:end].decode()
    if op_type in _OPS_WITH_SUBGRAPHS:
        inputs += _names_in_subgraphs(message)
    return Node(op_type, tuple(inputs), tuple(outputs), message)


def _names_in_subgraphs(node: Message) -> Iterator[str]:
    """All names in the branches of an If or the body of a Loop, including those of the outer graph."""
    for attribute in node.values(proto.NODE_ATTRIBUTE):
        for graph in (*attribute.values(proto.ATTRIBUTE_G), *attribute.values(proto.ATTRIBUTE_GRAPHS)):
            for inner in graph.values(proto.GRAPH_NODE):
                yield from _node(inner).inputs
            for output in graph.values(proto.GRAPH_OUTPUT):
                yield output.text(proto.VALUE_INFO_NAME)
