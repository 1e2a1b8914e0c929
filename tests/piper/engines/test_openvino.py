"""Where the CPU computes in bfloat16, many sentences are spoken so, and sound the same."""

import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from voxmatrix.machine.probes.system import read_cpu_bf16
from voxmatrix.piper.engines import onnx as onnx_engine
from voxmatrix.piper.engines import openvino
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.piper.engines.openvino import computes_bf16

pytestmark = pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
STILL = SynthesisOptions(noise=0.0, noise_w=0.0, length=1.3)
needs_bf16 = pytest.mark.skipif(not read_cpu_bf16(), reason="this CPU does not multiply bfloat16 numbers")


def spoken(path: Path, ids: list[int], speakers: int = 1, *, many: bool = True) -> Any:
    engine = open_onnx(path, speakers)
    if many:
        engine.prepare()
    return np.concatenate([part() for part in engine.begin(ids, STILL).segments])


def ratio(made: Any, wanted: Any) -> float:
    """The size of the difference, as a part of that of the wanted samples."""
    return float(np.linalg.norm(made - wanted) / np.linalg.norm(wanted))


@needs_bf16
@pytest.mark.parametrize(("quality", "speakers"), [("x_low", 1), ("x_low", 3), ("medium", 1)])
def test_the_samples_are_those_of_float32_but_for_rounding(
    make_onnx: Any, ids: list[int], quality: str, speakers: int
) -> None:
    path = make_onnx(quality, speakers, "text")

    one, many = (spoken(path, ids, speakers, many=many) for many in (False, True))

    assert one.shape == many.shape
    assert 1e-5 < ratio(many, one) < 0.05


@needs_bf16
@pytest.mark.parametrize("count", [1, 2, 7, 200])
@pytest.mark.parametrize("quality", ["x_low", "fast"])
def test_sentences_of_any_length(make_onnx: Any, quality: str, count: int) -> None:
    path = make_onnx(quality, 1, "text")
    ids = [3 + number % 20 for number in range(count)]

    one, many = (spoken(path, ids, many=many) for many in (False, True))

    assert one.shape == many.shape and ratio(many, one) < 0.05


@needs_bf16
@pytest.mark.parametrize("samples", [4096, 12288, 20000])
def test_segments_are_about_as_many(
    make_onnx: Any, ids: list[int], monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    path = make_onnx("x_low", 1, "text")
    monkeypatch.setattr(onnx_engine, "SEGMENT_SAMPLES", samples)

    engine = open_onnx(path, 1)
    one = engine.begin(ids * 10, STILL).segments
    engine.prepare()
    many = engine.begin(ids * 10, STILL).segments

    assert len(one) <= len(many) <= 1.3 * len(one) + 1


@needs_bf16
def test_threads_compute_at_once_and_again_the_same(make_onnx: Any, ids: list[int]) -> None:
    engine = open_onnx(make_onnx("x_low", 1, "text"), 1)
    engine.prepare()
    parts = engine.begin(ids * 5, STILL).segments
    wanted = [part() for part in parts]

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda part: part(), parts * 3))

    assert all(np.array_equal(one, other) for one, other in zip(made, wanted * 3, strict=True))


@needs_bf16
@pytest.mark.parametrize("quality", ["tiny", "fast_x_low", "fast"])
def test_voices_with_little_to_multiply_are_spoken_in_float32(make_onnx: Any, ids: list[int], quality: str) -> None:
    path = make_onnx(quality, 1, "text")

    one, many = (spoken(path, ids, many=many) for many in (False, True))

    assert ratio(many, one) < 1e-5


@pytest.mark.parametrize("kind", ["none", "one that fails", "one that computes otherwise"])
def test_without_one_that_works_voices_are_spoken_in_float32(
    make_onnx: Any, ids: list[int], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    class Fails:
        def __init__(self, _: bytes) -> None:
            raise RuntimeError("Exception from src/inference: an operation is missing")

    class Computes(Fails):
        def __init__(self, model: bytes) -> None:
            self.model = onnx.ModelProto.FromString(model)

        def run(self, _: Any, inputs: Any) -> Any:
            return [np.zeros((1, 1, 1, 32), np.float32)]

    monkeypatch.setattr(openvino, "computes_bf16", lambda: kind != "none")
    monkeypatch.setattr(openvino, "Bf16Session", Fails if kind == "one that fails" else Computes)
    path = make_onnx("x_low", 1, "text")

    one, many = (spoken(path, ids, many=many) for many in (False, True))

    assert ratio(many, one) < 1e-5


def test_a_cpu_that_does_not_multiply_such_numbers_needs_no_openvino(monkeypatch: pytest.MonkeyPatch) -> None:
    for listed in (False, None):
        monkeypatch.setattr("voxmatrix.piper.engines.openvino.read_cpu_bf16", lambda found=listed: found)
        assert not computes_bf16()


@needs_bf16
@pytest.mark.parametrize(("limit", "said"), [("unlimited", "True"), (str(1 << 25), "False")])
def test_it_is_not_used_under_a_limit_of_memory_at_which_it_would_crash(limit: str, said: str) -> None:
    program = "from voxmatrix.piper.engines.openvino import computes_bf16; print(computes_bf16())"
    command = ["sh", "-c", f'ulimit -v {limit} && exec "$0" -c "$1"', sys.executable, program]

    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == said


@needs_bf16
def test_ctrl_c_after_some_voices_were_opened_and_closed(make_onnx: Any) -> None:
    program = """if True:
        import signal, sys
        from pathlib import Path
        from voxmatrix.piper.engines.onnx import open_onnx
        signal.signal(signal.SIGINT, lambda *_: print("interrupted"))
        voices = [open_onnx(Path(sys.argv[1]), 1) for _ in range(3)]
        for voice in voices:
            voice.prepare()
        del voice
        while voices:
            del voices[0]
        signal.raise_signal(signal.SIGINT)
    """
    command = [sys.executable, "-c", program, str(make_onnx("x_low", 1, "text"))]

    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "interrupted\n"
