"""Write the ONNX file of a voice, with the inputs, output and names that Piper's runtimes expect."""

import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.jit._trace import TracerWarning

from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.metadata import metadata
from voxmatrix.piper.onnx.conv2d import decoder_to_conv2d
from voxmatrix.piper.onnx.flow import replace_flow
from voxmatrix.piper.onnx.text.replace import replace_text
from voxmatrix.vits.decoders.istft import FourierDecoder
from voxmatrix.vits.synthesizer import Synthesizer

#: The version of Piper's exports. Voices have 17, which `replace_text` needs, and onnxruntime since July 2022.
OPSET = 15
_EXAMPLE_IDS = 50


class _PiperModel(nn.Module):
    """Piper's signature for a generator."""

    def __init__(self, generator: Synthesizer) -> None:
        super().__init__()
        self.generator = generator

    def forward(self, text: Tensor, lengths: Tensor, scales: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Ids (b, t), scales (3,) = noise, length, noise of the rhythm -> samples (b, 1, 1, n)."""
        return self.generator.infer(text, lengths, scales[0], scales[1], scales[2], speaker).unsqueeze(1)


def write_onnx(generator: Synthesizer, config: VoiceConfig, out: Path) -> None:
    """Trace the generator into `out`, with its provenance, in case the JSON is lost.

    With a single speaker there is no input `sid`, as in Piper.
    """
    import onnx

    arguments: tuple[Tensor, ...] = (
        torch.zeros(1, _EXAMPLE_IDS, dtype=torch.long),
        torch.tensor([_EXAMPLE_IDS]),
        torch.tensor([0.667, 1.0, 0.8]),
    )
    names = ["input", "input_lengths", "scales"]
    if config.num_speakers > 1:
        arguments += (torch.tensor([0]),)
        names.append("sid")
    axes = {
        "input": {0: "batch_size", 1: "phonemes"},
        "input_lengths": {0: "batch_size"},
        "output": {0: "batch_size", 1: "time"},
    }
    trace_onnx(_PiperModel(generator), arguments, out, inputs=names, axes=axes)
    model = onnx.load(str(out))
    replace_text(model)
    replace_flow(model)
    if isinstance(generator.dec, FourierDecoder):  # others are what `distil` starts from, in their own shapes
        decoder_to_conv2d(model)
    onnx.helper.set_model_props(model, metadata(config))
    onnx.save(model, str(out))


def trace_onnx(
    network: nn.Module,
    arguments: tuple[Tensor, ...],
    out: Path,
    *,
    inputs: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
    outputs: Sequence[str] = ("output",),
    opset: int = OPSET,
) -> None:
    """Trace a network into a file. `axes` are those of any length, by tensor."""
    with torch.no_grad(), _quiet():
        torch.onnx.export(
            network.eval(),
            arguments,
            str(out),
            opset_version=opset,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=axes,
            **_legacy_exporter(),
        )


def _legacy_exporter() -> dict[str, Any]:
    """Select the tracing exporter: torch.export, the default since torch 2.9, fails on data-dependent lengths.

    The argument does not exist before torch 2.5.
    """
    return {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the known warnings of torch's tracing exporter."""
    with warnings.catch_warnings():
        # The legacy exporter is intended.
        warnings.filterwarnings("ignore", "You are using the legacy TorchScript-based ONNX export", DeprecationWarning)
        warnings.filterwarnings("ignore", "The feature will be removed", DeprecationWarning)
        # The widths of heads and layers become constants, which they are.
        warnings.filterwarnings("ignore", "Converting a tensor to a Python", TracerWarning)
        # Backward slices (Flip) remain operations of the graph.
        warnings.filterwarnings("ignore", "Constant folding - Only steps=1 can be constant folded", UserWarning)
        yield
