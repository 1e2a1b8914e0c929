"""The fast network begins with the weights of the original, where it has the same layers."""

import math

import numpy as np
import torch

from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.distil.decoder.network import FastDecoder, copy_weights, set_levels


def test_layers_are_copied(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("x_low", 3, "espeak")).weights
    student = FastDecoder(weights)

    copy_weights(student, weights)

    own = dict(student.named_parameters())
    for name in ("dec.conv_pre.weight", "dec.ups.0.weight", "dec.resblocks.1.convs.1.weight", "dec.cond.weight"):
        assert np.array_equal(own[name].detach().numpy(), weights[name])


def test_other_sizes_begin_with_what_fits(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("tiny", 1, "text")).weights
    student = FastDecoder(weights)

    before = student.dec.ups[0].weight.detach().clone()

    copy_weights(student, weights)

    assert torch.equal(student.dec.ups[0].weight, before)


def test_the_head_begins_with_the_mean_spectrum(make_onnx: MakeCheckpoint) -> None:
    student = FastDecoder(read_graph(make_onnx("tiny", 1, "text")).weights)
    noise, bias = 0.3 * torch.randn(1, 20000), student.dec.head.magnitude.bias
    assert bias is not None

    set_levels(student, noise)
    loud = bias.detach().clone()
    set_levels(student, noise / 10)

    assert torch.allclose(loud - bias.detach(), torch.full_like(loud, math.log(10)), atol=0.05)
