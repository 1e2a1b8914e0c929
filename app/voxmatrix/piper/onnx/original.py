"""Undo what exports change in the weights of a voice: the inverse of `text`, of `flow` and of the integers of `distil`.

Matrices that were multiplied with each other cannot be told apart again. They become weights of the same network that
compute the same.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from voxmatrix.piper.onnx.flow_nodes import PREFIX as FLOW
from voxmatrix.piper.onnx.flow_nodes import TAPS
from voxmatrix.piper.onnx.graph_edits import Array
from voxmatrix.piper.onnx.text.durations import ROOT_HALF
from voxmatrix.piper.onnx.text.rows import PREFIX as TEXT
from voxmatrix.vits.layers.constants import BINS

#: The prefix of the constants of `distil`'s integers.
INT8 = "int8/"
_KINDS = ("weight", "bias", "gamma", "beta")
_DEPTHWISE = re.compile(r"(.+\.convs_sep\.\d+\.weight)\.\d+$")


def text_weights(constants: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of the text part, from the constants of `piper.onnx.text`; empty if there are none."""
    encoder, durations = f"{TEXT}enc_p/", f"{TEXT}dp/"
    found: dict[str, Array] = {}
    table = constants.get(f"{encoder}emb")
    if table is None:
        return found
    for name, value in constants.items():
        if name.startswith(encoder):
            found |= _of_encoder(name.removeprefix(encoder), value, table.shape[1])
        elif name.startswith(durations):
            found |= _of_durations(name.removeprefix(durations), value, table.shape[1])
    for name in {match[1] for name in found if (match := _DEPTHWISE.match(name))}:
        taps = [one for one in found if one.startswith(f"{name}.")]
        found[name] = np.stack([found.pop(f"{name}.{tap}") for tap in range(len(taps))], 1)[:, None]
    for name in [name for name in found if ".conv_q." in name]:  # divided by the root of the channels of a head
        head = found[f"{name.partition('.conv_q.')[0]}.emb_rel_k"].shape[2]
        found[name] = found[name] * np.float32(np.sqrt(head))
    return found


def _of_encoder(name: str, value: Array, channels: int) -> dict[str, Array]:
    """One constant of `EncoderNodes`; nothing if it is not of a layer."""
    layer, _, kind = name.rpartition(".")
    path = f"enc_p.encoder.{layer}"
    if name == "emb":
        return {"enc_p.emb.weight": value / np.float32(np.sqrt(channels))}
    if kind not in _KINDS:
        return {}
    if kind != "weight":
        whole = value
    elif layer.endswith(("emb_rel_k", "emb_rel_v")):
        return {path: (value.T if layer.endswith("k") else value)[None]}
    elif layer.endswith("conv_1"):
        whole = value.reshape(-1, channels, value.shape[1]).transpose(2, 1, 0)
    elif layer.endswith("conv_2"):
        whole = value.reshape(len(value), -1, channels).transpose(2, 0, 1)
    else:
        whole = value.T[:, :, None]
    if not layer.endswith("qkv"):
        return {f"{path}.{kind}": whole}
    names = (f"{path.removesuffix('qkv')}conv_{one}.{kind}" for one in "qkv")
    return dict(zip(names, np.split(whole, 3), strict=True))


def _of_durations(name: str, value: Array, channels: int) -> dict[str, Array]:
    """One constant of `DurationNodes`; nothing if it is not of a layer."""
    layer, _, kind = name.rpartition(".")
    if kind.isdigit() and ".convs_sep." in name:
        return {f"dp.{name}": value}
    if kind not in _KINDS or layer == "edges":
        return {}
    if layer.startswith("flows.") and layer.endswith(".proj"):  # as `spline_columns`
        sizes, inner = value[..., : 2 * BINS], value[..., 2 * BINS + 1 : 3 * BINS]
        value = np.concatenate([sizes * np.float32(np.sqrt(channels)), inner], -1)
    if kind == "weight":
        value = value.T[:, :, None] if value.ndim > 1 else value[:, None, None]
    if "norms_" in layer or (kind == "weight" and ".convs_1x1." in f".{layer}"):
        value = value / np.float32(ROOT_HALF)
    return {f"dp.{name}": value}


def flow_weights(constants: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of the flow, from the constants of `piper.onnx.flow_nodes` in the order of the graph; empty if there
    are none. Earlier versions had channels in rows, and no names.

    Raises:
        ValueError, LookupError: these are others.
    """
    items = [value for name, value in constants.items() if name.startswith(FLOW) and value.dtype == np.float32]
    taps = [value for value in items if _is_taps(value)]
    if not taps:
        return {}
    starts = [place for place, value in enumerate(items) if _is_matrix(value) and 2 * value.size == taps[0].shape[1]]
    found: dict[str, Array] = {}
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(items)
        before = starts[number - 1] if number else -1
        coupling = _coupling(items[start], items[start + 1 : end], items[before + 1 : start], reverse=number % 2 == 0)
        place = 2 * (len(starts) - 1 - number)
        found |= {f"flow.flows.{place}.{name}": value for name, value in coupling.items()}
    return found


def _is_taps(value: Array) -> bool:
    return value.ndim == 2 and value.shape[0] == TAPS and value.shape[1] > 1


def _is_matrix(value: Array) -> bool:
    return value.ndim == 2 and value.shape[1] > 1 and not _is_taps(value)


def _coupling(before: Array, items: Sequence[Array], speaker: Sequence[Array], *, reverse: bool) -> dict[str, Array]:
    """The weights of a coupling, from `Coupling.before`, and from its other constants before and after it in order."""
    in_rows = before.shape[0] < before.shape[1]
    before = before.T if in_rows else before  # (h, c + 1)
    size, channels = before.shape[0], before.shape[1] - 1
    kernels = [_kernel(value, size, in_rows=in_rows) for value in items if _is_taps(value)]
    matrices = [value.T if in_rows else value for value in items if _is_matrix(value)]
    skips = [value for value in matrices if value.shape == (channels, size)]
    residuals = [value for value in matrices if value.shape == (size, size)]
    vectors = [value.reshape(-1) for value in items if value.size == max(value.shape)]
    biases, residual_biases, (shift_bias,) = (
        [value for value in vectors if len(value) == length] for length in (2 * size, size, channels)
    )
    weight, order = before[:, :channels], slice(None, None, -1 if reverse else 1)
    # The first layer was multiplied with what is before it: of all that give this product, the smallest.
    kernels[0] = np.einsum("dck,ch->dhk", kernels[0], np.linalg.pinv(before.astype(np.float64))).astype(np.float32)
    found = {
        "pre.weight": weight[:, order, None],
        "pre.bias": before[:, channels],
        "post.weight": np.eye(channels, size, dtype=np.float32)[order, :, None],
        "post.bias": shift_bias[order],
    }
    layers = zip(kernels, biases, skips, strict=True)
    for number, (kernel, bias, skip) in enumerate(layers):
        mixed = np.pad(skip, ((0, size - channels), (0, 0)))
        mixed_bias = np.zeros(size, np.float32)
        if number < len(kernels) - 1:
            mixed = np.concatenate([residuals[number], mixed])
            mixed_bias = np.concatenate([residual_biases[number], mixed_bias])
        found |= {f"enc.in_layers.{number}.weight": kernel, f"enc.in_layers.{number}.bias": bias}
        found |= {f"enc.res_skip_layers.{number}.weight": mixed[:, :, None]}
        found |= {f"enc.res_skip_layers.{number}.bias": mixed_bias}
    of_speaker = [value for value in speaker if value.shape[0] == 2 * size * len(kernels)]
    if of_speaker:
        found |= {"enc.cond_layer.weight": of_speaker[0][:, :, None], "enc.cond_layer.bias": of_speaker[1].reshape(-1)}
    return found


def _kernel(taps: Array, size: int, *, in_rows: bool) -> Array:
    """(2 h, c, 5) of (5, 2 h c)."""
    if in_rows:
        return taps.reshape(TAPS, -1, 2 * size).transpose(2, 1, 0)
    return taps.reshape(TAPS, 2 * size, -1).transpose(1, 2, 0)


def int8_weights(model: Any, constants: Mapping[str, Array]) -> dict[str, Array]:
    """The weights of the layers that `distil` lets be computed with integers; empty if there are none."""
    makers = {name: node for node in model.graph.node for name in node.output}
    readers = {name: node for node in model.graph.node for name in node.input}
    parts: dict[str, list[tuple[Array, Array]]] = {}
    strides: dict[str, int] = {}
    for node in model.graph.node:
        if node.op_type != "QLinearConv":
            continue
        path = node.input[3].removeprefix(INT8).removesuffix(".weight")
        divided = makers[makers[node.input[0]].input[0]]
        inverse = constants[divided.input[1]].reshape(1, -1, 1, 1)
        end = readers[node.output[0]]
        if end.op_type == "Concat":
            path = path.rpartition(".")[0]
            together = readers[end.output[0]]
            strides[path] = int(constants[together.input[1]][1])
            end = readers[readers[readers[together.output[0]].output[0]].output[0]]
        made = constants[readers[end.output[0]].input[1]].reshape(-1)
        sizes = constants[node.input[4]]
        sizes = sizes * np.tile(made, len(sizes) // len(made))
        weight = constants[node.input[3]] * sizes[:, None, None, None] * inverse
        bias = constants[node.input[8]] * constants[node.input[1]] * sizes
        parts.setdefault(path, []).append((weight.astype(np.float32), bias.astype(np.float32)[: len(made)]))
    found: dict[str, Array] = {}
    for path, own in parts.items():
        whole = _upsampling([one for one, _ in own], strides[path]) if path in strides else own[0][0]
        found |= {f"{path}.weight": whole, f"{path}.bias": own[0][1]}
    return found


def _upsampling(parts: Sequence[Array], stride: int) -> Array:
    """The weight (c, d, 1, taps) of a transposed convolution, whose phases `distil` computes as convolutions."""
    phases = [len(part) for part in parts]
    made = sum(phases) // stride
    taps = sum(len(part) // made * part.shape[-1] for part in parts)
    pad = (taps - stride) // 2
    weight = np.zeros((parts[0].shape[1], made, 1, taps), np.float32)
    groups = groupby(range(stride), partial(phase_positions, taps, stride, pad))
    for part, ((first, last), members) in zip(parts, groups, strict=True):
        for number, phase in enumerate(members):
            rows = part[number * made : (number + 1) * made]  # (d, c, 1, positions)
            for place, k in enumerate(range(first, last + 1)):
                weight[:, :, 0, phase + pad - stride * k] = rows[:, :, 0, place].T
    return weight


def phase_positions(taps: int, stride: int, pad: int, phase: int) -> tuple[int, int]:
    """The first and the last input, relative to output / stride, of which a transposed convolution makes this phase."""
    return -((taps - 1 - phase - pad) // stride), (phase + pad) // stride
