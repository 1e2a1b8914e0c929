"""The receptive field of a generator in torch, computed from its layers."""

from collections.abc import Iterator

from torch import nn

from voxmatrix.speak.onnx.receptive_field import Layer, ReceptiveField, receptive_field
from voxmatrix.voice.decoders.hifigan import Generator, PairedBlock


def decoder_receptive_field(generator: Generator) -> ReceptiveField:
    """The receptive field from frames to samples."""
    found = receptive_field(_layers(generator), "samples", "z")
    assert found is not None  # all layers are convolutions that keep the length
    return found


def _layers(generator: Generator) -> Iterator[Layer]:
    """Every convolution in order. Element-wise operations do not change the receptive field."""
    yield _convolution(generator.conv_pre, "z", "x")
    for step, up in enumerate(generator.ups):
        yield _convolution(up, "x", "up")
        ends = []
        for number, block in enumerate(generator.resblocks[step * generator.n_kernels :][: generator.n_kernels]):
            ends.append(f"block {number}")
            yield Layer("Identity", ["up"], [ends[-1]], {})
            for conv in _inside(block):
                yield _convolution(conv, ends[-1], ends[-1])
        yield Layer("Add", ends, ["x"], {})
    yield _convolution(generator.conv_post, "x", "samples")


def _inside(block: nn.Module) -> Iterator[nn.Module]:
    if isinstance(block, PairedBlock):
        for dilated, plain in zip(block.convs1, block.convs2, strict=True):
            yield from (dilated, plain)
    else:
        yield from block.convs  # type: ignore[misc]  # a SingleBlock's


def _convolution(conv: nn.Module, source: str, to: str) -> Layer:
    assert isinstance(conv, nn.Conv1d | nn.ConvTranspose1d)
    padding = conv.padding[0]
    assert isinstance(padding, int)
    numbers = {
        "kernel_shape": conv.kernel_size,
        "strides": conv.stride,
        "dilations": conv.dilation,
        "pads": (padding, padding),
    }
    return Layer("ConvTranspose" if isinstance(conv, nn.ConvTranspose1d) else "Conv", [source], [to], numbers)
