"""Read and change the graph of an ONNX voice, as an onnx.ModelProto."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The end of the name of the weight of the first decoder layer, in every export of Piper's networks.
FIRST_DECODER_WEIGHT = "dec.conv_pre.weight"
#: The end of the name of the weight that takes the speaker's embedding, in every export of Piper's networks.
SPEAKER_WEIGHT = "dec.cond.weight"

Array = NDArray[np.floating[Any]]


class NewNodes:
    """Nodes and constants to be added to a graph. Their names start with `prefix`."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}

    def add(self, operation: str, *inputs: str | Sequence[int] | Array, output: str = "", **attributes: Any) -> str:
        """Add a node with the domain's operation; its output. Inputs that are not names are constants."""
        from onnx import helper

        output = output or f"{self._prefix}{operation}_{len(self.nodes)}"
        names = [one if isinstance(one, str) else self._unnamed(one) for one in inputs]
        self.nodes.append(helper.make_node(operation, names, [output], output, **attributes))
        return output

    def split(self, x: str, sizes: Sequence[int], axis: int) -> list[str]:
        """Add a node that splits a tensor into parts of these sizes."""
        first = self.add("Split", x, sizes, axis=axis)
        self.nodes[-1].output[:] = outputs = [f"{first}_{part}" for part in range(len(sizes))]
        return outputs

    def constant(self, name: str, value: Array, dtype: type[np.generic] = np.float32) -> str:
        """Add a constant; its name, with the prefix."""
        from onnx import numpy_helper

        name = f"{self._prefix}{name}"
        # This adds no axis to a scalar, other than ascontiguousarray.
        self.initializers[name] = numpy_helper.from_array(np.asarray(value, dtype, order="C"), name)
        return name

    def _unnamed(self, value: Sequence[int] | Array) -> str:
        from onnx import numpy_helper

        if isinstance(value, np.ndarray):
            return self.constant(f"weight_{len(self.initializers)}", value)
        name = f"{self._prefix}{'_'.join(map(str, value))}"
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(np.array(value, np.int64), name)
        return name


def needed(nodes: Sequence[Any], ends: Iterable[str], begins: Iterable[str] = ()) -> list[Any]:
    """Those of these nodes, in topological order, that compute the tensors `ends` from the tensors `begins`.

    If two nodes make the same tensor, the later one replaces the other.
    """
    known, names, kept = set(begins), set(ends), []
    for node in reversed(nodes):
        if not names.isdisjoint(node.output):
            kept.append(node)
            names |= inputs_of(node) - known
            names -= set(node.output)
    return kept[::-1]


def set_nodes(model: Any, nodes: Sequence[Any], new: Iterable[Any] = ()) -> None:
    """Let the graph be these nodes, in topological order, its constants and new ones, as far as its output needs them.

    New constants replace those of the same name.
    """
    ends = {output.name for output in model.graph.output}
    kept = needed(nodes, ends)
    names = ends.union(*map(inputs_of, kept))
    new = [tensor for tensor in new if tensor.name in names]
    names.difference_update(tensor.name for tensor in new)
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend(kept)
    constants = model.graph.initializer
    for place in reversed(range(len(constants))):  # none that remains is copied
        if constants[place].name not in names:
            del constants[place]
    constants.extend(new)


def leave_outside(tensor: Any, location: str, offset: int, length: int) -> None:
    """Let this onnx.TensorProto have its values in a file, with offset and length in bytes."""
    from onnx import TensorProto

    tensor.ClearField("raw_data")
    tensor.ClearField("external_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": str(offset), "length": str(length)}.items():
        tensor.external_data.add(key=key, value=value)


def weights_of(tensor: Any, path: Path | None = None) -> Array:
    """The values of a constant. `path` is the file that has those that are not in the model.

    Raises:
        ValueError: they are in another file.
    """
    from onnx import TensorProto, helper, numpy_helper

    if tensor.data_location != TensorProto.EXTERNAL:
        return np.asarray(numpy_helper.to_array(tensor))
    places = {entry.key: entry.value for entry in tensor.external_data}
    if path is None or places["location"] != path.name:
        raise ValueError("its weights are in another file")
    shape, dtype = list(tensor.dims), helper.tensor_dtype_to_np_dtype(tensor.data_type)
    if int(places["length"]) != prod(shape) * dtype.itemsize:
        raise ValueError("its shape is not that of its values")
    return np.fromfile(path, dtype, prod(shape), offset=int(places["offset"])).reshape(shape)


def self_contained(model: Any, path: Path, shapes: Mapping[str, Sequence[int | None]]) -> bytes | None:
    """This onnx.ModelProto with the weights that it has in the file `path`, and these shapes of its inputs; None is any
    length. The model is changed, so that its weights are in memory once.

    None: some of its weights are in another file, or not float32.
    """
    from onnx import helper, numpy_helper

    for one in model.graph.input:
        one.CopyFrom(helper.make_tensor_value_info(one.name, one.type.tensor_type.elem_type, shapes[one.name]))
    try:
        for tensor in model.graph.initializer:
            if tensor.external_data:
                tensor.CopyFrom(numpy_helper.from_array(weights_of(tensor, path), tensor.name))
    except ValueError:
        return None
    return bytes(model.SerializeToString())


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
