"""Let the text part of an ONNX voice compute the same in a quarter of its nodes.

Each of torch's 2,300 nodes takes some microseconds, and a sentence has few symbols: they take most of the time.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voxmatrix.piper.onnx.graph_edits import Array, set_nodes, weights_of
from voxmatrix.piper.onnx.text.durations import DurationNodes
from voxmatrix.piper.onnx.text.encoder import EncoderNodes
from voxmatrix.piper.onnx.text.rows import RowNodes

#: LayerNormalization exists since this version of the operations: onnxruntime 1.12, of July 2022.
_OPSET = 17
#: Operations of this version and later mean the same in the other.
_MIN_OPSET = 13
_PREFIX = "text/"
_LENGTHS = "input_lengths"
_TEXT, _DURATIONS = "enc_p", "dp"
_SPEAKER, _LAST_WEIGHT = f"{_DURATIONS}.cond", f"{_DURATIONS}.flows.0.m"
#: The name of a weight, after what the network is a part of, and of a node that has a weight without a name of its own.
_WEIGHT = re.compile(rf"^(?:.+\.)?((?:{_TEXT}|{_DURATIONS})\..+)$")
_NODE = re.compile(rf"\b((?:{_TEXT}|{_DURATIONS})/.+)/(?:Conv|Gather|MatMul(?:_\d+)?)$")
#: Operations with a weight, and which input it is.
_PLACES = {"Conv": 1, "Gather": 0, "MatMul": 1}
#: Operations that select channels, or reverse them.
_SELECTING = frozenset({"Gather", "Slice", "Split"})


class _Tensors(NamedTuple):
    """The names of what the text part is given and makes. b sentences, c channels, t symbols."""

    ids: str  # (b, t)
    lengths: str  # (b,)
    noise: str  # (b, 2, t)
    speaker: str  # (b, s, 1), or "" for a voice with one speaker
    mask: str  # made: (b, 1, t)
    hidden: str  # made: (b, c, t)
    condition: str  # (b, c, t), from which the durations are made; no longer needed
    latent: str  # made: (b, 2, t), for the last layer of the durations


def replace_text(model: Any, path: Path | None = None) -> bool:
    """Change this onnx.ModelProto. False, and no change: its text part is not Piper's, or not named as torch names it.

    `path` is the file that has those weights that are not in the model.
    """
    version = next((one for one in model.opset_import if one.domain in ("", "ai.onnx")), None)
    if version is None or version.version < _MIN_OPSET:
        return False
    try:
        tensors, weights = _tensors(model), _weights(model, path)
        encoder = EncoderNodes(RowNodes(f"{_PREFIX}{_TEXT}/"), _of(weights, _TEXT), tensors.ids, tensors.lengths)
        encoder.write(tensors.mask, tensors.hidden)
        durations = DurationNodes(RowNodes(f"{_PREFIX}{_DURATIONS}/"), _of(weights, _DURATIONS))
        durations.write(encoder.rows, encoder.mask, tensors.speaker, tensors.noise, tensors.latent)
    except (LookupError, ValueError):
        return False
    version.version = max(version.version, _OPSET)
    nodes = [node for node in model.graph.node if {tensors.mask, tensors.hidden}.isdisjoint(node.output)]
    place = next(number for number, node in enumerate(nodes) if tensors.latent in node.output)
    nodes = [*encoder.graph.nodes, *nodes[:place], *durations.graph.nodes, *nodes[place + 1 :]]
    for node in nodes:
        if node.op_type == "Shape" and node.input[0] == tensors.condition:
            node.input[0] = tensors.hidden  # the same shape
    new = [*encoder.graph.initializers.values(), *durations.graph.initializers.values()]
    set_nodes(model, nodes, new)
    return True


def _tensors(model: Any) -> _Tensors:
    """Find them.

    Raises:
        LookupError, ValueError: nodes do not have the names that torch gives them.
    """
    makers = {name: node for node in model.graph.node for name in node.output}
    layers = {path: node for path, node, _ in _layers(model)}
    projected, condition = (layers[f"{part}.proj"].output[0] for part in (_TEXT, _DURATIONS))
    ids = layers[f"{_TEXT}.emb"].input[1]
    if not {ids, _LENGTHS} <= {one.name for one in model.graph.input}:
        raise ValueError("ids are not a graph input")
    (mask,) = set(_reader(model, "Mul", projected).input) - {projected}
    *_, noise = (layers[path].input[0] for path in sorted(filter(_is_coupling, layers), key=_place))
    while makers[noise].op_type in _SELECTING:
        noise = makers[noise].input[0]
    (last,) = (tensor.name for tensor in model.graph.initializer if tensor.name.endswith(_LAST_WEIGHT))
    return _Tensors(
        ids=ids,
        lengths=_LENGTHS,
        noise=noise,
        speaker=layers[_SPEAKER].input[0] if _SPEAKER in layers else "",
        mask=mask,
        hidden=layers[f"{_TEXT}.proj"].input[0],
        condition=_reader(model, "Mul", condition).output[0],
        latent=_reader(model, "Sub", last).input[0],
    )


def _reader(model: Any, op_type: str, name: str) -> Any:
    """The node with this operation that has the tensor as an input.

    Raises:
        ValueError: it is not exactly one.
    """
    (node,) = (node for node in model.graph.node if node.op_type == op_type and name in node.input)
    return node


def _is_coupling(path: str) -> bool:
    """Whether it is the first layer of a coupling: "dp.flows.7.pre"."""
    return path.startswith(f"{_DURATIONS}.flows.") and path.endswith(".pre")


def _place(path: str) -> int:
    """The 7 in "dp.flows.7.pre"."""
    return int(path.split(".")[2])


def _layers(model: Any) -> Iterator[tuple[str, Any, str]]:
    """The nodes that have a weight: the path of the layer, as in the names of weights, the node, and its constant."""
    constants = {tensor.name for tensor in model.graph.initializer}
    added = {name: node.input for node in model.graph.node if node.op_type == "Add" for name in node.input}
    for node in model.graph.node:
        place = _PLACES.get(node.op_type)
        if place is None or node.input[place] not in constants:
            continue
        named = [node.input[place], *node.input[2:], *added.get(node.output[0], ())]
        found = next(filter(None, map(_WEIGHT.match, named)), None)
        path = found[1].rpartition(".")[0] if found else ""
        if not path and (found := _NODE.search(node.name)):
            path = found[1].replace("/", ".")
        if path:
            yield path, node, node.input[place]


def _weights(model: Any, path: Path | None) -> dict[str, Array]:
    """The weights, with the names that checkpoints have. torch names most of them so.

    Raises:
        LookupError, ValueError: some have no bias, or are not float32, or in another file.
    """
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    weights = {match[1]: weights_of(constants[name], path) for name in constants if (match := _WEIGHT.match(name))}
    for layer, node, name in _layers(model):
        if f"{layer}.weight" in weights or _WEIGHT.match(name):
            continue
        weight = weights_of(constants[name], path)
        if node.op_type == "Conv":
            weights |= {f"{layer}.weight": weight, f"{layer}.bias": weights_of(constants[node.input[2]], path)}
        elif node.op_type == "Gather":
            weights[f"{layer}.weight"] = weight
        elif ".attn_layers." in layer:  # torch transposes the constants of products
            weights[f"{layer}.emb_rel_k"] = weight.swapaxes(-1, -2)
        else:
            weights[f"{layer}.weight"] = weight.T[:, :, None]
    if any(weight.dtype != np.float32 for weight in weights.values()):
        raise ValueError("its weights are not float32")
    return weights


def _of(weights: Mapping[str, Array], part: str) -> dict[str, Array]:
    """The weights of a part, with the names that they have in it."""
    return {name.removeprefix(f"{part}."): weight for name, weight in weights.items() if name.startswith(f"{part}.")}
