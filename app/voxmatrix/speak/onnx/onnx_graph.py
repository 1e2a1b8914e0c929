"""The graph of an ONNX file: its nodes in order, its initializers and inputs by name. Weights are not read."""

from collections.abc import Iterator
from mmap import mmap
from typing import NamedTuple

from voxmatrix.speak.onnx import onnx_proto as proto
from voxmatrix.speak.onnx.protobuf import Message

_OPS_WITH_SUBGRAPHS = frozenset({"If", "Loop", "Scan"})


class Node(NamedTuple):
    """A NodeProto. The names that its subgraphs use are among its inputs."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: Message

    def int_attributes(self) -> dict[str, list[int]]:
        """Attributes such as kernel_shape; those that are no numbers are empty lists."""
        attributes = self.message.values(proto.NODE_ATTRIBUTE)
        return {one.text(proto.ATTRIBUTE_NAME): one.ints(proto.ATTRIBUTE_INTS) for one in attributes}


class OnnxGraph:
    """The graph of the ModelProto in `data`.

    Raises:
        ValueError: `data` is no ONNX, or is cut short.
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
        """The inputs of the model. (Old files list their initializers among those of the graph.)"""
        return frozenset(self.inputs.keys() - self.initializers.keys())

    def needed(self, end: str, begin: str = "") -> tuple[list[Node], set[str]]:
        """The nodes that compute the tensor `end`, from `begin` where it is given, in order; and all names they use."""
        nodes, names = [], {end}
        for node in reversed(self.nodes):  # each comes after those whose outputs it takes
            if not names.isdisjoint(node.outputs):
                nodes.append(node)
                names.update(name for name in node.inputs if name != begin)
        return nodes[::-1], names

    def shape(self, name: str) -> list[int] | None:
        """The shape of an initializer or a constant; None for what is computed."""
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
    """What the branches of an If or the body of a Loop take from the graph around them, and names of their own."""
    for attribute in node.values(proto.NODE_ATTRIBUTE):
        for graph in (*attribute.values(proto.ATTRIBUTE_G), *attribute.values(proto.ATTRIBUTE_GRAPHS)):
            for inner in graph.values(proto.GRAPH_NODE):
                yield from _node(inner).inputs
            for output in graph.values(proto.GRAPH_OUTPUT):
                yield output.text(proto.VALUE_INFO_NAME)
