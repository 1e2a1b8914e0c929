"""Write a student as one ONNX graph with the inputs and the output of Piper's voices, and read its weights again."""

import math
import tempfile
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.distil.student.batches import Scale
from voxmatrix.distil.student.corpus import HOP
from voxmatrix.distil.student.durations import at_least
from voxmatrix.distil.student.fourier import COLUMNS, HALF, Fourier, bins_in_order
from voxmatrix.distil.student.network import Block, spread
from voxmatrix.distil.student.training import Student
from voxmatrix.distil.student.waves import BINS, LOUDEST, LOWEST_HZ, pulses
from voxmatrix.errors import DamagedFileError
from voxmatrix.files import replacing
from voxmatrix.piper.export.onnx_writer import trace_onnx
from voxmatrix.piper.onnx.graph_edits import Array, NewNodes, rename, set_nodes, weights_of
from voxmatrix.piper.onnx.reading import read_model

_OPSET = 17  # of LayerNormalization
#: The deviation of a duration's logarithm where the scale for it is 1.
_DEVIATION = 0.12
#: Of silence at each end; teachers have up to half a second, which would be heard between all sentences.
_MAX_EDGE_FRAMES = 8
#: The ids of the beginning and the end, besides 0 for padding.
_EDGES = 2
#: What a speaker's pitch is kept within.
_HIGHEST_HZ = 1000.0
#: In float32: embeddings, convolutions, and the transforms, whose spectra are loud and quiet at once.
_FLOAT32 = "fourier"
_EXAMPLE_IDS = 60
#: How the names of weights begin.
_NETWORKS = "rhythm", "sound", "heads", "head"
#: Of a column of zeros, whose scale must not be 0.
_MIN_SIZE = 1e-8


class Voice(nn.Module):
    """The whole way from ids to samples, for one sentence."""

    def __init__(self, student: Student, scales: Sequence[Scale], paces: Sequence[float], least: Tensor) -> None:
        """A scale for each speaker, and what its durations are multiplied with; `least` is that of `least_frames`."""
        super().__init__()
        student = deepcopy(student)
        self.rhythm, self.sound, self.fourier = student.rhythm, student.sound, Fourier()
        self.speakers = torch.tensor([(*scale.pitch, pace) for scale, pace in zip(scales, paces, strict=True)])
        self.least = least
        for block in student.modules():
            if isinstance(block, Block):
                block.fold()
        # A head for each filter makes the numbers of all bins in the order of the transform.
        head = student.sound.head
        bins, signs = _head_order()
        both = torch.cat([head.weight, head.bias[:, None]], 1).reshape(4, -1, head.in_features + 1)[:, bins] * signs
        heads = [nn.Linear(head.in_features, len(bins)) for _ in range(4)]
        self.heads = nn.ModuleList(heads)
        with torch.no_grad():
            for one, own in zip(heads, both, strict=True):
                one.weight.copy_(own[:, :-1])
                one.bias.copy_(own[:, -1])

    def forward(
        self, text: Tensor, lengths: Tensor, scales: Tensor, sid: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Ids (1, t), scales (3,) = noise, length, noise of the rhythm -> samples (1, 1, n), frames of each id (1, t).

        Nothing depends on the first scale. Padding is left out and has no frames. `sid` (1,): who of several speaks.
        """
        mean, deviation, pace = self.speakers[0].tolist() if sid is None else self.speakers[sid][0].unbind()
        given = text[:, : lengths[0]]
        kept = torch.nonzero(given[0])[:, 0]
        ids = given[:, kept]
        of_rhythm = self.rhythm.text(ids, sid)
        logs = self.rhythm.durations(of_rhythm)
        lengthened = pace * scales[1] * torch.exp(_DEVIATION * scales[2] * torch.randn_like(logs))
        wanted = (at_least(torch.exp(logs) - 1, ids, self.least) * lengthened - 0.5).clamp_min(0.5)
        # Rounded up once, for all ids: so others find the frames in the graph, as in Piper's voices.
        exact = torch.zeros_like(text, dtype=wanted.dtype).index_copy(1, kept, wanted)
        counts = torch.ceil(torch.where(text <= _EDGES, exact.clamp_max(_MAX_EDGE_FRAMES), exact))
        durations = counts[:, kept].to(torch.int64)
        ends = durations.cumsum(1)
        places = torch.arange(ends[0, -1])  # type: ignore[call-overload]
        symbols = (places[:, None] >= ends).to(torch.int64).sum(1)[None]
        curves = self.rhythm.curves(spread(of_rhythm, durations, symbols))
        voiced = (curves[..., 1:2] > 0).to(curves.dtype)
        hz = torch.exp(curves[..., 0] * deviation + mean).clamp(LOWEST_HZ + 1, _HIGHEST_HZ) * voiced[..., 0]
        known = spread(self.sound.text(ids, sid), durations, symbols)
        frames = self.sound.frames(known, torch.cat([curves[..., :1], voiced, curves[..., 2:]], -1))
        return self._wave(frames, pulses(hz).flatten(0, 1)).clamp(-1, 1)[None, None], counts

    def _wave(self, frames: Tensor, source: Tensor) -> Tensor:
        """Frames (1, f, channels) and pulses (f, HOP) -> samples (f * HOP,)."""
        count = source.shape[0]
        padded = functional.pad(source, (0, 0, 2, 1))
        real, imaginary = self.fourier(torch.cat([padded[k : k + count] for k in range(4)], -1)).split(COLUMNS, -1)
        rows = (head(frames).reshape(-1, HALF, COLUMNS).transpose(0, 1) for head in self.heads)
        harmonic, phase, added, added_phase = rows
        size, angle = torch.exp(harmonic.clamp_max(LOUDEST)), math.pi * torch.tanh(phase)
        turned, across = size * torch.cos(angle), size * torch.sin(angle)
        louder = torch.exp(added.clamp_max(LOUDEST))
        spectrum = torch.cat(
            [
                turned * real - across * imaginary + louder * torch.cos(added_phase),
                turned * imaginary + across * real + louder * torch.sin(added_phase),
            ],
            -1,
        )
        parts = self.fourier.inverse(spectrum).split(HOP, -1)  # type: ignore[no-untyped-call]
        # The window of frame f begins two frames before it.
        return sum(_moved(part, 2 - k) for k, part in enumerate(parts)).flatten()  # type: ignore[union-attr]


def _moved(rows: Tensor, count: int) -> Tensor:
    """Rows (f, n), each `count` places earlier."""
    if count < 0:
        return functional.pad(rows, (0, 0, -count, 0))[:count]
    return functional.pad(rows, (0, 0, 0, count))[count:] if count else rows


def _head_order() -> tuple[Tensor, Tensor]:
    """The bin of each number of the transform (n,), and the signs of the four filters there (4, n, 1)."""
    bins, sign = bins_in_order()
    same = torch.ones_like(sign)
    return bins, torch.stack([same, sign, same, sign])[..., None]  # phases turn with conjugates


def write_student(voice: Voice, metadata: Mapping[str, str], out: Path) -> None:
    """Write the ONNX file, whose large matrices have 8 bits."""
    import onnx

    ids = torch.full((1, _EXAMPLE_IDS), 5)
    ids[:, 1::2] = 0
    sid = {"sid": torch.tensor([0])} if len(voice.speakers) > 1 else {}
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        plain = Path(folder) / "student.onnx"
        trace_onnx(
            voice,
            (ids, torch.tensor([_EXAMPLE_IDS]), torch.tensor([0.667, 1.0, 0.8]), *sid.values()),
            plain,
            inputs=["input", "input_lengths", "scales", *sid],
            outputs=["output", "frames"],
            axes={"input": {1: "phonemes"}, "output": {2: "time"}, "frames": {1: "phonemes"}},
            opset=_OPSET,
        )
        model = onnx.load(str(plain))
    _remove_identities(model)
    _to_int8(model)
    onnx.helper.set_model_props(model, dict(metadata))
    with replacing(out) as file:
        file.write(model.SerializeToString())


def read_student(path: Path) -> dict[str, Tensor]:
    """The weights of a student with one speaker that `write_student` wrote, once or now, by their names in `Student`.

    Matrices are what their 8 bits say. In the file they have no names, but the biases that are added next do.

    Raises:
        DamagedFileError: the file is no such student.
    """
    try:
        model = read_model(path)
        constants = {one.name: weights_of(one, path) for one in model.graph.initializer}
        found = {name: one for name, one in constants.items() if name.split(".")[0] in _NETWORKS}
        makers = {name: node for node in model.graph.node for name in node.output}
        for node in model.graph.node:
            bias = next((name for name in node.input if node.op_type == "Add" and name.endswith(".bias")), "")
            product = next((makers[name] for name in node.input if bias and name in makers), None)
            if product is not None and product.op_type == "Mul":
                cast, sizes = (makers[name] for name in product.input)
                integers = constants[makers[cast.input[0]].input[1]]
                found[bias.removesuffix("bias") + "weight"] = (integers * constants[sizes.input[1]]).T
        weights = {name: torch.from_numpy(one.astype(np.float32)) for name, one in found.items()}
        both = _of_heads(weights)
    except (ValueError, KeyError) as error:
        raise DamagedFileError(f"{path} is damaged, or no student", "install voxmatrix again") from error
    bins, signs = _head_order()
    head = torch.empty(4, BINS, both.shape[2])
    head[:, bins] = both * signs
    for name in [one for one in weights if one.endswith("fall.bias")]:  # whose scale is in it, by now
        weights.setdefault(name.replace("fall.bias", "scale"), torch.ones_like(weights[name]))
    return weights | {"sound.head.weight": head[..., :-1].flatten(0, 1), "sound.head.bias": head[..., -1].flatten()}


def _of_heads(weights: dict[str, Tensor]) -> Tensor:
    """Take the weights and biases of the filters out (4, n, channels + 1): of four heads, formerly of one."""
    if "head.weight" in weights:
        both = torch.cat([weights.pop("head.weight"), weights.pop("head.bias")[:, None]], 1)
        return both.reshape(-1, 4, COLUMNS, both.shape[1]).transpose(0, 1).flatten(1, 2)
    heads = [(weights.pop(f"heads.{k}.weight"), weights.pop(f"heads.{k}.bias")) for k in range(4)]
    return torch.stack([torch.cat([weight, bias[:, None]], 1) for weight, bias in heads])


def _remove_identities(model: Any) -> None:
    """Let nodes use shared constants by their own names, by which alone they are recognised as constants."""
    constants = {one.name for one in model.graph.initializer}
    copies = [node for node in model.graph.node if node.op_type == "Identity" and node.input[0] in constants]
    rename(model.graph.node, {node.output[0]: node.input[0] for node in copies})
    set_nodes(model, [node for node in model.graph.node if node.output[0] not in constants])


def _to_int8(model: Any) -> None:
    """Multiply 8-bit integers where a matrix is a constant: its columns have scales of their own, as each input has."""
    matrices = {one.name: weights_of(one) for one in model.graph.initializer if len(one.dims) == 2}
    new = NewNodes("int8/")
    nodes: list[Any] = []
    for node in model.graph.node:
        if node.op_type != "MatMul" or node.input[1] not in matrices or _FLOAT32 in node.name:
            nodes.append(node)
            continue
        first = len(new.nodes)
        _multiply(new, node, matrices[node.input[1]])
        nodes += new.nodes[first:]
    set_nodes(model, nodes, new.initializers.values())


def _multiply(new: NewNodes, node: Any, matrix: Array) -> None:
    """The nodes of onnxruntime's own dynamic quantisation, which it computes as one."""
    given, name = node.input
    integers, size, zero = (f"int8/{given}/{part}" for part in ("integers", "size", "zero"))
    if not any(integers in one.output for one in new.nodes):
        new.add("DynamicQuantizeLinear", given, output=integers)
        new.nodes[-1].output.extend([size, zero])
    sizes = _column_sizes(matrix)
    weight = new.constant(f"{name}/integers", np.round(matrix / sizes), np.int8)
    product = new.add("MatMulInteger", integers, weight, zero)
    both = new.add("Mul", size, new.constant(f"{name}/sizes", sizes))
    new.add("Mul", new.add("Cast", product, to=1), both, output=node.output[0])


def _column_sizes(matrix: Array) -> Array:
    """What the columns are divided by, so that they have 8 bits: (k, n) -> (n,).

    CPUs without VNNI add the products of rows 2 k and 2 k + 1 in 16 bits, which must hold both: 255 * 128 at most.
    """
    pairs = np.add.reduceat(np.abs(matrix), np.arange(0, len(matrix), 2))
    sizes: Array = np.maximum(pairs.max(0), _MIN_SIZE) / 127
    return sizes
