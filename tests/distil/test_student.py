"""The fast network begins with the weights of the original, where it has the same layers."""

import math

import numpy as np
import torch

from tests.speak.conftest import MakeCheckpoint
from voxmatrix.distil.graph import read_graph
from voxmatrix.distil.student import FLOW_LAYERS, Sizes, Student, copy_weights, set_levels
from voxmatrix.tables.quality import HOP
from voxmatrix.voice.flow import Flow
from voxmatrix.voice.layers.norm import remove_weight_norm


def test_layers_are_copied(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("x_low", 3, "espeak")).weights
    student = Student(Sizes.of(weights))

    copied = copy_weights(student, weights)

    own = dict(student.named_parameters())
    for name in ("dec.conv_pre.weight", "dec.ups.0.weight", "dec.resblocks.1.convs.1.weight", "dec.cond.weight"):
        assert name in copied and np.array_equal(own[name].detach().numpy(), weights[name])
    assert {name for name in own if name.startswith("flow.")} <= copied
    assert not any("trunk" in name or "magnitude" in name or "phase" in name for name in copied)


def test_a_flow_whose_last_layers_do_nothing_is_shortened_exactly(make_onnx: MakeCheckpoint) -> None:
    """Then the layers that are left compute the same, with a speaker too."""
    weights = {name: array.copy() for name, array in read_graph(make_onnx("x_low", 3, "espeak")).weights.items()}
    for name, array in weights.items():
        if any(f"enc.res_skip_layers.{layer}." in name for layer in range(FLOW_LAYERS, 4)):
            array[:] = 0
    student = Student(Sizes.of(weights))
    copy_weights(student, weights)
    channels, hidden = student.dec.conv_pre.in_channels, weights["flow.flows.0.pre.weight"].shape[0]
    whole = Flow(channels, hidden, 512)
    remove_weight_norm(whole)
    whole.load_state_dict(
        {
            name.removeprefix("flow."): torch.from_numpy(array)
            for name, array in weights.items()
            if name.startswith("flow.")
        }
    )
    x, mask, speaker = torch.randn(1, channels, 20), torch.ones(1, 1, 20), torch.randn(1, 512, 1)

    with torch.no_grad():
        assert torch.allclose(student.latent(x, mask, speaker), whole(x, mask, speaker, reverse=True), atol=1e-4)


def test_other_sizes_begin_with_what_fits(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("tiny", 1, "text")).weights
    student = Student(Sizes.of(weights))

    copied = copy_weights(student, weights)

    assert {name for name, _ in student.named_parameters() if name.startswith("flow.")} <= copied
    assert "dec.ups.0.weight" not in copied


def test_margins_are_as_far_as_a_change_is_heard(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("tiny", 1, "text")).weights
    student = Student(Sizes.of(weights)).eval()
    copy_weights(student, weights)
    margin = student.flow_margin + student.dec.margin
    prior = torch.randn(1, 64, 2 * margin + 21)
    other = prior.clone()
    other[:, :, margin + 10] += 10
    mask = torch.ones(1, 1, prior.size(2))

    with torch.no_grad():
        changed = (student(prior, mask) != student(other, mask)).flatten().nonzero().flatten() // HOP

    assert int(changed.min()) >= 10 and int(changed.max()) <= 2 * margin + 10


def test_the_head_begins_with_the_mean_spectrum(make_onnx: MakeCheckpoint) -> None:
    student = Student(Sizes.of(read_graph(make_onnx("tiny", 1, "text")).weights))
    noise, bias = 0.3 * torch.randn(1, 20000), student.dec.magnitude.bias
    assert bias is not None

    set_levels(student, noise)
    loud = bias.detach().clone()
    set_levels(student, noise / 10)

    assert torch.allclose(loud - bias.detach(), torch.full_like(loud, math.log(10)), atol=1e-3)
