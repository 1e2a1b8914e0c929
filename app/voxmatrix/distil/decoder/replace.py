"""Write the fast voice: the original up to its decoder, followed by the fast network.

Inputs, output and names are Piper's. Its text part and its flow compute the same with fewer operations, and its decoder
multiplies 8-bit integers.
"""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.distil.decoder.graph import VoiceGraph
from voxmatrix.distil.decoder.int8 import measure, to_int8
from voxmatrix.distil.decoder.network import FastDecoder
from voxmatrix.piper.export.onnx_writer import trace_onnx
from voxmatrix.piper.onnx.conv2d import decoder_to_conv2d
from voxmatrix.piper.onnx.flow import replace_flow
from voxmatrix.piper.onnx.graph_edits import rename, set_nodes
from voxmatrix.piper.onnx.text.replace import replace_text

_PREFIX = "fast/"
_EXAMPLE_FRAMES = 24


def replace_decoder(
    graph: VoiceGraph, student: FastDecoder, spoken: Iterable[CorpusSentence], metadata: Mapping[str, str]
) -> bytes:
    """The ONNX file of the fast voice, whose numbers have the ranges that they have in what was spoken."""
    import onnx

    given = {graph.latent: torch.zeros(1, student.dec.conv_pre.in_channels, _EXAMPLE_FRAMES)}
    if graph.speaker:
        given[graph.speaker] = torch.zeros(1, student.dec.cond.in_channels, 1)
    made = onnx.ModelProto()
    made.CopyFrom(graph.model)
    replace_text(made)
    replace_flow(made)
    decoder = _traced(student, given, made.graph.output[0].name, graph.opset)
    set_nodes(made, [*made.graph.node, *decoder.node], decoder.initializer)
    decoder_to_conv2d(made)
    to_int8(made, measure(student, spoken))
    del made.metadata_props[:]
    onnx.helper.set_model_props(made, dict(metadata))
    return bytes(made.SerializeToString())


def _traced(student: FastDecoder, given: Mapping[str, Tensor], output: str, opset: int) -> Any:
    """The graph of the fast network: its inputs and its output have the names of tensors, the rest a prefix."""
    import onnx
    from onnx import compose

    names = {f"input_{place}": name for place, name in enumerate(given)}
    axes = {
        own: {0: "batch", 2: "frames"} if one.size(2) > 1 else {0: "batch"}
        for own, one in zip(names, given.values(), strict=True)
    }
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "fast.onnx"
        trace_onnx(student, tuple(given.values()), path, inputs=list(names), axes=axes, opset=opset)
        traced = onnx.load(str(path))
    prefixed = compose.add_prefix(traced, _PREFIX)
    names["output"] = output
    rename(prefixed.graph.node, {f"{_PREFIX}{own}": name for own, name in names.items()})
    return prefixed.graph
