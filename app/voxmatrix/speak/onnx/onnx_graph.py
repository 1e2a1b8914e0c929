"""An ONNX file taken apart: its operations, weights, inputs and outputs by name. Weights are not read."""

from collections.abc import Iterator
from typing import NamedTuple

from voxmatrix.speak.onnx.protobuf import Field, fields, numbers
from voxmatrix.speak.onnx.receptive_field import Layer

#: Numbers of onnx.proto.
_MODEL_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATION, NODE_ATTRIBUTE = 1, 2, 4, 5
_ATTRIBUTE_NAME, _ATTRIBUTE_TENSOR, ATTRIBUTE_INTS = 1, 5, 8
_ATTRIBUTE_GRAPHS = (6, 11)
_WITH_GRAPHS = (b"If", b"Loop", b"Scan")
TENSOR_DIMS, _TENSOR_NAME = 1, 8


class Node(NamedTuple):
    """One operation and where it lies in the file."""

    field: Field
    operation: bytes
    inputs: list[bytes]
    outputs: list[bytes]
    attributes: list[Field]


class OnnxGraph:
    """The parts of a file, by name.

    Raises:
        ValueError: `data` is no ONNX, or is cut short.
    """

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.head = b""  # everything beside the graph: versions, who made it, metadata
        self.nodes: list[Node] = []
        self.weights: dict[bytes, Field] = {}
        self.inputs: dict[bytes, Field] = {}
        self.outputs: dict[bytes, Field] = {}
        self._maker: dict[bytes, int] = {}
        for field in fields(data, 0, len(data)):
            if field.number == _MODEL_GRAPH:
                self._read(field)
            else:
                self.head += self.message(field)

    @property
    def output(self) -> bytes:
        """What comes out of the whole."""
        return next(iter(self.outputs), b"")

    @property
    def given(self) -> frozenset[str]:
        """What the whole takes. (Old files list their weights among the inputs.)"""
        return frozenset(name.decode() for name in self.inputs if name not in self.weights)

    def needed(self, ends: bytes, begins: bytes) -> tuple[list[Node], set[bytes]]:
        """The operations that `ends` hangs on, up to `begins`, in their order, and every name that they use."""
        found: set[int] = set()
        names: set[bytes] = set()
        wanted = [ends]
        while wanted:
            name = wanted.pop()
            if name in names or name == begins:
                continue
            names.add(name)
            number = self._maker.get(name)
            if number is not None and number not in found:
                found.add(number)
                wanted += self.nodes[number].inputs
        return [self.nodes[number] for number in sorted(found)], names

    def layers(self, begins: bytes) -> Iterator[Layer]:
        """The operations behind `begins`, in order."""
        for node in self.needed(self.output, begins)[0]:
            yield Layer(
                operation=node.operation.decode(),
                inputs=[name.decode() for name in node.inputs],
                outputs=[name.decode() for name in node.outputs],
                numbers=dict(map(self.whole_numbers, node.attributes)) if node.operation.startswith(b"Conv") else {},
            )

    def whole_numbers(self, attribute: Field) -> tuple[str, list[int]]:
        """Name and whole numbers of an attribute such as kernel_shape."""
        found: list[int] = []
        for field in fields(self.data, attribute.start, attribute.end):
            if field.number == ATTRIBUTE_INTS:
                found += numbers(self.data, field)
        return self._text(attribute, _ATTRIBUTE_NAME).decode(), found

    def shape(self, name: bytes) -> list[int] | None:
        """The lengths of the axes of a weight or a constant; None for what is computed."""
        tensor = self.weights.get(name)
        if tensor is None and name in self._maker:
            tensor = self._constant(self.nodes[self._maker[name]])
        return None if tensor is None else self.dims(tensor)

    def dims(self, tensor: Field) -> list[int]:
        """The lengths of a tensor's axes."""
        found: list[int] = []
        for field in fields(self.data, tensor.start, tensor.end):
            if field.number == TENSOR_DIMS:
                found += numbers(self.data, field)
        return found

    def value(self, field: Field) -> bytes:
        """What a field holds."""
        return bytes(self.data[field.start : field.end])

    def message(self, field: Field) -> bytes:
        """A field as it stands in the file, its number and length before it."""
        return bytes(self.data[field.begin : field.end])

    def _read(self, graph: Field) -> None:
        for field in fields(self.data, graph.start, graph.end):
            if field.number == _NODE:
                node = self._node(field)
                for name in node.outputs:
                    self._maker[name] = len(self.nodes)
                self.nodes.append(node)
            elif field.number == _INITIALIZER:
                self.weights[self._text(field, _TENSOR_NAME)] = field
            elif field.number == _INPUT:
                self.inputs[self._text(field, 1)] = field
            elif field.number == _OUTPUT:
                self.outputs[self._text(field, 1)] = field

    def _node(self, node: Field) -> Node:
        operation = b""
        inputs, outputs, attributes = [], [], []
        for field in fields(self.data, node.start, node.end):
            if field.number == _NODE_INPUT:
                inputs.append(self.value(field))
            elif field.number == _NODE_OUTPUT:
                outputs.append(self.value(field))
            elif field.number == _NODE_OPERATION:
                operation = self.value(field)
            elif field.number == NODE_ATTRIBUTE:
                attributes.append(field)
        if operation in _WITH_GRAPHS:
            inputs += [name for attribute in attributes for name in self._names_inside(attribute)]
        return Node(node, operation, inputs, outputs, attributes)

    def _names_inside(self, attribute: Field) -> Iterator[bytes]:
        """What the branches of an If or the body of a Loop take from around them (and some names of their own)."""
        for field in fields(self.data, attribute.start, attribute.end):
            if field.number in _ATTRIBUTE_GRAPHS and field.wire == 2:
                for part in fields(self.data, field.start, field.end):
                    if part.number == _NODE:
                        yield from self._node(part).inputs
                    elif part.number == _OUTPUT:
                        yield self._text(part, 1)

    def _constant(self, node: Node) -> Field | None:
        for attribute in node.attributes if node.operation == b"Constant" else ():
            for field in fields(self.data, attribute.start, attribute.end):
                if field.number == _ATTRIBUTE_TENSOR:
                    return field
        return None

    def _text(self, message: Field, number: int) -> bytes:
        found = (field for field in fields(self.data, message.start, message.end) if field.number == number)
        return next((self.value(field) for field in found), b"")
