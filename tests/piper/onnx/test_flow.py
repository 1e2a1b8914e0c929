"""The flow with fewer multiplications computes what the flow of a voice computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given as given_any
from hypothesis import settings
from hypothesis import strategies as st
from torch import Tensor, nn

from tests.examples import examples
from voxmatrix.piper.export.onnx_writer import trace_onnx
from voxmatrix.piper.onnx.flow import replace_flow
from voxmatrix.vits.flow import Flow
from voxmatrix.vits.layers.norm import remove_weight_norm

CHANNELS, HIDDEN, SPEAKER = 8, 12, 6


class Voice(nn.Module):
    """A flow, and something that has the name of a decoder's first layer."""

    def __init__(self, speaker_channels: int, n_flows: int = 4) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.flow = Flow(CHANNELS, HIDDEN, speaker_channels, n_flows=n_flows)
        remove_weight_norm(self.flow)
        for weight in self.flow.parameters():
            nn.init.normal_(weight, std=0.3)
        self.dec = nn.Module()
        self.dec.conv_pre = nn.Conv1d(CHANNELS, CHANNELS, 1, bias=False)
        nn.init.dirac_(self.dec.conv_pre.weight)

    def forward(self, frames: Tensor, mask: Tensor, speaker: Tensor | None = None) -> Tensor:
        made: Tensor = self.dec.get_submodule("conv_pre")(self.flow(frames, mask, speaker, reverse=True) * mask)
        return made


Trace = Callable[..., Any]


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Write a voice as torch does."""

    def trace(voice: Voice, opset: int = 15) -> Any:
        speaker = (torch.zeros(1, SPEAKER, 1),) if "flow.flows.0.enc.cond_layer.weight" in voice.state_dict() else ()
        axes = {"frames": {0: "b", 2: "f"}, "mask": {0: "b", 2: "f"}, "speaker": {0: "b"}, "output": {0: "b", 2: "f"}}
        given = (torch.zeros(1, CHANNELS, 9), torch.ones(1, 1, 9), *speaker)
        names = ["frames", "mask", "speaker"][: len(given)]
        axes = {name: axes[name] for name in [*names, "output"]}
        trace_onnx(voice, given, tmp_path / "voice.onnx", inputs=names, axes=axes, opset=opset)
        return onnx.load(str(tmp_path / "voice.onnx"))

    return trace


@pytest.mark.parametrize(("speaker_channels", "opset"), [(0, 15), (SPEAKER, 15), (SPEAKER, 13), (SPEAKER, 20)])
def test_any_length_and_speaker(trace: Trace, speaker_channels: int, opset: int) -> None:
    voice = Voice(speaker_channels)
    model = trace(voice, opset)
    convolutions = sum(node.op_type == "Conv" for node in model.graph.node)

    assert replace_flow(model)

    onnx.checker.check_model(model, full_check=True)
    assert convolutions > 40 and sum(node.op_type == "Conv" for node in model.graph.node) == 1
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for frames in (1, 2, 3, 4, 5, 8, 31):
        given = {"frames": torch.randn(2, CHANNELS, frames), "mask": torch.ones(2, 1, frames)}
        given["mask"][1, :, frames // 2 + 1 :] = 0  # the second sentence is shorter
        if speaker_channels:
            given["speaker"] = torch.randn(2, SPEAKER, 1)
        with torch.inference_mode():
            expected = voice(*given.values()).numpy()
        (made,) = session.run(None, {name: one.numpy() for name, one in given.items()})
        assert made.shape == expected.shape
        assert np.abs(made - expected).max() < 2e-5 * np.abs(expected).max()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A voice as torch writes it."""
    path = tmp_path_factory.mktemp("voice") / "voice.onnx"
    given = (torch.zeros(1, CHANNELS, 9), torch.ones(1, 1, 9), torch.zeros(1, SPEAKER, 1))
    trace_onnx(Voice(SPEAKER), given, path, inputs=["frames", "mask", "speaker"], axes={"frames": {2: "f"}})
    return path.read_bytes()


@settings(max_examples=examples(60))
@given_any(st.data())
def test_what_is_missing_or_has_another_shape_is_never_an_error(written: bytes, draw: st.DataObject) -> None:
    model = onnx.ModelProto.FromString(written)
    for _ in range(draw.draw(st.integers(1, 4))):
        kept = model.graph.initializer if draw.draw(st.booleans()) else model.graph.node
        place = draw.draw(st.integers(0, len(kept) - 1))
        one = kept[place]
        if isinstance(one, onnx.NodeProto):
            change = draw.draw(st.sampled_from(["remove", "input", "output"]))
            if change == "remove":
                del kept[place]
            elif names := (one.input if change == "input" else one.output):
                names[0] = "other"
        elif draw.draw(st.booleans()):
            del kept[place]
        elif one.dims:
            one.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(one)[:1], one.name))

    before = model.SerializeToString()

    # What is replaced all the same computes otherwise, and is not used: it is compared with the original.
    assert replace_flow(model) or model.SerializeToString() == before


def test_a_file_of_another_exporter_remains_as_it_is(trace: Trace) -> None:
    model = trace(Voice(0))
    for node in model.graph.node:
        node.name = ""
        node.input[:] = [name.replace("flow.", "other.") for name in node.input]
    for tensor in model.graph.initializer:
        tensor.name = tensor.name.replace("flow.", "other.")
    before = model.SerializeToString()

    assert not replace_flow(model)
    assert model.SerializeToString() == before


def test_the_names_of_biases_are_enough(trace: Trace) -> None:
    model = trace(Voice(0))
    for node in model.graph.node:
        node.name = ""

    assert replace_flow(model)


def _dilated(model: Any) -> None:
    for node in model.graph.node:
        for attribute in node.attribute:
            if "in_layers.1" in node.name and attribute.name == "dilations":
                attribute.ints[:] = [2]


def _without_bias(model: Any) -> None:
    for node in model.graph.node:
        if node.name.endswith("flows.2/pre/Conv"):
            del node.input[2]


def _half_outputs(model: Any) -> None:
    for tensor in model.graph.initializer:
        if tensor.name.endswith("flows.0.post.weight"):
            tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor)[:2], tensor.name))


@pytest.mark.parametrize("change", [_dilated, _without_bias, _half_outputs])
def test_other_layers_remain_as_they_are(trace: Trace, change: Callable[[Any], None]) -> None:
    model = trace(Voice(0))
    plain = model.SerializeToString()
    change(model)
    before = model.SerializeToString()

    assert not replace_flow(model)
    assert plain != before == model.SerializeToString()


def test_an_odd_number_of_couplings_remains_as_it_is(trace: Trace) -> None:
    model = trace(Voice(0, n_flows=3))
    before = model.SerializeToString()

    assert not replace_flow(model)
    assert model.SerializeToString() == before


def test_no_decoder(trace: Trace) -> None:
    model = trace(Voice(0))
    for node in model.graph.node:
        node.input[:] = [name.replace("dec.", "other.") for name in node.input]

    assert not replace_flow(model)
