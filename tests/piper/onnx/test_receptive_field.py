"""How far layers look: as far as a change at one place is heard, or it is not known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.piper.onnx.model_split import split_model
from voxmatrix.piper.onnx.receptive_field import Layer, ReceptiveField, receptive_field


def conv(source: str, to: str, kernel: int = 7, dilation: int = 1, pads: tuple[int, int] = (3, 3)) -> Layer:
    numbers = {"kernel_shape": [kernel], "dilations": [dilation], "pads": list(pads), "strides": [1]}
    return Layer("Conv", [source, "weight"], [to], numbers)


def up(source: str, to: str, kernel: int = 16, stride: int = 8, pad: int = 4) -> Layer:
    numbers = {"kernel_shape": [kernel], "strides": [stride], "pads": [pad, pad], "dilations": [1]}
    return Layer("ConvTranspose", [source, "weight"], [to], numbers)


def test_a_layer_adds_its_half_width() -> None:
    assert receptive_field([conv("z", "y")], "y", "z") == ReceptiveField(3, 1)


def test_dilation_counts_and_the_farthest_of_two_ways_wins() -> None:
    layers = [conv("z", "a"), conv("z", "b", 3, 12, (12, 12)), Layer("Add", ["a", "b"], ["y"], {})]

    assert receptive_field(layers, "y", "z") == ReceptiveField(12, 1)


def test_after_upsampling_a_place_is_a_part_of_a_frame() -> None:
    assert receptive_field([up("z", "a"), conv("a", "y", 17, 1, (8, 8))], "y", "z") == ReceptiveField(2 + 1, 8)


def test_what_does_not_hang_on_the_frames_is_passed_over() -> None:
    layers = [Layer("MatMul", ["speaker", "weight"], ["s"], {}), Layer("Add", ["z", "s"], ["y"], {})]

    assert receptive_field(layers, "y", "z") == ReceptiveField(0, 1)


@pytest.mark.parametrize(
    "layer",
    [
        Layer("Softmax", ["z"], ["y"], {}),
        Layer("Slice", ["z"], ["y"], {}),
        Layer("ReduceMean", ["z"], ["y"], {}),
        Layer("LSTM", ["z"], ["y"], {}),
        Layer("Conv", ["z"], ["y"], {}),
        conv("z", "y", pads=(0, 0)),
        conv("z", "y", kernel=6),
        Layer("Conv", ["z"], ["y"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        Layer("Conv", ["z"], ["y"], {"kernel_shape": [3], "pads": [1, 1], "strides": [2]}),
        up("z", "y", pad=3),
        Layer("ConvTranspose", ["z"], ["y"], {"kernel_shape": [4], "strides": [2], "pads": [1, 1], "dilations": [2]}),
    ],
    ids=lambda layer: layer.op_type,
)
def test_a_layer_that_may_look_everywhere_ends_the_search(layer: Layer) -> None:
    assert receptive_field([layer], "y", "z") is None


def test_places_of_different_length_do_not_meet() -> None:
    assert receptive_field([up("z", "a"), Layer("Add", ["a", "z"], ["y"], {})], "y", "z") is None


def test_an_output_that_does_not_hang_on_the_frames_has_no_reach() -> None:
    assert receptive_field([conv("other", "y")], "y", "z") is None


@pytest.mark.parametrize("kind", [("tiny", 1, "text"), ("x_low", 3, "espeak")], ids=lambda kind: kind[0])
def test_the_reach_of_a_voice_is_found_in_its_file(make_onnx: Any, kind: tuple[Any, ...]) -> None:
    found = split_model(make_onnx(*kind))

    assert found is not None and found.receptive_field.hop == 32 and 8 <= found.receptive_field.margin <= 12


@given(st.data(), st.integers(1, 2000), st.integers(0, 20), st.sampled_from([1, 16, 128]))
def test_a_window_has_all_that_its_positions_depend_on(data: Any, length: int, margin: int, step: int) -> None:
    start = data.draw(st.integers(0, length - 1))
    end = data.draw(st.integers(start + 1, length))

    first, last = ReceptiveField(margin, 32).window(start, end, length, step)

    assert 0 <= first <= max(0, start - margin) and min(length, end + margin) <= last <= length
    assert (last - first) % step == 0 or (first, last) == (0, length)
    assert last - first < end - start + 2 * margin + step
