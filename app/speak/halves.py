"""A voice's ONNX in two halves: text to frames made eight times finer, and those to samples.

The second half is most of the work and looks less than two frames to either side. Alone it can be computed piece by
piece: on all threads at once, also for one sentence, and in little memory. Weights are not copied: both halves point
into the file, which onnxruntime maps.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from app.speak.protobuf import Field, bytes_field, fields, number_field, numbers
from app.speak.reach import Layer, Reach, reach

#: Numbers of onnx.proto.
_MODEL_GRAPH = 7
_NODE, _NAME, _INITIALIZER, _INPUT, _OUTPUT = 1, 2, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATION, _NODE_ATTRIBUTE = 1, 2, 4, 5
_ATTRIBUTE_NAME, _ATTRIBUTE_INTS = 1, 8
_ATTRIBUTE_GRAPHS = (6, 11)
_WITH_GRAPHS = (b"If", b"Loop", b"Scan")
_TENSOR_NAME, _TENSOR_RAW, _TENSOR_EXTERNAL, _TENSOR_LOCATION = 8, 9, 13, 14
_EXTERNAL = 1
_FLOAT = 1

#: The first layer of what makes samples, by the end of its weight's name in every export of Piper's networks.
_FRAMES_COME_IN = b"dec.conv_pre.weight"
#: The halves meet before the second of its upsamplings. Before that, layers look up to 12 frames to either side and so
#: would be computed often; behind it they see little, and are the costly ones.
_UPSAMPLING, _UPSAMPLINGS_BEFORE = b"ConvTranspose", 1
#: Piper's inputs that have a place in time: what takes them cannot be computed in pieces.
_TIMED_INPUTS = frozenset({"input", "input_lengths", "scales"})
#: Weights smaller than this are copied.
_LEAST_MAPPED_BYTES = 4096


@dataclass(frozen=True)
class Half:
    """A model that onnxruntime loads beside the file that it was taken from."""

    model: bytes
    inputs: frozenset[str]
    output: str


@dataclass(frozen=True)
class Halves:
    """What goes from text to the cut, what goes on to samples, and how far the latter looks."""

    first: Half
    second: Half
    between: str  # where they meet: (1, channels, places)
    inputs: frozenset[str]  # of the whole
    reach: Reach


class _Node(NamedTuple):
    field: Field
    operation: bytes
    inputs: list[bytes]
    outputs: list[bytes]
    attributes: list[Field]


def halves(path: Path) -> Halves | None:
    """Both halves of a voice, or None when it has no place to cut at or has layers that look everywhere.

    Raises:
        ValueError: this is no ONNX, or it is cut short.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        data = memoryview(mapped)
        try:
            graph = _Graph(data, path.name)
            cut = graph.cut()
            seen = reach(graph.layers(cut), graph.output.decode(), cut.decode()) if cut else None
            if cut is None or seen is None:
                return None
            first, second = graph.half(ends=cut, begins=b""), graph.half(ends=graph.output, begins=cut)
            if second.inputs & _TIMED_INPUTS:  # something goes around the cut
                return None
            return Halves(first, second, cut.decode(), graph.inputs, seen)
        finally:
            data.release()


class _Graph:
    """The parts of a file, by name."""

    def __init__(self, data: memoryview, location: str) -> None:
        self._data = data
        self._location = location
        self._head = b""
        self._nodes: list[_Node] = []
        self._maker: dict[bytes, int] = {}
        self._weights: dict[bytes, Field] = {}
        self._inputs: dict[bytes, Field] = {}
        self._outputs: dict[bytes, Field] = {}
        for field in fields(data, 0, len(data)):
            if field.number == _MODEL_GRAPH:
                self._read(field)
            else:
                self._head += self._bytes(field)

    @property
    def output(self) -> bytes:
        """What comes out of the whole."""
        return next(iter(self._outputs), b"")

    @property
    def inputs(self) -> frozenset[str]:
        """What the whole takes. (Old files list their weights among the inputs.)"""
        return frozenset(name.decode() for name in self._inputs if name not in self._weights)

    def cut(self) -> bytes | None:
        """The tensor between the halves."""
        frames = (node for node in self._nodes if any(name.endswith(_FRAMES_COME_IN) for name in node.inputs))
        come_in = next(frames, None)
        if come_in is None:
            return None
        numbers, _ = self._needed(self.output, come_in.inputs[0])
        finer = [node.inputs[0] for node in map(self._nodes.__getitem__, numbers) if node.operation == _UPSAMPLING]
        return (finer[_UPSAMPLINGS_BEFORE:] or [come_in.inputs[0]])[0]

    def half(self, *, ends: bytes, begins: bytes) -> Half:
        """The part of the graph that makes `ends`, from `begins` where there is one."""
        nodes, names = self._needed(ends, begins)
        inputs = [name for name in self._inputs if name in names]
        graph = bytes_field(_NAME, b"half")
        graph += b"".join(self._bytes(self._nodes[number].field) for number in nodes)
        graph += b"".join(bytes_field(_INITIALIZER, self._weight(name)) for name in self._weights if name in names)
        graph += b"".join(self._bytes(self._inputs[name]) for name in inputs)
        graph += bytes_field(_INPUT, _tensor_of_floats(begins)) if begins else b""
        graph += self._bytes(self._outputs[ends]) if ends in self._outputs else b""
        graph += b"" if ends in self._outputs else bytes_field(_OUTPUT, _tensor_of_floats(ends))
        return Half(
            model=self._head + bytes_field(_MODEL_GRAPH, graph),
            inputs=frozenset(name.decode() for name in [*inputs, *([begins] if begins else [])]),
            output=ends.decode(),
        )

    def layers(self, begins: bytes) -> Iterator[Layer]:
        """The operations behind `begins`, in order."""
        numbers, _ = self._needed(self.output, begins)
        for number in numbers:
            node = self._nodes[number]
            yield Layer(
                operation=node.operation.decode(),
                inputs=[name.decode() for name in node.inputs],
                outputs=[name.decode() for name in node.outputs],
                numbers=dict(map(self._numbers, node.attributes)) if node.operation.startswith(b"Conv") else {},
            )

    def _needed(self, ends: bytes, begins: bytes) -> tuple[list[int], set[bytes]]:
        """Numbers of the nodes that `ends` hangs on, in their order, and every name that they use."""
        nodes: set[int] = set()
        names: set[bytes] = set()
        wanted = [ends]
        while wanted:
            name = wanted.pop()
            if name in names or name == begins:
                continue
            names.add(name)
            number = self._maker.get(name)
            if number is not None and number not in nodes:
                nodes.add(number)
                wanted += self._nodes[number].inputs
        return sorted(nodes), names

    def _read(self, graph: Field) -> None:
        for field in fields(self._data, graph.start, graph.end):
            if field.number == _NODE:
                node = self._node(field)
                for name in node.outputs:
                    self._maker[name] = len(self._nodes)
                self._nodes.append(node)
            elif field.number == _INITIALIZER:
                self._weights[self._text(field, _TENSOR_NAME)] = field
            elif field.number == _INPUT:
                self._inputs[self._text(field, 1)] = field
            elif field.number == _OUTPUT:
                self._outputs[self._text(field, 1)] = field

    def _node(self, node: Field) -> _Node:
        operation = b""
        inputs, outputs, attributes = [], [], []
        for field in fields(self._data, node.start, node.end):
            if field.number == _NODE_INPUT:
                inputs.append(self._value(field))
            elif field.number == _NODE_OUTPUT:
                outputs.append(self._value(field))
            elif field.number == _NODE_OPERATION:
                operation = self._value(field)
            elif field.number == _NODE_ATTRIBUTE:
                attributes.append(field)
        if operation in _WITH_GRAPHS:
            inputs += [name for attribute in attributes for name in self._names_inside(attribute)]
        return _Node(node, operation, inputs, outputs, attributes)

    def _names_inside(self, attribute: Field) -> Iterator[bytes]:
        """What the branches of an If or the body of a Loop take from around them (and some names of their own)."""
        for field in fields(self._data, attribute.start, attribute.end):
            if field.number in _ATTRIBUTE_GRAPHS and field.wire == 2:
                for part in fields(self._data, field.start, field.end):
                    if part.number == _NODE:
                        yield from self._node(part).inputs
                    elif part.number == _OUTPUT:
                        yield self._text(part, 1)

    def _weight(self, name: bytes) -> bytes:
        """A weight that says where in the file its numbers lie; a small one as it is."""
        tensor = self._weights[name]
        head, raw = b"", None
        for field in fields(self._data, tensor.start, tensor.end):
            if field.number == _TENSOR_RAW and field.end - field.start >= _LEAST_MAPPED_BYTES:
                raw = field
            else:
                head += self._bytes(field)
        if raw is None:
            return head
        place = {"location": self._location, "offset": str(raw.start), "length": str(raw.end - raw.start)}
        entries = (bytes_field(1, key.encode()) + bytes_field(2, value.encode()) for key, value in place.items())
        head += b"".join(bytes_field(_TENSOR_EXTERNAL, entry) for entry in entries)
        return head + number_field(_TENSOR_LOCATION, _EXTERNAL)

    def _numbers(self, attribute: Field) -> tuple[str, list[int]]:
        """Name and whole numbers of an attribute such as kernel_shape."""
        found: list[int] = []
        for field in fields(self._data, attribute.start, attribute.end):
            if field.number == _ATTRIBUTE_INTS:
                found += numbers(self._data, field)
        return self._text(attribute, _ATTRIBUTE_NAME).decode(), found

    def _text(self, message: Field, number: int) -> bytes:
        found = (field for field in fields(self._data, message.start, message.end) if field.number == number)
        return next((self._value(field) for field in found), b"")

    def _value(self, field: Field) -> bytes:
        return bytes(self._data[field.start : field.end])

    def _bytes(self, field: Field) -> bytes:
        return bytes(self._data[field.begin : field.end])


def _tensor_of_floats(name: bytes) -> bytes:
    """The declaration of an input or output of float32 numbers in any shape."""
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, number_field(1, _FLOAT)))
