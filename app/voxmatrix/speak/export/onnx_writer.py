"""The ONNX of a voice: inputs, output and names as every runtime of Piper expects them."""

import inspect
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.jit._trace import TracerWarning

from voxmatrix.voice.config import MADE_BY, VoiceConfig
from voxmatrix.voice.synthesizer import Synthesizer

#: What Piper's runtimes load, the oldest as well.
OPSET = 15
_EXAMPLE_IDS = 50


class _Spoken(nn.Module):
    """Piper's signature over ours."""

    def __init__(self, generator: Synthesizer) -> None:
        super().__init__()
        self.generator = generator

    def forward(self, text: Tensor, lengths: Tensor, scales: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Ids (b, t), scales (3,) = noise, length, rhythm's noise -> (b, 1, 1, n), as Piper has it."""
        return self.generator.infer(text, lengths, scales[0], scales[1], scales[2], speaker).unsqueeze(1)


def write_onnx(generator: Synthesizer, num_speakers: int, out: Path) -> None:
    """Trace the generator into `out`. A voice of one speaker has no input `sid`: Piper passes none."""
    arguments: tuple[Tensor, ...] = (
        torch.zeros(1, _EXAMPLE_IDS, dtype=torch.long),
        torch.tensor([_EXAMPLE_IDS]),
        torch.tensor([0.667, 1.0, 0.8]),
    )
    names = ["input", "input_lengths", "scales"]
    if num_speakers > 1:
        arguments += (torch.tensor([0]),)
        names.append("sid")
    with torch.no_grad(), _quiet():
        torch.onnx.export(
            _Spoken(generator).eval(),
            arguments,
            str(out),
            opset_version=OPSET,
            input_names=names,
            output_names=["output"],
            dynamic_axes={
                "input": {0: "batch_size", 1: "phonemes"},
                "input_lengths": {0: "batch_size"},
                "output": {0: "batch_size", 1: "time"},
            },
            **_legacy_exporter(),
        )


def add_metadata(path: Path, config: VoiceConfig) -> None:
    """Write into the ONNX itself where it came from, for the day when its JSON is lost."""
    import onnx

    model = onnx.load(str(path))
    onnx.helper.set_model_props(
        model,
        {
            "sample_rate": str(config.rate_hz),
            "n_speakers": str(config.num_speakers),
            "voice": config.espeak_voice,
            MADE_BY: json.dumps(dict(config.made_by), ensure_ascii=False),
        },
    )
    onnx.save(model, str(path))


def _legacy_exporter() -> dict[str, Any]:
    """torch >= 2.9 exports through torch.export by default, which cannot follow lengths that depend on the data.

    The argument that says so does not exist before torch 2.5.
    """
    return {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep back what torch's tracing exporter says of itself and what is meant as it is."""
    with warnings.catch_warnings():
        # The exporter that we ask for is the old one, and says so of itself and of its own insides.
        warnings.filterwarnings("ignore", "You are using the legacy TorchScript-based ONNX export", DeprecationWarning)
        warnings.filterwarnings("ignore", "The feature will be removed", DeprecationWarning)
        # Widths of heads and layers become constants: they are constants.
        warnings.filterwarnings("ignore", "Converting a tensor to a Python", TracerWarning)
        # Backward slices (Flip) stay operations of the graph.
        warnings.filterwarnings("ignore", "Constant folding - Only steps=1 can be constant folded", UserWarning)
        yield
