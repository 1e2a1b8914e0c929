"""Let the text part of an ONNX voice compute the same in a quarter of its nodes.

Each of torch's 2,300 nodes takes some microseconds, and a sentence has few symbols: they take most of the time.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.piper.onnx.graph_edits import Array, set_nodes
from voxmatrix.piper.onnx.text.durations import DurationNodes
from voxmatrix.piper.onnx.text.encoder import EncoderNodes
from voxmatrix.piper.onnx.text.rows import PREFIX, RowNodes
from voxmatrix.piper.onnx.weights import layers, named_weights

#: LayerNormalization exists since this version of the operations: onnxruntime 1.12, of July 2022.
_OPSET = 17
#: Operations of this version and later mean the same in the other.
_MIN_OPSET = 13
_LENGTHS = "input_lengths"
_TEXT, _DURATIONS = "enc_p", "dp"
_SPEAKER, _LAST_WEIGHT = f"{_DURATIONS}.cond", f"{_DURATIONS}.flows.0.m"
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
        tensors, weights = _tensors(model), named_weights(model, path, (_TEXT, _DURATIONS))
        encoder = EncoderNodes(RowNodes(f"{PREFIX}{_TEXT}/"), _of(weights, _TEXT), tensors.ids, tensors.lengths)
        encoder.write(tensors.mask, tensors.hidden)
        durations = DurationNodes(RowNodes(f"{PREFIX}{_DURATIONS}/"), _of(weights, _DURATIONS))
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
    found = {path: node for path, node, _ in layers(model)}
    projected, condition = (found[f"{part}.proj"].output[0] for part in (_TEXT, _DURATIONS))
    ids = found[f"{_TEXT}.emb"].input[1]
    if not {ids, _LENGTHS} <= {one.name for one in model.graph.input}:
        raise ValueError("ids are not a graph input")
    (mask,) = set(_reader(model, "Mul", projected).input) - {projected}
    *_, noise = (found[path].input[0] for path in sorted(filter(_is_coupling, found), key=_place))
    while makers[noise].op_type in _SELECTING:
        noise = makers[noise].input[0]
    (last,) = (tensor.name for tensor in model.graph.initializer if tensor.name.endswith(_LAST_WEIGHT))
    return _Tensors(
        ids=ids,
        lengths=_LENGTHS,
        noise=noise,
        speaker=found[_SPEAKER].input[0] if _SPEAKER in found else "",
        mask=mask,
        hidden=found[f"{_TEXT}.proj"].input[0],
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


def _of(weights: Mapping[str, Array], part: str) -> dict[str, Array]:
    """The weights of a part, with the names that they have in it."""
    return {name.removeprefix(f"{part}."): weight for name, weight in weights.items() if name.startswith(f"{part}.")}
