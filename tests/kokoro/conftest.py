"""A Kokoro in the folder of voices: its inputs and output, a network so small that a tone for each symbol is heard."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from voxmatrix.config import home
from voxmatrix.kokoro.styles import MAX_IDS, WIDTH

#: Samples for each symbol, at 24 kHz.
SYMBOL_SAMPLES = 600
VOICES = {"af_heart": 1.0, "af_bella": 0.5, "bf_emma": 0.75, "ff_siwis": 0.6, "jf_alpha": 0.9}


def write_network(
    path: Path, ids: str = "tokens", style: str = "style", frames: str = "/encoder/Clip_output_0"
) -> Path:
    """Each symbol is a tone, as loud as its id and the mean of the style; the speed makes it louder."""
    tone = np.sin(2 * np.pi * 220 * np.arange(SYMBOL_SAMPLES, dtype=np.float32) / 24_000)[None]
    nodes = [
        helper.make_node("Cast", [ids], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["numbers"], ["column"]),
        helper.make_node("MatMul", ["column", "tone"], ["tones"]),
        helper.make_node("ReduceMean", [style], ["loudness"], keepdims=0),
        helper.make_node("Mul", ["tones", "loudness"], ["loud"]),
        helper.make_node("Mul", ["loud", "speed"], ["fast"]),
        helper.make_node("Reshape", ["fast", "flat"], ["audio"]),
        helper.make_node("Cast", [ids], ["numbers again"], to=TensorProto.FLOAT),
        helper.make_node("Clip", ["numbers again", "one", "one"], [frames]),  # each symbol takes one frame
    ]
    constants = [
        numpy_helper.from_array((0.002 * tone).astype(np.float32), "tone"),
        numpy_helper.from_array(np.array([-1], np.int64), "flat"),
        numpy_helper.from_array(np.float32(1), "one"),
    ]
    inputs = [
        helper.make_tensor_value_info(ids, TensorProto.INT64, [1, "length"]),
        helper.make_tensor_value_info(style, TensorProto.FLOAT, [1, WIDTH]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    output = helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["samples"])
    graph = helper.make_graph(nodes, "kokoro", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))
    return path


def write_styles(path: Path, mean: float) -> Path:
    """A row for each number of symbols; the rows of longer sentences are a little louder."""
    rows = mean * (1 + np.arange(MAX_IDS, dtype="<f4") / MAX_IDS)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(np.repeat(rows, WIDTH).astype("<f4").tobytes())
    return path


@pytest.fixture
def kokoro() -> Path:
    """The folder of the network, with five voices."""
    folder = home() / "voices" / "kokoro"
    write_network(folder / "kokoro-v1.0.int8.onnx")
    for name, mean in VOICES.items():
        write_styles(folder / "voices" / f"{name}.bin", mean)
    return folder
