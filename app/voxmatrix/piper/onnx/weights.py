"""The weights of an exported voice, with the names that checkpoints have, so that torch can compute it on a GPU.

torch names most of them so; the others follow from the names of their biases or nodes. `original` has those that our
exports have changed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voxmatrix.piper.onnx.conv2d import AXES_2D, CONVOLUTIONS
from voxmatrix.piper.onnx.flow_nodes import PREFIX as FLOW
from voxmatrix.piper.onnx.graph_edits import Array, weights_of
from voxmatrix.piper.onnx.original import INT8, flow_weights, int8_weights, text_weights
from voxmatrix.piper.onnx.reading import read_model
from voxmatrix.piper.onnx.text.rows import PREFIX as TEXT
from voxmatrix.tables.quality import Quality, quality

#: What the networks consist of that speak.
PARTS = ("enc_p", "dp", "flow", "dec", "emb_g")
_ANY = "|".join(PARTS)
#: The name of a weight, after what the network is a part of, and of a node that has a weight without a name of its own.
_WEIGHT = re.compile(rf"^(?:.+[./])?((?:{_ANY})\.[\w.]+)$")
_NODE = re.compile(rf"\b((?:{_ANY})/.+)/(?:Conv|ConvTranspose|Gather|MatMul(?:_\d+)?)$")
#: Operations with a weight, and which input it is.
_PLACES = {"Conv": 1, "ConvTranspose": 1, "Gather": 0, "MatMul": 1}
#: Of constants that our exports have changed.
_CHANGED = (TEXT, FLOW, INT8)
#: The first layer of the durations: a mean, and the logarithm of a size, of which the graph has the inverse.
_MEAN, _LOG_SIZE = "dp.flows.0.m", "dp.flows.0.logs"
_BLOCK = re.compile(r"^dec\.resblocks\.(\d+)\.(convs1|convs)\.(\d+)$")
_UPSAMPLING = re.compile(r"^dec\.ups\.\d+$")


class VoiceWeights(NamedTuple):
    """The weights of a generator without what only training needs, and its sizes."""

    weights: Mapping[str, Array]
    quality: Quality
    num_symbols: int
    num_speakers: int


def read_weights(path: Path) -> VoiceWeights:
    """Read the weights of the voice in `path`.

    Raises:
        ValueError, LookupError: the file is not an ONNX file, or the network is not Piper's.
    """
    model = read_model(path)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    weights = named_weights(model, path)
    changed = {name: weights_of(one, path) for name, one in constants.items() if name.startswith(_CHANGED)}
    weights |= text_weights(changed) | flow_weights(changed) | int8_weights(model, changed)
    weights[_LOG_SIZE] = _log_size(model, path)
    weights = {name: weight[:, :, 0] if weight.ndim == AXES_2D else weight for name, weight in weights.items()}
    speakers = len(weights["emb_g.weight"]) if "emb_g.weight" in weights else 1
    return VoiceWeights(weights, _quality(model, weights), len(weights["enc_p.emb.weight"]), speakers)


def layers(model: Any) -> Iterator[tuple[str, Any, str]]:
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


def named_weights(model: Any, path: Path | None, parts: Sequence[str] = PARTS) -> dict[str, Array]:
    """The weights that have the names of checkpoints, or whose layers have. `path` has those not in the model.

    Raises:
        LookupError, ValueError: some have no bias, or are not float32, or in another file.
    """
    constants = {tensor.name: tensor for tensor in model.graph.initializer if not tensor.name.startswith(INT8)}
    wanted = tuple(f"{part}." for part in parts)
    names = {match[1]: name for name in constants if (match := _WEIGHT.match(name)) and match[1].startswith(wanted)}
    weights = {own: weights_of(constants[name], path) for own, name in names.items()}
    for layer, node, name in layers(model):
        if f"{layer}.weight" in weights or _WEIGHT.match(name) or not layer.startswith(wanted):
            continue
        weight = weights_of(constants[name], path)
        if node.op_type in CONVOLUTIONS:
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


def _log_size(model: Any, path: Path) -> Array:
    """The logarithm of the size in (x - mean) / size: torch has computed exp(-log), or -log, in advance."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    makers = {name: node for node in model.graph.node for name in node.output}
    (mean,) = (name for name in constants if name.endswith(_MEAN))
    (moved,) = (node.output[0] for node in model.graph.node if node.op_type == "Sub" and mean in node.input)
    (scaled,) = (node for node in model.graph.node if node.op_type == "Mul" and moved in node.input)
    (factor,) = set(scaled.input) - {moved}
    if factor in constants:
        return -np.log(weights_of(constants[factor], path))
    if makers[factor].op_type != "Exp" or makers[factor].input[0] not in constants:
        raise ValueError(f"{factor} is not a constant")
    return -weights_of(constants[makers[factor].input[0]], path)


def _quality(model: Any, weights: Mapping[str, Array]) -> Quality:
    """The sizes of the networks, from the shapes of weights and the attributes of convolutions."""
    sizes = {
        "inter_channels": weights["enc_p.proj.weight"].shape[0] // 2,
        "hidden_channels": weights["enc_p.emb.weight"].shape[1],
        "filter_channels": weights["enc_p.encoder.ffn_layers.0.conv_1.weight"].shape[0],
        "n_heads": weights["enc_p.emb.weight"].shape[1] // weights["enc_p.encoder.attn_layers.0.emb_rel_k"].shape[2],
        "n_layers": 1 + max(int(name.split(".")[3]) for name in weights if ".attn_layers." in name),
        "upsample_channels": len(weights["dec.conv_pre.weight"]),
    }
    return replace(quality("medium"), name="exported", **sizes, **_decoder_sizes(model, weights))


def _decoder_sizes(model: Any, weights: Mapping[str, Array]) -> dict[str, Any]:
    strides, dilations = _attributes(model, "strides"), _attributes(model, "dilations")
    ups = sorted(name for name in weights if _UPSAMPLING.match(name.removesuffix(".weight")))
    blocks: dict[int, dict[int, tuple[int, int]]] = {}
    paired = False
    for name, weight in weights.items():
        if found := _BLOCK.match(name.removesuffix(".weight")) if name.endswith(".weight") else None:
            dilation = dilations.get(name.removesuffix(".weight"), 1)
            blocks.setdefault(int(found[1]), {})[int(found[3])] = weight.shape[-1], dilation
            paired |= found[2] == "convs1"
    own = [[blocks[place][number] for number in sorted(blocks[place])] for place in sorted(blocks)]
    own = own[: len(own) // len(ups)]
    return {
        "resblock": "1" if paired else "2",
        "resblock_kernels": tuple(block[0][0] for block in own),
        "resblock_dilations": tuple(tuple(dilation for _, dilation in block) for block in own),
        "upsample_kernels": tuple(weights[name].shape[-1] for name in ups),
        "upsample_rates": tuple(strides.get(name.removesuffix(".weight"), 8) for name in ups),
        **({"decoder": "istft", "fourier_hop": strides["dec.head"]} if "dec.head.real" in weights else {}),
    }


def _attributes(model: Any, name: str) -> dict[str, int]:
    """An attribute of the convolutions by their paths, along time."""
    found = {}
    for node in model.graph.node:
        weights = [match[1] for one in node.input if (match := _WEIGHT.match(one))]
        values = [list(one.ints) for one in node.attribute if one.name == name and one.ints]
        if weights and values:
            found[weights[0].rpartition(".")[0]] = values[0][-1]
    return found
